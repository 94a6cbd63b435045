//! The builders of the settings that requests and responses depend on.

use super::Config;
use crate::model::operation::Operation;

impl Config {
    /// The member of a refund request that holds the payment hash. The default
    /// is `hash`.
    pub fn refund_hash_member(mut self, name: impl Into<String>) -> Self {
        self.rules.refund_hash_member = name.into();
        self
    }

    /// Service codes that mean the reference was used before. The default is
    /// `BP-DR-0`.
    pub fn duplicate_codes<I: IntoIterator<Item: Into<String>>>(mut self, codes: I) -> Self {
        self.rules.duplicate_codes = texts(codes);
        self
    }

    /// Service codes of a refused query that mean the payment does not exist.
    /// The default is `BP-REF-CAN-2`.
    pub fn not_found_codes<I: IntoIterator<Item: Into<String>>>(mut self, codes: I) -> Self {
        self.rules.not_found_codes = texts(codes);
        self
    }

    /// Words that, as the top-level `status` of a response, mean that the
    /// operation failed. Case does not matter. The defaults are `ERROR`,
    /// `FAILURE`, `FAILED`, `DENIED`, `REJECTED` and `REFUSED`.
    pub fn failure_statuses<I: IntoIterator<Item: Into<String>>>(mut self, words: I) -> Self {
        self.rules.failure_statuses = texts(words);
        self
    }

    /// Further signs of success of an operation, as JSON Pointers into the
    /// response. A value at one of them means success.
    pub fn success_signs<I: IntoIterator<Item: Into<String>>>(
        mut self,
        operation: Operation,
        pointers: I,
    ) -> Self {
        self.rules.success_signs.insert(operation, texts(pointers));
        self
    }

    /// The most JSON values in a response: objects, arrays, texts, numbers,
    /// `true`, `false` and `null`, at any depth. The default is 100,000.
    pub fn max_response_values(mut self, values: usize) -> Self {
        self.rules.max_response_values = values;
        self
    }

    /// Whether to refuse a response that names another payment or payout than
    /// the request. The default is `true`.
    pub fn check_references(mut self, check: bool) -> Self {
        self.rules.check_references = check;
        self
    }

    /// Whether to refuse the amount of a payment or payout that has digits which
    /// its currency does not have by ISO 4217. The default is `true`.
    pub fn check_amount_digits(mut self, check: bool) -> Self {
        self.rules.check_amount_digits = check;
        self
    }

    /// Whether a 401 says that an operation which moves money was not executed.
    /// The default is `true`, which is our reading of the interface. With
    /// `false`, such a 401 has the outcome `unknown`, and the operation is not
    /// sent again with another token.
    pub fn treat_401_as_not_executed(mut self, treat: bool) -> Self {
        self.rules.treat_401_as_not_executed = treat;
        self
    }

    /// Whether to search `extra` members and JSON bodies of `send` for raw card
    /// numbers. The default is `true`.
    pub fn card_guard(mut self, search: bool) -> Self {
        self.rules.card_guard = search;
        self
    }
}

fn texts<I: IntoIterator<Item: Into<String>>>(texts: I) -> Vec<String> {
    texts.into_iter().map(Into::into).collect()
}
