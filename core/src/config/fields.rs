//! The members of a configuration: the table.
//!
//! A new member takes a row here and a field in [`Options`](super::Options)
//! that holds its value. `cargo xtask generate` does the rest.

use super::Config;
use super::value::Value;

/// The type of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A text.
    Text,
    /// A secret text: never shown.
    Secret,
    /// The path of a file, relative to the folder of the configuration file.
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

impl Shape {
    /// Its name, for example `integer`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Secret => "secret",
            Self::Path => "path",
            Self::Integer => "integer",
            Self::Switch => "switch",
            Self::List => "list",
            Self::Object => "object",
        }
    }
}

/// The default of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unset {
    /// No default.
    Nothing,
    /// This value, in the form of its environment variable.
    Value(&'static str),
    /// A default described in words.
    Words(&'static str),
}

/// A member of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in JSON. The environment variable is `PAYMENTS_` and this
    /// name in upper case.
    pub name: &'static str,
    /// Its type.
    pub shape: Shape,
    /// Its purpose, as a phrase.
    pub doc: &'static str,
    /// Further sentences. Links are as in the README.
    pub more: &'static str,
    /// Its default.
    pub unset: Unset,
    /// The allowed texts, if the set is closed; `*` matches the rest of a text.
    pub known: &'static [&'static str],
    /// Whether it is required.
    pub is_required: bool,
    /// Where its value is stored.
    pub(super) destination: Destination,
}

type Destination = fn(&mut Config) -> &mut dyn Value;

impl Field {
    /// Its purpose and its default, as a phrase.
    pub fn purpose(&self) -> String {
        match self.unset {
            _ if self.is_required => format!("{}; required", self.doc),
            Unset::Nothing => self.doc.to_owned(),
            Unset::Value(value) => format!("{} (default: `{value}`)", self.doc),
            Unset::Words(words) => format!("{} (default: {words})", self.doc),
        }
    }

    /// The further sentences without links.
    pub fn remarks(&self) -> String {
        let (more, _) = self.more.split_once("See [").unwrap_or((self.more, ""));
        let mut parts = more.trim_end().split("](");
        let mut plain = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (_, after) = part.split_once(')').unwrap_or_default();
            if let Some(start) = plain.rfind('[') {
                plain.remove(start);
            }
            plain.push_str(after);
        }
        plain
    }

    const fn or(mut self, value: &'static str) -> Self {
        self.unset = Unset::Value(value);
        self
    }

    const fn or_else(mut self, words: &'static str) -> Self {
        self.unset = Unset::Words(words);
        self
    }

    const fn one_of(mut self, known: &'static [&'static str]) -> Self {
        self.known = known;
        self
    }

    const fn more(mut self, more: &'static str) -> Self {
        self.more = more;
        self
    }

    const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }
}

const fn field(
    name: &'static str,
    shape: Shape,
    destination: Destination,
    doc: &'static str,
) -> Field {
    let (unset, known, is_required) = (Unset::Nothing, &[] as &[_], false);
    Field { name, shape, doc, more: "", unset, known, is_required, destination }
}

const fn text(name: &'static str, destination: Destination, doc: &'static str) -> Field {
    field(name, Shape::Text, destination, doc)
}

const fn secret(name: &'static str, destination: Destination, doc: &'static str) -> Field {
    field(name, Shape::Secret, destination, doc)
}

const fn path(name: &'static str, destination: Destination, doc: &'static str) -> Field {
    field(name, Shape::Path, destination, doc)
}

const fn integer(name: &'static str, destination: Destination, doc: &'static str) -> Field {
    field(name, Shape::Integer, destination, doc)
}

const fn switch(name: &'static str, destination: Destination, doc: &'static str) -> Field {
    field(name, Shape::Switch, destination, doc).or("false")
}

const fn list(name: &'static str, destination: Destination, doc: &'static str) -> Field {
    field(name, Shape::List, destination, doc)
}

const fn object(name: &'static str, destination: Destination, doc: &'static str) -> Field {
    field(name, Shape::Object, destination, doc)
}

