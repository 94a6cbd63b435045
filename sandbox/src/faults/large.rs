//! Responses that use as much memory as a response can.

use crate::faults::Fault;
use crate::http::response::Response;

/// Just within the default limits of clients: 2 MiB and 100,000 values.
const BYTES: usize = 2_000_000;
const VALUES: usize = 99_900;

/// The content of a large response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Large {
    /// An array of numbers.
    Numbers,
    /// An object with many members.
    Names,
    /// Arrays nested to the limit.
    Nesting,
    /// One long string.
    Text,
    /// One long string of escapes.
    Escapes,
    /// Results of tracking codes.
    Results,
}

impl Large {
    /// All variants with their names in JSON.
    pub const ALL: [(&'static str, Self); 6] = [
        ("numbers", Self::Numbers),
        ("names", Self::Names),
        ("nesting", Self::Nesting),
        ("text", Self::Text),
        ("escapes", Self::Escapes),
        ("results", Self::Results),
    ];

    fn body(self) -> String {
        let pad = match self {
            Self::Numbers => format!("[{}0]", "123456789012345678,".repeat(VALUES)),
            Self::Names => {
                let members: Vec<_> =
                    (0..VALUES).map(|number| format!("\"name{number:06}\":0")).collect();
                format!("{{{}}}", members.join(","))
            }
            Self::Nesting => {
                const DEPTH: usize = 120;
                let nested = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
                format!("[{}]", vec![nested; VALUES / DEPTH].join(","))
            }
            Self::Text => format!("\"{}\"", "x".repeat(BYTES)),
            Self::Escapes => format!("\"{}\"", r"\u00e9".repeat(BYTES / 6)),
            Self::Results => {
                let result = r#"{"customer_email":"maria@example.com","tracking_code":"BR123456789","order_number":"order-1","status":"CREATED"}"#;
                let results = vec![result; BYTES / (result.len() + 1)].join(",");
                return format!(r#"{{"status":"SUCCESS","result":[{results}]}}"#);
            }
        };
        format!(r#"{{"status":"SUCCESS","payment":{{"hash":"5f2c","status":"PE"}},"pad":{pad}}}"#)
    }
}

impl Fault {
    /// Status 200 with the largest response that clients accept.
    pub fn large(of: Large) -> Self {
        Self::response(Response::of_type("application/json", of.body()))
    }
}
