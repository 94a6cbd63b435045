//! Where the documentation explains an error code.

use super::{Error, ErrorCode, HELP_BASE};

/// Where the documentation explains `code`, for reports made outside the core.
pub fn help_of(code: ErrorCode) -> String {
    format!("{HELP_BASE}{code}")
}

impl Error {
    /// Where the documentation explains the [`code`](Self::code), for example
    /// `docs/errors.md#payment_not_found`.
    pub fn help(&self) -> String {
        help_of(self.code())
    }
}

#[cfg(test)]
mod tests {
    use crate::model::json::Json;
    use crate::{Client, Config};

    #[test]
    fn help_is_the_entry_of_the_code() {
        let error = Client::new(Config::default()).unwrap_err();
        assert_eq!(error.help(), "docs/errors.md#required");
        assert_eq!(error.to_json().get("help").and_then(Json::as_str), Some(&*error.help()));
    }
}