/// Every member of a configuration. A member and the same with `_file` stand
/// beside each other.
pub const FIELDS: &[Field] = &[
    text("environment", |it| &mut it.options.environment, "`sandbox` or `production`")
        .or("production")
        .one_of(&["sandbox", "production"])
        .more("It decides for how long a token is valid."),
    text(
        "base_url",
        |it| &mut it.base_url,
        "address of the service, up to `/ws`, which the client adds",
    )
    .required(),
    text(
        "auth_url",
        |it| &mut it.auth_url,
        "address of the token server, without the path of its endpoint",
    )
    .more("Required with `client_id`."),
    secret("integration_key", |it| &mut it.integration_key, "merchant key"),
    path("integration_key_file", |it| &mut it.integration_key, "file that holds the merchant key"),
    text("client_id", |it| &mut it.client_id, "client id for the token server")
        .more("With client id and client secret, calls carry a bearer token."),
    secret("client_secret", |it| &mut it.client_secret, "client secret for the token server"),
    path("client_secret_file", |it| &mut it.client_secret, "file that holds the client secret"),
    secret("key", |it| &mut it.key, "RSA private key, PEM text")
        .more("PKCS#8 or PKCS#1. With it, requests are signed."),
    path("key_file", |it| &mut it.key, "file of the private key, PEM or DER"),
    secret("key_passphrase", |it| &mut it.key_passphrase, "passphrase of an encrypted private key"),
    path("key_passphrase_file", |it| &mut it.key_passphrase, "file that holds the passphrase"),
    text("kid", |it| &mut it.kid, "key id assigned at registration").more("Required with a key."),
    switch(
        "allow_small_keys",
        |it| &mut it.options.allow_small_keys,
        "accept RSA keys of 2048 and 3072 bits",
    ),
    integer(
        "signing_threads",
        |it| &mut it.options.signing_threads,
        "how many calls of a process sign with a private key at a time",
    )
    .or_else("three for each core")
    .more(
        "The others wait their turn within their deadline, first come, first served. The cores are \
         those that the scheduler and the quota of a container grant. It does not limit HSMs and \
         signers of your own.",
    ),
    path(
        "pkcs11_module",
        |it| &mut it.pkcs11.module,
        "PKCS#11 module of an HSM that holds the private key",
    )
    .more("See [keys in an HSM](docs/operations.md#keys-in-an-hsm)."),
    text("pkcs11_token", |it| &mut it.pkcs11.token, "label of the HSM's token"),
    integer(
        "pkcs11_slot",
        |it| &mut it.pkcs11.slot,
        "number of the token's slot, instead of its label",
    ),
    text(
        "pkcs11_key_label",
        |it| &mut it.pkcs11.key_label,
        "label of the private key in the token",
    ),
    text(
        "pkcs11_key_id",
        |it| &mut it.pkcs11.key_id,
        "id of the private key in the token, in hexadecimal",
    ),
    secret("pkcs11_pin", |it| &mut it.pkcs11.pin, "PIN of the token's user"),
    path("pkcs11_pin_file", |it| &mut it.pkcs11.pin, "file that holds the PIN of the token's user"),
    integer(
        "pkcs11_sessions",
        |it| &mut it.pkcs11.sessions,
        "most sessions of a process with the token, and most signatures made at once",
    )
    .or("8"),
    text("public_key", |it| &mut it.public_key, "public key of an external signer, PEM text")
        .more("It verifies each signature of an HSM or of a signer of your own before it is sent."),
    path(
        "public_key_file",
        |it| &mut it.public_key,
        "file of the public key of an external signer",
    ),
    integer("timeout_ms", |it| &mut it.options.timeout, "deadline of a whole call in milliseconds")
        .or("30000")
        .more("It includes the token and all attempts."),
    integer(
        "connect_timeout_ms",
        |it| &mut it.options.connect_timeout,
        "limit for connecting in milliseconds",
    )
    .or("5000"),
    switch(
        "allow_insecure_http",
        |it| &mut it.options.allow_insecure_http,
        "allow `http://` to other hosts than this one",
    ),
    secret("proxy", |it| &mut it.proxy, "`env`, or `http://[user:password@]host:port`")
        .more("`env` takes the proxy from the environment."),
    path("ca_file", |it| &mut it.ca_file, "PEM file of the only trusted authorities").more(
        "They replace those of the operating system, which `SSL_CERT_FILE` and `SSL_CERT_DIR` can \
         change, for the service and for `token_store`.",
    ),
    integer(
        "max_response_bytes",
        |it| &mut it.options.max_response_bytes,
        "largest accepted response in bytes",
    )
    .or("2097152")
    .more("Larger responses are `too_large`."),
    integer(
        "max_response_values",
        |it| &mut it.rules.max_response_values,
        "most JSON values in an accepted response, at any depth",
    )
    .or("100000")
    .more("Responses with more are `too_large`: values take many times their bytes in memory."),
    text(
        "integration_key_placement",
        |it| &mut it.options.integration_key_placement,
        "`beside` or `inside` the object `payment`, or `both`",
    )
    .or("beside")
    .one_of(&["beside", "inside", "both"]),
    text(
        "refund_hash_member",
        |it| &mut it.rules.refund_hash_member,
        "member of a refund that holds the payment hash",
    )
    .or("hash"),
    text("bearer_header", |it| &mut it.options.bearer_header, "header of the bearer token")
        .or("Authorization"),
    text("bearer_scheme", |it| &mut it.options.bearer_scheme, "word before the bearer token")
        .or("Bearer")
        .more("It may be empty."),
    object(
        "auth",
        |it| &mut it.options.auth,
        "credentials of single operations: `{\"create_payout\": {\"bearer\": false}}`",
    ),
    list(
        "duplicate_codes",
        |it| &mut it.rules.duplicate_codes,
        "service codes of a reference used before, in any case",
    )
    .or("BP-DR-0")
    .more("`[]` in a file turns the rule off; an empty variable is refused."),
    list(
        "not_found_codes",
        |it| &mut it.rules.not_found_codes,
        "service codes of a refused query that say there is no such payment",
    )
    .or("BP-REF-CAN-2")
    .more("They are reported as `payment_not_found`."),
    list(
        "failure_statuses",
        |it| &mut it.rules.failure_statuses,
        "words that as the top-level `status` say that the operation failed, in any case",
    )
    .or("ERROR, FAILURE, FAILED, DENIED, REJECTED, REFUSED"),
    object(
        "success_signs",
        |it| &mut it.rules.success_signs,
        "further signs of success of single operations, as JSON Pointers: `{\"create_payment\": \
         [\"/data/id\"]}`",
    )
    .more("See [signs of success](docs/interface.md#signs-of-success)."),
    switch(
        "check_references",
        |it| &mut it.rules.check_references,
        "refuse a response that names another payment or payout than the request",
    )
    .or("true")
    .more(
        "See [responses about something else](docs/interface.md#responses-about-something-else).",
    ),
    switch(
        "card_guard",
        |it| &mut it.rules.card_guard,
        "search `extra` and `send` bodies for raw card numbers",
    )
    .or("true"),
    switch(
        "check_amount_digits",
        |it| &mut it.rules.check_amount_digits,
        "refuse the amount of a payment or payout with digits that its currency does not have",
    )
    .or("true")
    .more("By ISO 4217: `BRL 100.123` and `CLP 100.55` are refused, zeros are fine."),
    switch(
        "treat_401_as_not_executed",
        |it| &mut it.rules.treat_401_as_not_executed,
        "take a 401 as proof that an operation which moves money was not executed",
    )
    .or("true")
    .more("With `false`, its outcome is `unknown`, and it is not sent again with another token."),
    secret(
        "token_store",
        |it| &mut it.token_store_kind,
        "`memory`; `file:FOLDER` for all processes of a host; `redis://` or `rediss://` and \
         `[[user]:password@]host[:port][/database]` for a fleet",
    )
    .or("memory")
    .one_of(&["memory", "file:*", "redis://*", "rediss://*"])
    .more(
        "Only the user who runs the process may see the folder. `rediss://` is Redis over TLS, \
         which every host but this one needs. The command uses [the user's cache \
         folder](docs/operations.md#the-users-cache-folder) instead of memory.",
    ),
    text(
        "token_store_fallback",
        |it| &mut it.token_fallback,
        "where tokens are kept while a Redis server does not work: `file:FOLDER`, or `memory`",
    )
    .or_else("the cache folder of the user")
    .one_of(&["memory", "file:*"])
    .more("See [Redis](docs/operations.md#redis)."),
    switch(
        "allow_insecure_redis",
        |it| &mut it.options.allow_insecure_redis,
        "allow `redis://` to other hosts than this one",
    )
    .more("The password can then be read on the way, and tokens too without `token_store_key`."),
    secret(
        "token_store_key",
        |it| &mut it.token_store_key,
        "encrypts stored tokens: 32 bytes in base64",
    )
    .more("The same for all who share the tokens; `openssl rand -base64 32` makes one."),
    path(
        "token_store_key_file",
        |it| &mut it.token_store_key,
        "file that holds the key for stored tokens",
    ),
    text(
        "journal",
        |it| &mut it.journal_kind,
        "where calls that move money are recorded before they are sent: `none`, or `file:PATH` \
         for all processes of a host",
    )
    .or("none")
    .one_of(&["none", "file:*"])
    .more("`payments journal create` makes the file. See [the journal](docs/journal.md)."),
    text(
        "journal_scope",
        |it| &mut it.journal_scope,
        "which entries of the journal belong to this client",
    )
    .or_else("the host of `base_url`")
    .more("Clients that could pay the same thing twice must have the same scope."),
    integer(
        "settle_after_ms",
        |it| &mut it.options.settle_after,
        "milliseconds from a call's deadline until a person may say no to it; 0 to 86400000",
    )
    .or("900000")
    .more(
        "What a proxy or the service holds may be executed late. At least a minute always passes.",
    ),
    integer(
        "query_retries",
        |it| &mut it.options.query_retries,
        "how often a failed query is tried again; may be 0",
    )
    .or("2")
    .more(
        "Other operations are resent only if no byte of them left, or once after a 401 with a new \
         bearer token.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_have_no_targets() {
        let field = FIELDS[0].more("Like [the `a` b](x#y), or [c](d). See [e](f).");
        assert_eq!(field.remarks(), "Like the `a` b, or c.");
    }
}
