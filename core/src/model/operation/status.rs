//! Status codes: open sets. An unknown code is kept.

use std::fmt;

/// An open set of codes.
#[derive(Debug)]
pub struct Codes {
    /// The name of its type, for example `PaymentStatus`.
    pub name: &'static str,
    /// What the codes describe, in sentences.
    pub doc: &'static str,
    /// The known codes.
    pub known: &'static [Code],
}

/// A known code.
#[derive(Debug)]
pub struct Code {
    /// The code on the wire, for example `CO`.
    pub code: &'static str,
    /// Its name, for example `Confirmed`.
    pub name: &'static str,
    /// What it means, in a few words.
    pub meaning: &'static str,
}

macro_rules! open_codes {
    (
        $codes:ident, $doc:literal, $source:literal;
        $($name:ident = $code:literal, $meaning:literal;)*
    ) => {
        #[doc = $doc]
        #[doc = ""]
        #[doc = $source]
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum $codes {
            $(
                #[doc = concat!("`", $code, "`: ", $meaning, ".")]
                $name,
            )*
            /// Any other text.
            Other(String),
        }

        impl $codes {
            /// The status of that code.
            pub fn from_code(code: &str) -> Self {
                match code {
                    $($code => Self::$name,)*
                    other => Self::Other(other.to_owned()),
                }
            }

            /// The code on the wire, for example `CO`.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$name => $code,)*
                    Self::Other(code) => code,
                }
            }

            pub(super) const CODES: Codes = Codes {
                name: stringify!($codes),
                doc: $doc,
                known: &[$(
                    Code { code: $code, name: stringify!($name), meaning: $meaning },
                )*],
            };
        }

        impl fmt::Display for $codes {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

open_codes! {
    PaymentStatus, "The status of a payment.",
    "Interface, \"States and transitions\". The set is open: an unknown code is kept as \
     text.";
    Open = "OP", "nothing is decided";
    Pending = "PE", "waiting for the payer or the bank";
    Confirmed = "CO", "paid";
    Cancelled = "CA", "declined, expired or withdrawn";
}

open_codes! {
    RefundStatus, "The status of a refund.",
    "Not stated in the interface; these codes are known. The set is open.";
    Requested = "RE", "requested";
    Pending = "PE", "not decided yet";
    Confirmed = "CO", "refunded";
    Cancelled = "CA", "will not be refunded";
}
