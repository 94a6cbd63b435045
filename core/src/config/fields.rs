//! The members of a configuration: the table.

/// What a member of a configuration holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A text.
    Text,
    /// A text that must not be shown.
    Secret,
    /// The path of a file, taken from the folder of the configuration file.
    Path,
    /// A whole number above zero.
    Integer,
    /// `true` or `false`; in the environment also `1` and `0`.
    Switch,
    /// Texts; in the environment separated by commas.
    List,
    /// A JSON object, also in the environment.
    Object,
}

/// A member of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in JSON. The environment variable is `PAYMENTS_` and this
    /// name in upper case.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// What it is for.
    pub doc: &'static str,
}

const fn field(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { name, shape, doc }
}

/// Every member of a configuration.
pub const FIELDS: &[Field] = &[
    field("environment", Shape::Text, "`sandbox` or `production` (default)"),
    field(
        "base_url",
        Shape::Text,
        "address of the service, up to `/ws`, which the client adds; required",
    ),
    field(
        "auth_url",
        Shape::Text,
        "address of the token server, without the path of its endpoint; required with `client_id`",
    ),
    field("integration_key", Shape::Secret, "merchant key"),
    field("integration_key_file", Shape::Path, "file that holds the merchant key"),
    field("client_id", Shape::Text, "client id for the token server"),
    field("client_secret", Shape::Secret, "client secret for the token server"),
    field("client_secret_file", Shape::Path, "file that holds the client secret"),
    field("key", Shape::Secret, "private key, PEM text"),
    field("key_file", Shape::Path, "file of the private key, PEM or DER"),
    field("key_passphrase", Shape::Secret, "passphrase of an encrypted private key"),
    field("key_passphrase_file", Shape::Path, "file that holds the passphrase"),
    field("kid", Shape::Text, "key id assigned at registration; required with a key"),
    field("allow_small_keys", Shape::Switch, "accept RSA keys of 2048 and 3072 bits"),
    field(
        "signing_threads",
        Shape::Integer,
        "how many calls of a process sign with a private key at a time (as many as there are cores)",
    ),
    field("pkcs11_module", Shape::Path, "PKCS#11 module of an HSM that holds the private key"),
    field("pkcs11_token", Shape::Text, "label of the HSM's token"),
    field("pkcs11_slot", Shape::Integer, "number of the token's slot, instead of its label"),
    field("pkcs11_key_label", Shape::Text, "label of the private key in the token"),
    field("pkcs11_key_id", Shape::Text, "id of the private key in the token, in hexadecimal"),
    field("pkcs11_pin", Shape::Secret, "PIN of the token's user"),
    field("pkcs11_pin_file", Shape::Path, "file that holds the PIN of the token's user"),
    field("pkcs11_sessions", Shape::Integer, "most sessions of a process with the token (8)"),
    field("public_key", Shape::Text, "public key of an external signer, PEM text"),
    field("public_key_file", Shape::Path, "file of the public key of an external signer"),
    field("timeout_ms", Shape::Integer, "deadline of a call in milliseconds (30000)"),
    field("connect_timeout_ms", Shape::Integer, "limit for connecting in milliseconds (5000)"),
    field("allow_insecure_http", Shape::Switch, "allow `http://` to other hosts than this one"),
    field("proxy", Shape::Secret, "`env`, or `http://[user:password@]host:port`"),
    field("ca_file", Shape::Path, "PEM file of the only trusted authorities"),
    field("max_response_bytes", Shape::Integer, "largest accepted answer in bytes (2097152)"),
    field("max_response_values", Shape::Integer, "most JSON values in an accepted answer (100000)"),
    field("integration_key_placement", Shape::Text, "`beside` (default), `inside` or `both`"),
    field(
        "refund_hash_member",
        Shape::Text,
        "member of a refund that holds the payment hash (`hash`)",
    ),
    field("bearer_header", Shape::Text, "header of the bearer token (`Authorization`)"),
    field("bearer_scheme", Shape::Text, "word before the bearer token (`Bearer`); may be empty"),
    field(
        "auth",
        Shape::Object,
        "credentials per operation: `{\"create_payout\": {\"bearer\": false}}`",
    ),
    field("duplicate_codes", Shape::List, "service codes of a reference used before (`BP-DR-0`)"),
    field(
        "not_found_codes",
        Shape::List,
        "service codes of a refused query that say there is no such payment (`BP-REF-CAN-2`)",
    ),
    field(
        "failure_statuses",
        Shape::List,
        "words that as the top-level `status` say that the operation failed (`ERROR`, `FAILURE`, \
         `FAILED`, `DENIED`, `REJECTED`, `REFUSED`)",
    ),
    field(
        "success_signs",
        Shape::Object,
        "further signs of success per operation, as JSON Pointers: `{\"create_payment\": \
         [\"/data/id\"]}`",
    ),
    field(
        "check_references",
        Shape::Switch,
        "refuse an answer that names another payment or payout than the request (true)",
    ),
    field("card_guard", Shape::Switch, "search `extra` and `send` bodies for card numbers (true)"),
    field(
        "token_store",
        Shape::Secret,
        "`memory` (default); `file:FOLDER` for all processes of a host; `redis://` or `rediss://` \
         and `[[user]:password@]host[:port][/database]` for a fleet",
    ),
    field(
        "token_store_fallback",
        Shape::Text,
        "where tokens are kept while a Redis server does not work: `file:FOLDER`, or `memory`; the \
         cache folder of the user unless set",
    ),
    field("allow_insecure_redis", Shape::Switch, "allow `redis://` to other hosts than this one"),
    field("token_store_key", Shape::Secret, "encrypts stored tokens: 32 bytes in base64"),
    field("token_store_key_file", Shape::Path, "file that holds the key for stored tokens"),
    field("query_retries", Shape::Integer, "how often a failed query is tried again (2); may be 0"),
];
