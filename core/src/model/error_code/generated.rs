// Generated from spec/errors by generate/templates/error_codes.rs.jinja; do not edit. To update: cargo xtask generate

//! Every error code that any language has.

use super::ErrorCode;

impl ErrorCode {
    /// No member or environment variable has this name, or the member belongs elsewhere. `payment`
    /// is open, and refuses only likely misspellings.
    pub const MEMBER_UNKNOWN: Self = Self("member_unknown");
    /// A member still has the placeholder of an example.
    pub const PLACEHOLDER: Self = Self("placeholder");
    /// A value is not allowed: it is empty, out of range, none of the choices, malformed, or of no
    /// use here.
    pub const VALUE_INVALID: Self = Self("value_invalid");
    /// A file, standard input or an environment variable cannot be read, or does not hold what it
    /// should: text in UTF-8, CSV, a key, or certificates.
    pub const FILE_UNREADABLE: Self = Self("file_unreadable");
    /// A member needs a part that this build lacks: Redis, an HSM, or journals in files, which
    /// Windows does not have.
    pub const NOT_IN_THIS_BUILD: Self = Self("not_in_this_build");
    /// `http://` or `redis://` to another host, which would send the requests or tokens
    /// unencrypted.
    pub const INSECURE: Self = Self("insecure");
    /// A member is missing: the operation, the country, or another member that is set needs it.
    /// Also an empty key, a PIN that the token asks for, or a switch that is off, such as
    /// `payout_query`.
    pub const REQUIRED: Self = Self("required");
    /// A credential is not configured: `auth` asks for it, or there is none at all. With a journal,
    /// the client is made, and its calls fail.
    pub const CREDENTIAL_MISSING: Self = Self("credential_missing");
    /// The text cannot be read as a key: it is no key, or is cut, damaged or in another form. Also
    /// a public key that is not plain RSA, or of a size that is not supported.
    pub const KEY_UNREADABLE: Self = Self("key_unreadable");
    /// This cannot sign requests: it is a public key, a certificate or a request for one, a key
    /// that is not plain RSA, or one of a size or number of primes that is not supported.
    pub const KEY_WRONG_KIND: Self = Self("key_wrong_kind");
    /// The private key is in a form that is not read: PKCS#12, OpenSSH, PuTTY, or an encryption
    /// that is weak, unknown, or takes more than 10,000,000 rounds of PBKDF2 or 256 MiB for scrypt.
    pub const KEY_TO_CONVERT: Self = Self("key_to_convert");
    /// The key has fewer than the 4096 bits that the service asks for.
    pub const KEY_SMALL: Self = Self("key_small");
    /// The private key is encrypted, and its passphrase is missing or wrong.
    pub const KEY_PASSPHRASE: Self = Self("key_passphrase");
    /// A private key is given as `public_key`.
    pub const PUBLIC_KEY_IS_PRIVATE: Self = Self("public_key_is_private");
    /// The module, token, slot or key that the configuration names is not there, cannot be used, or
    /// is not the only one.
    pub const PKCS11_NOT_FOUND: Self = Self("pkcs11_not_found");
    /// A call into the module failed with the code in the message.
    pub const PKCS11_FAILED: Self = Self("pkcs11_failed");
    /// The token, or the key in it, cannot sign requests: no mechanism for RS256, an object that is
    /// no RSA private key, a key that may not sign, signs wrongly, or asks for the PIN at every
    /// signature (`CKA_ALWAYS_AUTHENTICATE`).
    pub const PKCS11_KEY_UNUSABLE: Self = Self("pkcs11_key_unusable");
    /// The token has no session left.
    pub const PKCS11_NO_SESSION: Self = Self("pkcs11_no_session");
    /// The token refused the PIN. This process does not try it again, since a few wrong ones lock
    /// the token.
    pub const PKCS11_PIN_WRONG: Self = Self("pkcs11_pin_wrong");
    /// The PIN is not tried, or cannot be used: it is locked, expired or not set, one more wrong
    /// one would lock it, or the security officer is logged in.
    pub const PKCS11_PIN_BLOCKED: Self = Self("pkcs11_pin_blocked");
    /// Another process does this work: it follows payments with this state file, or recovers this
    /// journal.
    pub const ALREADY_RUNNING: Self = Self("already_running");
    /// The state file of `follow` cannot be read or written, is another kind of file, or belongs to
    /// another service. Windows has none.
    pub const STATE_FILE: Self = Self("state_file");
    /// A callback or signal handler called the client that it serves; or a suspended call of the
    /// same thread (fiber, greenlet) is fetching the token.
    pub const REENTRANT_CALL: Self = Self("reentrant_call");
    /// The client was closed. Python and Node.
    pub const CLIENT_CLOSED: Self = Self("client_closed");
    /// The command of a package finds no driver for the database.
    pub const DRIVER_MISSING: Self = Self("driver_missing");
    /// PHP has no extension `ffi`, `ffi.enable` forbids FFI here, or `disable_functions` names a
    /// function that the package needs to find its library.
    pub const FFI_DISABLED: Self = Self("ffi_disabled");
    /// `libpayments.so.0` is in none of the places that the message lists, or the file cannot be
    /// loaded: it is a folder, not readable, hidden by `open_basedir`, inside a phar, not a shared
    /// library of this system, or built for another machine, or another one is already loaded.
    pub const LIBRARY_NOT_LOADED: Self = Self("library_not_loaded");
    /// The library is older than the package, or has a different ABI version than it needs.
    pub const LIBRARY_VERSION: Self = Self("library_version");
    /// A value has a different type than its member takes, such as a float for an amount, or has no
    /// JSON form, such as `Date` or bytes. Also a callback within the configuration.
    pub const WRONG_TYPE: Self = Self("wrong_type");
    /// The journal has no entry with this id or reference in the scope of this client.
    pub const ENTRY_UNKNOWN: Self = Self("entry_unknown");
    /// The entry is `done` or `failed`, so there is nothing to resolve: you can only change your
    /// own `no` to `yes`.
    pub const ENTRY_NOT_OPEN: Self = Self("entry_not_open");
    /// Several entries with this reference can be resolved.
    pub const ENTRY_AMBIGUOUS: Self = Self("entry_ambiguous");
    /// The entry cannot be resolved yet: its call may still be running, or the request may still be
    /// executed, so that `no` is refused until the entry's `settles_at`.
    pub const ENTRY_TOO_EARLY: Self = Self("entry_too_early");
    /// The request appears to carry a raw card number.
    pub const CARD_NUMBER: Self = Self("card_number");
    /// Members exclude each other, are given twice, or lack the one that they belong to. Also a
    /// known member in `extra`, and a `reference` of `send` that is not the one in the body.
    pub const CONFLICTING_MEMBERS: Self = Self("conflicting_members");
    /// With a journal, a refund names its payment by `merchant_payment_code`, or its cancellation
    /// lacks the `hash`. The journal knows payments by their hash.
    pub const HASH_NEEDED: Self = Self("hash_needed");
    /// The amount is not a plain decimal text above zero, such as `100.10`: without a sign, an
    /// exponent, a comma, white space or leading zeros, and of at most 64 characters.
    pub const AMOUNT_INVALID: Self = Self("amount_invalid");
    /// The amount has more digits than its currency has by ISO 4217.
    pub const AMOUNT_DIGITS: Self = Self("amount_digits");
    /// The amount is a text with three digits after its point, which may be thousands, such as
    /// `150.000`. The interface lists which texts have two readings.
    pub const AMOUNT_AMBIGUOUS: Self = Self("amount_ambiguous");
    /// The text is not JSON: empty, cut, malformed, with a byte order mark, or with a member twice
    /// in one object. Also a text in a request that is not valid Unicode.
    pub const JSON_INVALID: Self = Self("json_invalid");
    /// The value is nested more than 128 levels deep, has more values than the limit, or could not
    /// be read before the call ended.
    pub const JSON_TOO_LARGE: Self = Self("json_too_large");
    /// The signer reported a failure, which the message names, or panicked: an HSM, a KMS or your
    /// own code.
    pub const SIGNER_FAILED: Self = Self("signer_failed");
    /// The external signer returned a signature whose length is not that of the key, or one that
    /// does not verify with `public_key`. Also the trial signature when a client with an HSM is
    /// made.
    pub const SIGNATURE_INVALID: Self = Self("signature_invalid");
    /// The token server refused the client id or the secret: `invalid_client`, or a 401 without a
    /// reason.
    pub const CREDENTIALS_REFUSED: Self = Self("credentials_refused");
    /// The token server refused the request for a reason other than the credentials, or for none
    /// that is known. `service_code` has the reason, if RFC 6749 lists it.
    pub const TOKEN_REQUEST_REFUSED: Self = Self("token_request_refused");
    /// The token server responded with 429, too many requests for tokens, or with 403: the same, or
    /// a firewall in front of the token server.
    pub const TOKEN_REQUESTS_BLOCKED: Self = Self("token_requests_blocked");
    /// Requests for tokens failed, or the service refused a dozen tokens within an hour, so the
    /// next request waits. The message says which.
    pub const TOKEN_BACKOFF: Self = Self("token_backoff");
    /// The token server responded with an error, a redirect or not in time, has no token endpoint
    /// at this address, or cannot be reached.
    pub const TOKEN_SERVER_FAILED: Self = Self("token_server_failed");
    /// The response is not a token response, or its token is empty, cannot be put into a header, or
    /// is not a bearer token.
    pub const TOKEN_UNUSABLE: Self = Self("token_unusable");
    /// The host or the proxy has no address.
    pub const HOST_NOT_FOUND: Self = Self("host_not_found");
    /// The host or the proxy refused the connection or is unreachable, or it closed the connection
    /// or sent something before the request.
    pub const CONNECT_FAILED: Self = Self("connect_failed");
    /// The connection, with its TLS handshake, was not made within `connect_timeout_ms`.
    pub const CONNECT_TIMED_OUT: Self = Self("connect_timed_out");
    /// The proxy refused to connect to the service, could not reach it, or is no HTTP proxy.
    pub const PROXY_REFUSED: Self = Self("proxy_refused");
    /// The system gave no thread, no file descriptor, or no memory for one.
    pub const RESOURCES_EXHAUSTED: Self = Self("resources_exhausted");
    /// The certificate is not trusted.
    pub const CERTIFICATE_REFUSED: Self = Self("certificate_refused");
    /// The certificate has expired, or is not valid yet.
    pub const CERTIFICATE_EXPIRED: Self = Self("certificate_expired");
    /// The certificate is for another host name.
    pub const CERTIFICATE_OF_ANOTHER_HOST: Self = Self("certificate_of_another_host");
    /// The root certificates of the operating system cannot be used.
    pub const NO_ROOTS: Self = Self("no_roots");
    /// The handshake failed, or the connection broke during it.
    pub const TLS_FAILED: Self = Self("tls_failed");
    /// The connection broke while the request was sent or the response was awaited.
    pub const CONNECTION_BROKEN: Self = Self("connection_broken");
    /// The call did not end within `timeout_ms`.
    pub const DEADLINE_PASSED: Self = Self("deadline_passed");
    /// The response is not HTTP/1.1, its end is not certain, or its head or a chunk-size line is
    /// longer than allowed.
    pub const NOT_HTTP: Self = Self("not_http");
    /// The service responded with a redirect, which is never followed.
    pub const REDIRECT: Self = Self("redirect");
    /// The response is about a different payment or payout than the request, or confirms a
    /// different amount or currency than the journal has.
    pub const OTHER_REFERENCE: Self = Self("other_reference");
    /// A successful response exceeds `max_response_bytes` or `max_response_values`.
    pub const RESPONSE_TOO_LARGE: Self = Self("response_too_large");
    /// The response is empty, compressed or not JSON, is no object, or has a member twice or of the
    /// wrong type.
    pub const RESPONSE_UNREADABLE: Self = Self("response_unreadable");
    /// Nothing in the response says that the operation was executed, or the response to a payout
    /// has a `type` that is not known.
    pub const NO_SIGN_OF_SUCCESS: Self = Self("no_sign_of_success");
    /// The service responded with 401 and does not say why.
    pub const UNAUTHORIZED: Self = Self("unauthorized");
    /// The service responded with 429.
    pub const RATE_LIMITED: Self = Self("rate_limited");
    /// The service refused the request: kind `status` if by an HTTP status, `rejected` if by the
    /// body of a 2xx.
    pub const REFUSED: Self = Self("refused");
    /// The service refused the operation, and this one or an earlier one may have been executed all
    /// the same: its code is one of `doubtful_codes`, the body shows a sign of success, the body of
    /// a 401 broke off, or the reason of a 400 or 422 cannot be read. Also a 401 if
    /// `treat_401_as_not_executed` is off.
    pub const REFUSAL_DOUBTFUL: Self = Self("refusal_doubtful");
    /// The service failed, or says that the operation did, without a code: whether it was executed
    /// is not known.
    pub const FAILED: Self = Self("failed");
    /// The service knows no such payment, or, for `query_payout()`, no such payout.
    pub const PAYMENT_NOT_FOUND: Self = Self("payment_not_found");
    /// The service says that the reference was used before. An earlier attempt may have been
    /// executed.
    pub const DUPLICATE_REFERENCE: Self = Self("duplicate_reference");
    /// Your program cancelled the call: by a cancel handle, an aborted signal, a cancelled task or
    /// Ctrl-C, or because Python was shutting down. If it failed at that moment, the message has
    /// the failure.
    pub const CANCELLED: Self = Self("cancelled");
    /// The call was complete when it was cancelled, or when a token store or a signal handler of
    /// PHP threw.
    pub const INTERRUPTED_AFTER_RESPONSE: Self = Self("interrupted_after_response");
    /// A callback of the call forked the process. The parent continues the call and records its
    /// end; the child gets this error.
    pub const CALL_FORKED: Self = Self("call_forked");
    /// A bug was caught: of libpayments, of your own transport, or of code that spoiled a prepared
    /// request. Also a failed step of `payments demo`, and a system without random numbers.
    pub const INTERNAL_ERROR: Self = Self("internal_error");
    /// A call with this reference is in progress.
    pub const IN_PROGRESS: Self = Self("in_progress");
    /// An earlier call with this reference may have been executed.
    pub const UNRESOLVED: Self = Self("unresolved");
    /// The journal says that this reference was executed with the same body. That does not mean
    /// paid, and the service may have cancelled the payout, as the message then says.
    pub const ALREADY_DONE: Self = Self("already_done");
    /// This reference was executed with another body, as the journal says, or `ensure_payment()`
    /// found a payment with another amount or currency. Nothing was sent for this one, unless the
    /// message says so.
    pub const REFERENCE_USED: Self = Self("reference_used");
    /// There is no journal at the path, or it vanished.
    pub const MISSING: Self = Self("missing");
    /// The file is not the journal that the process opened.
    pub const REPLACED: Self = Self("replaced");
    /// The file is not in WAL mode, or its mark is that of another file, so it is a copy, such as
    /// one made by `VACUUM INTO`. A copy lacks all later entries. A reference that is done or open
    /// in it is refused with that code instead.
    pub const NOT_ADOPTED: Self = Self("not_adopted");
    /// Other calls or processes kept the journal locked until the call ended, or while a client was
    /// made.
    pub const LOCKED: Self = Self("locked");
    /// The process was forked while its parent used a journal: wrote to one, or made a client that
    /// has one.
    pub const FORKED: Self = Self("forked");
    /// The file of the journal is corrupt, is not an SQLite file or a database of another
    /// application, or its table lacks a column or a unique index.
    pub const DAMAGED: Self = Self("damaged");
    /// Another version of libpayments made the journal.
    pub const OTHER_FORMAT: Self = Self("other_format");
    /// The journal is where its promise does not hold: others can access the file or its folder, it
    /// is a link, it has a second name (a hard link, or a mount of the single file), or the file
    /// system can be shared with other hosts.
    pub const PLACE_UNSAFE: Self = Self("place_unsafe");
    /// An entry is no longer in the journal, so a decision or the end of its call was not recorded.
    /// Observers get it as `journal_failed`.
    pub const ENTRY_MISSING: Self = Self("entry_missing");
    /// A file to be written exists, and is never overwritten: a new journal, keys, or the files of
    /// `payments sandbox`.
    pub const EXISTS: Self = Self("exists");
    /// The journal could not be read or written: the disk is full or read-only, the database is
    /// down, or its table is missing or is another one.
    pub const UNAVAILABLE: Self = Self("unavailable");
    /// The command line cannot be understood: a subcommand, an argument or a request is missing,
    /// unknown or given twice, or a value has the wrong form.
    pub const INVALID_ARGUMENTS: Self = Self("invalid_arguments");
    /// The sandbox cannot start, often because the port is in use.
    pub const SANDBOX_NOT_STARTED: Self = Self("sandbox_not_started");
    /// A file of payouts, or of decisions for `journal resolve`, cannot be used. Nothing was sent
    /// or recorded. `problems` lists the lines at fault, unless the file as a whole is: it is
    /// empty, may be cut, or is not what `--expect-lines` or `--expect-total` says.
    pub const BATCH_INVALID: Self = Self("batch_invalid");
    /// Lines differ from what was sent under their references earlier. This run sent nothing.
    /// `problems` names what differs, as far as the journal has it.
    pub const BATCH_CHANGED: Self = Self("batch_changed");
    /// A confirmation is missing: of payouts, of the refund of a whole payment, of the adoption of
    /// a copied journal, or of a `prune` that deletes entries of the last 30 days. Nothing was
    /// done.
    pub const NOT_CONFIRMED: Self = Self("not_confirmed");
    /// Standard output, or the file of an option such as `--qr`, cannot be written. Nothing was
    /// sent.
    pub const OUTPUT_FAILED: Self = Self("output_failed");
    /// The call was made, and its response or QR code could not be written, or a batch was sent,
    /// and its report could not.
    pub const RESPONSE_LOST: Self = Self("response_lost");
    /// A file cannot be written, a folder cannot be made, or others have access to one that would
    /// hold a private key.
    pub const FILE_UNWRITABLE: Self = Self("file_unwritable");
    /// The token store cannot be read or changed, or its folder cannot be used: it is no folder,
    /// cannot be made, or others can access it.
    pub const TOKEN_STORE_FAILED: Self = Self("token_store_failed");
    /// A function got an argument that it does not take, such as `NULL` or text that is not UTF-8.
    pub const INVALID_ARGUMENT: Self = Self("invalid_argument");
}
