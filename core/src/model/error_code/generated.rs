// Generated from spec/errors by generate/templates/error_codes.rs.jinja; do not edit. To update: cargo xtask generate

//! Every error code that any language has.

use super::ErrorCode;

impl ErrorCode {
    /// The configuration file cannot be opened.
    pub const CONFIG_UNREADABLE: Self = Self("config_unreadable");
    /// The configuration is JSON, but not an object.
    pub const NOT_AN_OBJECT: Self = Self("not_an_object");
    /// No member has that name. Also kind `validation`, for requests; of those, `payment` is open,
    /// and refuses only likely misspellings.
    pub const MEMBER_UNKNOWN: Self = Self("member_unknown");
    /// An environment variable looks like one of libpayments, but names no member.
    pub const VARIABLE_UNKNOWN: Self = Self("variable_unknown");
    /// Two members that exclude each other are set, such as `key` and `key_file`.
    pub const GIVEN_TWICE: Self = Self("given_twice");
    /// A member still has the placeholder of an example.
    pub const PLACEHOLDER: Self = Self("placeholder");
    /// An environment variable is not UTF-8.
    pub const VALUE_NOT_TEXT: Self = Self("value_not_text");
    /// The value is not one of the choices.
    pub const VALUE_UNKNOWN: Self = Self("value_unknown");
    /// The value is empty, or a list has a blank text.
    pub const VALUE_EMPTY: Self = Self("value_empty");
    /// The value is outside what the member allows, such as a client id with a colon, or a secret
    /// with a line break or a byte order mark at an end.
    pub const VALUE_INVALID: Self = Self("value_invalid");
    /// A limit or timeout is zero.
    pub const ZERO: Self = Self("zero");
    /// A file named by the configuration is missing, unreadable, a directory or over 4 MiB. Also
    /// kind `usage` of the command.
    pub const FILE_UNREADABLE: Self = Self("file_unreadable");
    /// A file that holds a secret is not UTF-8 text.
    pub const FILE_NOT_TEXT: Self = Self("file_not_text");
    /// A member needs what this build lacks: a Redis server in `token_store`, an HSM (`pkcs11_…`),
    /// or a file in `journal`. All packages have all of them, but Windows has no journals in files.
    /// In Rust, they are features.
    pub const NOT_IN_THIS_BUILD: Self = Self("not_in_this_build");
    /// There is no operation of that name, or it does not belong in this member. Also kind
    /// `validation`, for calls by name.
    pub const OPERATION_UNKNOWN: Self = Self("operation_unknown");
    /// `base_url` or `auth_url` is not a URL.
    pub const URL_INVALID: Self = Self("url_invalid");
    /// The URL has no scheme or no host.
    pub const URL_INCOMPLETE: Self = Self("url_incomplete");
    /// The scheme is neither `https` nor `http`.
    pub const URL_SCHEME: Self = Self("url_scheme");
    /// `http://` to another host.
    pub const URL_INSECURE: Self = Self("url_insecure");
    /// The URL holds a user name or a password.
    pub const URL_USER: Self = Self("url_user");
    /// The port is not a number from 1 to 65535.
    pub const URL_PORT: Self = Self("url_port");
    /// The URL has a query or a fragment.
    pub const URL_QUERY: Self = Self("url_query");
    /// The URL ends in a path that the client adds itself.
    pub const URL_ENDPOINT: Self = Self("url_endpoint");
    /// `proxy`, or the variable that it takes the proxy from, is not an HTTP proxy.
    pub const PROXY_INVALID: Self = Self("proxy_invalid");
    /// `ca_file` holds no usable certificate.
    pub const CA_FILE_UNUSABLE: Self = Self("ca_file_unusable");
    /// A member is missing. In a configuration, it belongs to another one that is set: `kid` to a
    /// key, `client_secret` to `client_id`. Also kind `validation`: the request lacks a member that
    /// the operation or the country needs.
    pub const REQUIRED: Self = Self("required");
    /// The configuration has no credential at all: no key with `kid`, no client credentials and no
    /// integration key. With a journal, the client is made, and its calls fail.
    pub const NO_CREDENTIAL: Self = Self("no_credential");
    /// `auth` asks for a credential that the configuration does not have.
    pub const CREDENTIAL_MISSING: Self = Self("credential_missing");
    /// `auth` names an unknown credential.
    pub const CREDENTIAL_UNKNOWN: Self = Self("credential_unknown");
    /// `kid` is empty.
    pub const KID_EMPTY: Self = Self("kid_empty");
    /// `kid` has more than 256 bytes; it may be the key itself.
    pub const KID_TOO_LONG: Self = Self("kid_too_long");
    /// `kid` holds a control character, often a line break that was copied with it, or a byte order
    /// mark.
    pub const KID_CONTROL_CHARACTER: Self = Self("kid_control_character");
    /// More than one of a private key, an HSM and an external signer is set.
    pub const TWO_SIGNERS: Self = Self("two_signers");
    /// `public_key` is set without an external signer or an HSM.
    pub const WITHOUT_SIGNER: Self = Self("without_signer");
    /// The key is empty.
    pub const KEY_EMPTY: Self = Self("key_empty");
    /// This is not recognized as a private key, or is one in a form that is not read. The message
    /// names the form if it is known.
    pub const KEY_NOT_RECOGNIZED: Self = Self("key_not_recognized");
    /// A part of the key is missing, or the END line that matches its BEGIN line.
    pub const KEY_TRUNCATED: Self = Self("key_truncated");
    /// Other bytes follow the key.
    pub const KEY_TRAILING_BYTES: Self = Self("key_trailing_bytes");
    /// The numbers of the key were checked, and do not fit together.
    pub const KEY_DAMAGED: Self = Self("key_damaged");
    /// Line breaks are written as backslash and `n`, often by an environment variable.
    pub const KEY_LINE_ENDS: Self = Self("key_line_ends");
    /// The PEM holds characters that are not base64, or lost its plus signs.
    pub const KEY_NOT_BASE64: Self = Self("key_not_base64");
    /// The file is UTF-16.
    pub const KEY_IS_UTF16: Self = Self("key_is_utf16");
    /// The key is JSON, perhaps a JWK.
    pub const KEY_IS_JSON: Self = Self("key_is_json");
    /// `key` holds a path instead of the text of a key.
    pub const KEY_IS_PATH: Self = Self("key_is_path");
    /// This is a public key, which cannot sign.
    pub const KEY_IS_PUBLIC: Self = Self("key_is_public");
    /// This is a certificate.
    pub const KEY_IS_CERTIFICATE: Self = Self("key_is_certificate");
    /// This is a certificate request.
    pub const KEY_IS_CERTIFICATE_REQUEST: Self = Self("key_is_certificate_request");
    /// This is a PKCS#12 file (`.p12`, `.pfx`).
    pub const KEY_IS_PKCS12: Self = Self("key_is_pkcs12");
    /// The key is in OpenSSH's own format.
    pub const KEY_IS_OPENSSH: Self = Self("key_is_openssh");
    /// The key is in PuTTY's own format (`.ppk`).
    pub const KEY_IS_PUTTY: Self = Self("key_is_putty");
    /// This is an elliptic-curve key, and RS256 needs RSA.
    pub const KEY_IS_EC: Self = Self("key_is_ec");
    /// This is an Ed25519 key, and RS256 needs RSA.
    pub const KEY_IS_ED25519: Self = Self("key_is_ed25519");
    /// The RSA key is bound to PSS, and RS256 uses PKCS#1 v1.5.
    pub const KEY_IS_PSS: Self = Self("key_is_pss");
    /// The key is for another algorithm, or an RSA key that cannot be used: of three primes,
    /// without its primes, or with a public exponent of more than 33 bits.
    pub const KEY_IS_NOT_RSA: Self = Self("key_is_not_rsa");
    /// The key has fewer than 2048 bits, which is not safe.
    pub const KEY_TOO_SMALL: Self = Self("key_too_small");
    /// The key has fewer than the 4096 bits that the service asks for.
    pub const KEY_SMALL: Self = Self("key_small");
    /// The key has more than 4096 bits.
    pub const KEY_TOO_LARGE: Self = Self("key_too_large");
    /// The key is encrypted in the old PEM way (`Proc-Type: 4,ENCRYPTED`).
    pub const KEY_LEGACY_ENCRYPTED: Self = Self("key_legacy_encrypted");
    /// The key is encrypted with something other than PBES2 with AES-CBC, or with more than
    /// 10,000,000 rounds of PBKDF2 or 256 MiB for scrypt.
    pub const KEY_ENCRYPTION_UNSUPPORTED: Self = Self("key_encryption_unsupported");
    /// The key is encrypted, and there is no passphrase.
    pub const KEY_PASSPHRASE_MISSING: Self = Self("key_passphrase_missing");
    /// The passphrase does not decrypt the key.
    pub const KEY_PASSPHRASE_WRONG: Self = Self("key_passphrase_wrong");
    /// The file of the private key does not exist. Also kind `usage`: `payments sandbox
    /// --public-key` lacks `--key-file`.
    pub const KEY_FILE_MISSING: Self = Self("key_file_missing");
    /// The file exists and cannot be read.
    pub const KEY_FILE_UNREADABLE: Self = Self("key_file_unreadable");
    /// `key_file` is a directory.
    pub const KEY_FILE_IS_DIRECTORY: Self = Self("key_file_is_directory");
    /// The file is larger than any private key.
    pub const KEY_FILE_TOO_LARGE: Self = Self("key_file_too_large");
    /// `key_file` holds the text of a key instead of a path.
    pub const KEY_FILE_IS_KEY: Self = Self("key_file_is_key");
    /// The public key is empty.
    pub const PUBLIC_KEY_EMPTY: Self = Self("public_key_empty");
    /// This is not recognized as a public key, or is one in a form that is not read. The message
    /// names the form if it is known.
    pub const PUBLIC_KEY_NOT_RECOGNIZED: Self = Self("public_key_not_recognized");
    /// A part of the key is missing, or the END line that matches its BEGIN line.
    pub const PUBLIC_KEY_TRUNCATED: Self = Self("public_key_truncated");
    /// Other bytes follow the key.
    pub const PUBLIC_KEY_TRAILING_BYTES: Self = Self("public_key_trailing_bytes");
    /// The numbers of the key are impossible.
    pub const PUBLIC_KEY_DAMAGED: Self = Self("public_key_damaged");
    /// Line breaks are written as backslash and `n`.
    pub const PUBLIC_KEY_LINE_ENDS: Self = Self("public_key_line_ends");
    /// The key has fewer than 2048 or more than 4096 bits.
    pub const PUBLIC_KEY_SIZE: Self = Self("public_key_size");
    /// This is a private key.
    pub const PUBLIC_KEY_IS_PRIVATE: Self = Self("public_key_is_private");
    /// This is a certificate.
    pub const PUBLIC_KEY_IS_CERTIFICATE: Self = Self("public_key_is_certificate");
    /// This is a certificate request.
    pub const PUBLIC_KEY_IS_CERTIFICATE_REQUEST: Self = Self("public_key_is_certificate_request");
    /// The key is in OpenSSH's own format (`ssh-rsa …`).
    pub const PUBLIC_KEY_IS_OPENSSH: Self = Self("public_key_is_openssh");
    /// This is an elliptic-curve key, and RS256 needs RSA.
    pub const PUBLIC_KEY_IS_EC: Self = Self("public_key_is_ec");
    /// This is an Ed25519 key, and RS256 needs RSA.
    pub const PUBLIC_KEY_IS_ED25519: Self = Self("public_key_is_ed25519");
    /// The RSA key is bound to PSS.
    pub const PUBLIC_KEY_IS_PSS: Self = Self("public_key_is_pss");
    /// The key is for another algorithm.
    pub const PUBLIC_KEY_IS_NOT_RSA: Self = Self("public_key_is_not_rsa");
    /// `pkcs11_module` names no file.
    pub const PKCS11_MODULE_MISSING: Self = Self("pkcs11_module_missing");
    /// The shared library is not a PKCS#11 module.
    pub const PKCS11_MODULE_FOREIGN: Self = Self("pkcs11_module_foreign");
    /// The module cannot be loaded: another architecture, or a library that it needs is missing.
    pub const PKCS11_MODULE_UNLOADABLE: Self = Self("pkcs11_module_unloadable");
    /// The module refuses to initialize.
    pub const PKCS11_MODULE_FAILED: Self = Self("pkcs11_module_failed");
    /// A call into the module failed with the code in the message.
    pub const PKCS11_FAILED: Self = Self("pkcs11_failed");
    /// The token signs with neither `CKM_SHA256_RSA_PKCS` nor `CKM_RSA_PKCS`.
    pub const PKCS11_MECHANISM_MISSING: Self = Self("pkcs11_mechanism_missing");
    /// The token has no session left.
    pub const PKCS11_NO_SESSION: Self = Self("pkcs11_no_session");
    /// No token has the label of `pkcs11_token`.
    pub const PKCS11_TOKEN_UNKNOWN: Self = Self("pkcs11_token_unknown");
    /// No token is in the slot of `pkcs11_slot`.
    pub const PKCS11_SLOT_UNKNOWN: Self = Self("pkcs11_slot_unknown");
    /// The token in the slot was never initialized.
    pub const PKCS11_TOKEN_UNINITIALIZED: Self = Self("pkcs11_token_uninitialized");
    /// Several tokens have the label.
    pub const PKCS11_TOKEN_AMBIGUOUS: Self = Self("pkcs11_token_ambiguous");
    /// The token asks for a PIN.
    pub const PKCS11_PIN_MISSING: Self = Self("pkcs11_pin_missing");
    /// The token refused the PIN. This process does not try it again, since a few wrong ones lock
    /// the token.
    pub const PKCS11_PIN_WRONG: Self = Self("pkcs11_pin_wrong");
    /// One more wrong PIN locks the token, so none is tried.
    pub const PKCS11_PIN_LAST_TRY: Self = Self("pkcs11_pin_last_try");
    /// The PIN is locked.
    pub const PKCS11_PIN_LOCKED: Self = Self("pkcs11_pin_locked");
    /// The PIN has expired.
    pub const PKCS11_PIN_EXPIRED: Self = Self("pkcs11_pin_expired");
    /// The token has no PIN for its user yet.
    pub const PKCS11_PIN_UNSET: Self = Self("pkcs11_pin_unset");
    /// The process is logged in as security officer, who cannot sign.
    pub const PKCS11_OTHER_USER: Self = Self("pkcs11_other_user");
    /// No private key of the token has that label and id.
    pub const PKCS11_KEY_UNKNOWN: Self = Self("pkcs11_key_unknown");
    /// Several private keys match.
    pub const PKCS11_KEY_AMBIGUOUS: Self = Self("pkcs11_key_ambiguous");
    /// The object is a public key, a certificate or a secret key.
    pub const PKCS11_KEY_NOT_PRIVATE: Self = Self("pkcs11_key_not_private");
    /// The key is not RSA.
    pub const PKCS11_KEY_NOT_RSA: Self = Self("pkcs11_key_not_rsa");
    /// The key cannot sign requests: `CKA_SIGN` is false, `CKA_ALLOWED_MECHANISMS` leaves out what
    /// RS256 needs, or the token refused to sign with it when it was tried, or signed wrongly.
    pub const PKCS11_KEY_CANNOT_SIGN: Self = Self("pkcs11_key_cannot_sign");
    /// The key asks for the PIN at every signature (`CKA_ALWAYS_AUTHENTICATE`).
    pub const PKCS11_KEY_ASKS_EACH_TIME: Self = Self("pkcs11_key_asks_each_time");
    /// The URL of the Redis server is wrong.
    pub const TOKEN_STORE_INVALID: Self = Self("token_store_invalid");
    /// `redis://` to another host would send tokens unencrypted.
    pub const TOKEN_STORE_INSECURE: Self = Self("token_store_insecure");
    /// The folder cannot be made, belongs to someone else, or others can access it.
    pub const TOKEN_STORE_UNUSABLE: Self = Self("token_store_unusable");
    /// `token_store_key` is not 32 bytes in base64.
    pub const TOKEN_STORE_KEY_INVALID: Self = Self("token_store_key_invalid");
    /// `token_store_key` is set, and tokens are in memory.
    pub const WITHOUT_STORE: Self = Self("without_store");
    /// Another process follows payments with this state file.
    pub const FOLLOWING: Self = Self("following");
    /// The state file of `follow` cannot be read or written, or belongs to another service.
    pub const STATE_FILE: Self = Self("state_file");
    /// A signer, token store, observer, transport or signal handler called the client that it
    /// serves.
    pub const REENTRANT_CALL: Self = Self("reentrant_call");
    /// The client was closed. Python and Node.
    pub const CLIENT_CLOSED: Self = Self("client_closed");
    /// A function or object stands in the configuration. Node and PHP.
    pub const CALLBACK_MISPLACED: Self = Self("callback_misplaced");
    /// The command of a package finds no driver of the database.
    pub const DRIVER_MISSING: Self = Self("driver_missing");
    /// `disable_functions` in the configuration of PHP names a function that the package needs to
    /// find its library.
    pub const FUNCTION_DISABLED: Self = Self("function_disabled");
    /// PHP has no extension `ffi`.
    pub const FFI_MISSING: Self = Self("ffi_missing");
    /// `ffi.enable` forbids FFI here.
    pub const FFI_DISABLED: Self = Self("ffi_disabled");
    /// `libpayments.so.0` is in none of the places that the message lists.
    pub const LIBRARY_NOT_FOUND: Self = Self("library_not_found");
    /// The named file is a folder or cannot be read.
    pub const LIBRARY_UNREADABLE: Self = Self("library_unreadable");
    /// The file is not a shared library of this system.
    pub const LIBRARY_NOT_SHARED: Self = Self("library_not_shared");
    /// The library is built for another machine.
    pub const LIBRARY_ARCHITECTURE: Self = Self("library_architecture");
    /// The file cannot be loaded as libpayments, or another one is loaded already.
    pub const LIBRARY_NOT_LOADED: Self = Self("library_not_loaded");
    /// The library is older than the package.
    pub const LIBRARY_TOO_OLD: Self = Self("library_too_old");
    /// The library has another ABI version than the package needs.
    pub const LIBRARY_ABI: Self = Self("library_abi");
    /// A value has the wrong type, such as a float for an amount, or has no JSON form, such as a
    /// `Map`, a `Date`, bytes or a function of Node. Also kind `config`, for a member of the
    /// configuration and for callbacks.
    pub const WRONG_TYPE: Self = Self("wrong_type");
    /// The journal has no entry with this id or reference in the scope of this client.
    pub const ENTRY_UNKNOWN: Self = Self("entry_unknown");
    /// The entry is `done` or `failed`, so there is nothing to resolve: you can only change your
    /// own `no` to `yes`.
    pub const ENTRY_NOT_OPEN: Self = Self("entry_not_open");
    /// Several entries with this reference can be resolved.
    pub const ENTRY_AMBIGUOUS: Self = Self("entry_ambiguous");
    /// The call may still be running: its deadline passed less than a minute ago, or not yet.
    pub const ENTRY_IN_PROGRESS: Self = Self("entry_in_progress");
    /// The request may still be executed, so `no` is refused until the entry's `settles_at`.
    pub const ENTRY_UNSETTLED: Self = Self("entry_unsettled");
    /// `prune` was asked to delete entries of the last 30 days, counted back from the clock or the
    /// newest entry, whichever is earlier.
    pub const RECENT: Self = Self("recent");
    /// The request appears to carry a raw card number.
    pub const CARD_NUMBER: Self = Self("card_number");
    /// A member, an element or the name of a query parameter is blank.
    pub const BLANK: Self = Self("blank");
    /// A list has no element.
    pub const EMPTY_LIST: Self = Self("empty_list");
    /// Several members that exclude each other are given.
    pub const MORE_THAN_ONE: Self = Self("more_than_one");
    /// With a journal, a refund names its payment by `merchant_payment_code`. The journal knows
    /// payments by their hash: two names of one payment could be two refunds.
    pub const HASH_NEEDED: Self = Self("hash_needed");
    /// A member is given twice in one object.
    pub const DUPLICATE_MEMBER: Self = Self("duplicate_member");
    /// A member of `payment` stands beside it.
    pub const MEMBER_MISPLACED: Self = Self("member_misplaced");
    /// `extra` holds a member that is known, or that is given outside of it as well. Of a `send`
    /// with a journal: `reference` is not the one in the body of a payment, payout or refund.
    pub const MEMBER_COLLIDES: Self = Self("member_collides");
    /// The country is not two letters of the right case.
    pub const COUNTRY_CODE: Self = Self("country_code");
    /// The currency is not three letters.
    pub const CURRENCY_CODE: Self = Self("currency_code");
    /// `decimal()` got a text that is not a number. Node and PHP.
    pub const NUMBER_INVALID: Self = Self("number_invalid");
    /// It is empty.
    pub const AMOUNT_EMPTY: Self = Self("amount_empty");
    /// It is zero.
    pub const AMOUNT_ZERO: Self = Self("amount_zero");
    /// It is negative.
    pub const AMOUNT_NEGATIVE: Self = Self("amount_negative");
    /// It begins with a plus sign.
    pub const AMOUNT_PLUS_SIGN: Self = Self("amount_plus_sign");
    /// It has an exponent.
    pub const AMOUNT_EXPONENT: Self = Self("amount_exponent");
    /// It holds a comma.
    pub const AMOUNT_COMMA: Self = Self("amount_comma");
    /// It holds white space.
    pub const AMOUNT_WHITE_SPACE: Self = Self("amount_white_space");
    /// It has a leading zero, such as `007`.
    pub const AMOUNT_LEADING_ZERO: Self = Self("amount_leading_zero");
    /// A digit is missing before or after the point.
    pub const AMOUNT_MISSING_DIGIT: Self = Self("amount_missing_digit");
    /// It is not a decimal, such as `NaN`.
    pub const AMOUNT_NOT_DECIMAL: Self = Self("amount_not_decimal");
    /// It has digits that its currency does not have by ISO 4217.
    pub const AMOUNT_DIGITS: Self = Self("amount_digits");
    /// It is a text with three digits after its point, which may be thousands: `150.000`. Its
    /// currency has fewer decimals by ISO 4217, or is not known, as for a refund. In a currency
    /// that ISO 4217 does not list, a text such as `0.123` or `1234.567` is none.
    pub const AMOUNT_AMBIGUOUS: Self = Self("amount_ambiguous");
    /// It has more than 64 characters.
    pub const AMOUNT_TOO_LONG: Self = Self("amount_too_long");
    /// There is no text.
    pub const JSON_EMPTY: Self = Self("json_empty");
    /// The text ends too early.
    pub const JSON_INCOMPLETE: Self = Self("json_incomplete");
    /// The text is not JSON.
    pub const JSON_SYNTAX: Self = Self("json_syntax");
    /// The text begins with a byte order mark.
    pub const JSON_BYTE_ORDER_MARK: Self = Self("json_byte_order_mark");
    /// A text is not valid Unicode, such as half of a surrogate pair.
    pub const JSON_UNICODE: Self = Self("json_unicode");
    /// An object has a member twice.
    pub const JSON_DUPLICATE_MEMBER: Self = Self("json_duplicate_member");
    /// The value is nested more than 128 levels deep.
    pub const JSON_TOO_DEEP: Self = Self("json_too_deep");
    /// The text has more values than the limit.
    pub const JSON_TOO_MANY_VALUES: Self = Self("json_too_many_values");
    /// The call ended while the text was read.
    pub const JSON_STOPPED: Self = Self("json_stopped");
    /// `traceparent`, an option of a call, is not one of W3C Trace Context.
    pub const TRACEPARENT: Self = Self("traceparent");
    /// The method is not made of letters, or is `CONNECT` or `TRACE`.
    pub const METHOD: Self = Self("method");
    /// A `HEAD` request has a body.
    pub const BODY: Self = Self("body");
    /// The content type is empty or not printable ASCII.
    pub const CONTENT_TYPE: Self = Self("content_type");
    /// The path does not begin with `/`.
    pub const PATH_START: Self = Self("path_start");
    /// The path holds `?` or `#`. Also kind `usage` of the command.
    pub const PATH_QUERY: Self = Self("path_query");
    /// The path holds a character that must be encoded.
    pub const PATH_CHARACTER: Self = Self("path_character");
    /// The path holds `//`, `.`, `..` or an encoded slash.
    pub const PATH_SEGMENT: Self = Self("path_segment");
    /// The text is not a JSON Pointer.
    pub const POINTER_MALFORMED: Self = Self("pointer_malformed");
    /// It leads more than 128 levels deep.
    pub const POINTER_TOO_DEEP: Self = Self("pointer_too_deep");
    /// It leads through a value that is neither object nor array.
    pub const POINTER_NOT_A_CONTAINER: Self = Self("pointer_not_a_container");
    /// It names an element that the array does not have.
    pub const POINTER_NO_SUCH_ELEMENT: Self = Self("pointer_no_such_element");
    /// The signer reported a failure, which the message names: an HSM, a KMS or your own code.
    pub const SIGNER_FAILED: Self = Self("signer_failed");
    /// The external signer panicked.
    pub const SIGNER_PANICKED: Self = Self("signer_panicked");
    /// The signature does not verify with `public_key`. Also kind `config`: that of the trial, when
    /// a client with an HSM is made.
    pub const SIGNATURE_INVALID: Self = Self("signature_invalid");
    /// The external signer returned a signature that no key has which the service accepts: 512
    /// bytes are required, with `allow_small_keys` 256 to 512.
    pub const SIGNATURE_LENGTH: Self = Self("signature_length");
    /// The token server refused the client id or the secret: `invalid_client`, or a 401 without a
    /// reason.
    pub const CREDENTIALS_REFUSED: Self = Self("credentials_refused");
    /// The token server refused the request for another reason than the credentials. `service_code`
    /// has it, if it is one that RFC 6749 lists.
    pub const TOKEN_REQUEST_REFUSED: Self = Self("token_request_refused");
    /// The token server responded with 429, too many requests for tokens, or with 403: the same, or
    /// a firewall in front of the token server.
    pub const TOKEN_REQUESTS_BLOCKED: Self = Self("token_requests_blocked");
    /// The last request for a token failed, and the next one waits for a while. The message has the
    /// first cause.
    pub const TOKEN_BACKOFF: Self = Self("token_backoff");
    /// The token server responded with an error, or has no token endpoint at this address.
    pub const TOKEN_SERVER_FAILED: Self = Self("token_server_failed");
    /// No connection to the token server, or it broke.
    pub const TOKEN_SERVER_UNREACHABLE: Self = Self("token_server_unreachable");
    /// The token server did not respond in time.
    pub const TOKEN_SERVER_SILENT: Self = Self("token_server_silent");
    /// The response is not a token response.
    pub const TOKEN_RESPONSE_UNUSABLE: Self = Self("token_response_unusable");
    /// The token is empty, cannot be put into a header, or is not a bearer token.
    pub const TOKEN_UNUSABLE: Self = Self("token_unusable");
    /// A suspended call of the same thread (fiber, greenlet) is fetching the token.
    pub const TOKEN_FETCH_SUSPENDED: Self = Self("token_fetch_suspended");
    /// The name has no address.
    pub const HOST_NOT_FOUND: Self = Self("host_not_found");
    /// The name lookup could not run: the system gave no thread.
    pub const LOOKUP_FAILED: Self = Self("lookup_failed");
    /// The host refused the connection or is unreachable. With several addresses, the message has
    /// their number, and the reasons of the first and the last.
    pub const CONNECT_FAILED: Self = Self("connect_failed");
    /// The connection was not made within `connect_timeout_ms`.
    pub const CONNECT_TIMED_OUT: Self = Self("connect_timed_out");
    /// The proxy refused to connect to the service.
    pub const PROXY_REFUSED: Self = Self("proxy_refused");
    /// The process or the host has no file descriptor left.
    pub const NO_DESCRIPTORS: Self = Self("no_descriptors");
    /// The other side closed the connection or sent something before the request.
    pub const SPOKE_FIRST: Self = Self("spoke_first");
    /// The certificate is not trusted. The message says why.
    pub const CERTIFICATE_REFUSED: Self = Self("certificate_refused");
    /// The certificate has expired, or is not valid yet.
    pub const CERTIFICATE_EXPIRED: Self = Self("certificate_expired");
    /// The certificate is for another host name.
    pub const CERTIFICATE_OF_ANOTHER_HOST: Self = Self("certificate_of_another_host");
    /// The root certificates of the operating system cannot be used.
    pub const NO_ROOTS: Self = Self("no_roots");
    /// The connection broke during the handshake.
    pub const HANDSHAKE_BROKEN: Self = Self("handshake_broken");
    /// The handshake failed otherwise. The message has the reason, and the alert that the server
    /// sent.
    pub const TLS_FAILED: Self = Self("tls_failed");
    /// The connection broke while the request was sent or the response was awaited.
    pub const CONNECTION_BROKEN: Self = Self("connection_broken");
    /// The call did not end within `timeout_ms`.
    pub const DEADLINE_PASSED: Self = Self("deadline_passed");
    /// The response is not HTTP/1.1, or its head or a chunk-size line is longer than allowed.
    pub const NOT_HTTP: Self = Self("not_http");
    /// The service responded with a redirect, which is never followed.
    pub const REDIRECT: Self = Self("redirect");
    /// The response is about another payment or payout than the request, or confirms another amount
    /// or currency than the journal has.
    pub const OTHER_REFERENCE: Self = Self("other_reference");
    /// A transport got a request without a valid method or URL.
    pub const INVALID_REQUEST: Self = Self("invalid_request");
    /// A successful response exceeds `max_response_bytes` or `max_response_values`.
    pub const RESPONSE_TOO_LARGE: Self = Self("response_too_large");
    /// The response is empty, is not JSON, is no object, or one of its members has the wrong type.
    pub const RESPONSE_UNREADABLE: Self = Self("response_unreadable");
    /// Nothing in the response says that the operation was executed.
    pub const NO_SIGN_OF_SUCCESS: Self = Self("no_sign_of_success");
    /// The response to a payout has a `type` that is not known.
    pub const UNKNOWN_TYPE: Self = Self("unknown_type");
    /// The service responded with 401 and does not say why. Nothing was executed.
    pub const UNAUTHORIZED: Self = Self("unauthorized");
    /// The service responded with 429. Nothing was executed.
    pub const RATE_LIMITED: Self = Self("rate_limited");
    /// The service refused the request, and nothing was executed. Kind `status` if it did so by an
    /// HTTP status, kind `rejected` if by the body of a 2xx.
    pub const REFUSED: Self = Self("refused");
    /// The service refused the operation, and money may have moved all the same: the response has
    /// one of the `doubtful_codes` (kind `rejected`); or, for a refusal by status (kind `status`,
    /// `unauthorized` or `rate_limited`), the body shows a sign of success, the body of a 401 broke
    /// off, or `treat_401_as_not_executed` is off. The outcome is `unknown`, and the operation was
    /// not sent again.
    pub const REFUSAL_DOUBTFUL: Self = Self("refusal_doubtful");
    /// The service refused an operation that moves money with 400 or 422, and its reason cannot be
    /// read. The reason may be that the reference was used before, so the outcome is `unknown`.
    pub const REFUSAL_UNREADABLE: Self = Self("refusal_unreadable");
    /// The service responded with a status that does not say what was done, such as 500 or 503. The
    /// outcome is `unknown`.
    pub const FAILED: Self = Self("failed");
    /// The service knows no such payment.
    pub const PAYMENT_NOT_FOUND: Self = Self("payment_not_found");
    /// The service says that the reference was used before. An earlier attempt may have been
    /// executed, so the outcome is `unknown`.
    pub const DUPLICATE_REFERENCE: Self = Self("duplicate_reference");
    /// The response says that the operation failed, and gives no code.
    pub const REFUSED_WITHOUT_CODE: Self = Self("refused_without_code");
    /// The service failed while it worked on the operation.
    pub const SERVICE_FAILED: Self = Self("service_failed");
    /// Your program cancelled the call: a cancel handle, an aborted signal, a cancelled task,
    /// Ctrl-C.
    pub const CANCELLED: Self = Self("cancelled");
    /// The call was cancelled when its response was complete.
    pub const INTERRUPTED_AFTER_RESPONSE: Self = Self("interrupted_after_response");
    /// A callback of the call forked: a signer, a token store, a journal, an observer, a transport,
    /// an interrupt hook or signal handler.
    pub const CALL_FORKED: Self = Self("call_forked");
    /// A token store threw after the service had responded. PHP.
    pub const CALLBACK_THREW: Self = Self("callback_threw");
    /// A signal handler threw after the service had responded. PHP.
    pub const HANDLER_THREW: Self = Self("handler_threw");
    /// A call of asyncio was started while Python was shutting down. Nothing was sent.
    pub const PYTHON_ENDS: Self = Self("python_ends");
    /// A bug in libpayments was caught.
    pub const PANIC: Self = Self("panic");
    /// The transport panicked.
    pub const TRANSPORT_PANICKED: Self = Self("transport_panicked");
    /// The system gave no random numbers.
    pub const KEY_GENERATION_FAILED: Self = Self("key_generation_failed");
    /// The system gave no thread for the call. Python and Node. Nothing was sent.
    pub const NO_THREAD: Self = Self("no_thread");
    /// The end of an asyncio call is missing or was taken. Python.
    pub const NO_END: Self = Self("no_end");
    /// The library failed and gave no error. PHP. The outcome is `unknown`.
    pub const NO_ERROR: Self = Self("no_error");
    /// A call with this reference is in progress, so the outcome of the reference is `unknown`.
    pub const IN_PROGRESS: Self = Self("in_progress");
    /// An earlier call with this reference may have been executed, so the outcome is `unknown`.
    pub const UNRESOLVED: Self = Self("unresolved");
    /// The journal says that this reference was executed with the same body, so the outcome is
    /// `executed`. That does not mean paid.
    pub const ALREADY_DONE: Self = Self("already_done");
    /// The journal says that this reference was executed with another body, so the outcome of this
    /// one is `unknown`.
    pub const REFERENCE_USED: Self = Self("reference_used");
    /// There is no journal at the path, or it vanished. Also kind `config`.
    pub const MISSING: Self = Self("missing");
    /// The file is not the journal that the process opened.
    pub const REPLACED: Self = Self("replaced");
    /// The file is not in WAL mode, as a copy by `VACUUM INTO` is not. A copy does not know what
    /// came after it. A reference that it has as done or open is refused with that code instead.
    pub const NOT_ADOPTED: Self = Self("not_adopted");
    /// Other calls or processes kept the journal locked until the call ended, or while a client was
    /// made. Also kind `config`.
    pub const LOCKED: Self = Self("locked");
    /// The process was forked while its parent used a journal: wrote to one, or made a client that
    /// has one. Also kind `config`.
    pub const FORKED: Self = Self("forked");
    /// The file of the journal is corrupt, or its table lacks a column or a unique index. Also kind
    /// `config`.
    pub const DAMAGED: Self = Self("damaged");
    /// The file is not an SQLite file, or a database of another application. Also kind `config`.
    pub const NOT_A_JOURNAL: Self = Self("not_a_journal");
    /// Another version of libpayments made the journal. The message names both formats. Kind
    /// `config`.
    pub const OTHER_FORMAT: Self = Self("other_format");
    /// The file has a second name: a hard link, or a mount of the single file. Also kind `config`.
    pub const SECOND_NAME: Self = Self("second_name");
    /// Another process is recovering this journal; the message names it.
    pub const RECOVERY_RUNNING: Self = Self("recovery_running");
    /// An entry is no longer in the journal. Observers get it as `journal_failed`.
    pub const ENTRY_MISSING: Self = Self("entry_missing");
    /// Others can access the file or its folder, or it is a link. Also kind `config`.
    pub const NOT_PRIVATE: Self = Self("not_private");
    /// The folder is on a file system that other hosts can share. Also kind `config`.
    pub const NETWORK_FILE_SYSTEM: Self = Self("network_file_system");
    /// A new journal would overwrite a file.
    pub const EXISTS: Self = Self("exists");
    /// The journal could not be read or written: the disk is full, read-only, or the database is
    /// down. Also kind `config`.
    pub const UNAVAILABLE: Self = Self("unavailable");
    /// No subcommand is given.
    pub const MISSING_SUBCOMMAND: Self = Self("missing_subcommand");
    /// The subcommand does not exist.
    pub const INVALID_SUBCOMMAND: Self = Self("invalid_subcommand");
    /// The option does not exist.
    pub const UNKNOWN_ARGUMENT: Self = Self("unknown_argument");
    /// A required argument is missing.
    pub const MISSING_REQUIRED_ARGUMENT: Self = Self("missing_required_argument");
    /// Two arguments exclude each other, or one is given twice.
    pub const ARGUMENT_CONFLICT: Self = Self("argument_conflict");
    /// The value is missing or not one of the choices.
    pub const INVALID_VALUE: Self = Self("invalid_value");
    /// The value has the wrong form.
    pub const VALUE_VALIDATION: Self = Self("value_validation");
    /// An option that takes no value has one.
    pub const TOO_MANY_VALUES: Self = Self("too_many_values");
    /// An argument is not UTF-8.
    pub const INVALID_UTF8: Self = Self("invalid_utf8");
    /// There is no request.
    pub const REQUEST_MISSING: Self = Self("request_missing");
    /// The first member is given as an argument and as an option.
    pub const MEMBER_GIVEN_TWICE: Self = Self("member_given_twice");
    /// `--extra`, or one like `--payee-extra`, is not a JSON object.
    pub const EXTRA_NOT_AN_OBJECT: Self = Self("extra_not_an_object");
    /// An option that takes JSON begins with `{` and is not valid JSON.
    pub const OPTION_NOT_JSON: Self = Self("option_not_json");
    /// The body is also the name of a file.
    pub const BODY_AMBIGUOUS: Self = Self("body_ambiguous");
    /// `--query` has no `=`.
    pub const QUERY_INVALID: Self = Self("query_invalid");
    /// A file that must be text is not UTF-8.
    pub const NOT_TEXT: Self = Self("not_text");
    /// A file to be written exists; it is never overwritten.
    pub const FILE_EXISTS: Self = Self("file_exists");
    /// `payments explain` was given no error code that it knows.
    pub const ERROR_CODE_UNKNOWN: Self = Self("error_code_unknown");
    /// `--require` of `payments sandbox` names an unknown credential.
    pub const REQUIRE_INVALID: Self = Self("require_invalid");
    /// The sandbox cannot start, often because the port is in use.
    pub const SANDBOX_NOT_STARTED: Self = Self("sandbox_not_started");
    /// Standard output is closed, so a token, the response of an operation that moves money, or
    /// what `follow` reports would be lost. Nothing was sent.
    pub const STDOUT_CLOSED: Self = Self("stdout_closed");
    /// Lines of the file cannot be sent or recorded. `problems` lists all of them, with line and
    /// column. Nothing was done.
    pub const BATCH_INVALID: Self = Self("batch_invalid");
    /// Lines differ from what was sent under their references earlier. This run sent nothing.
    /// `problems` names what differs, as far as the journal has it.
    pub const BATCH_CHANGED: Self = Self("batch_changed");
    /// The name of the file ends in neither `.csv` nor `.jsonl`.
    pub const BATCH_FORMAT: Self = Self("batch_format");
    /// The file has no payouts, or no decisions.
    pub const BATCH_EMPTY: Self = Self("batch_empty");
    /// The last line has no line end, so the file may have been cut in its last cell. Nothing was
    /// sent.
    pub const BATCH_CUT: Self = Self("batch_cut");
    /// The file does not have what `--expect-lines` or `--expect-total` says. Nothing was sent.
    pub const BATCH_UNEXPECTED: Self = Self("batch_unexpected");
    /// Nobody confirmed the payouts, or the refund of a whole payment. Nothing was sent.
    pub const NOT_CONFIRMED: Self = Self("not_confirmed");
    /// Standard input cannot be read.
    pub const INPUT_UNREADABLE: Self = Self("input_unreadable");
    /// Standard output cannot be written.
    pub const OUTPUT_FAILED: Self = Self("output_failed");
    /// The call was made, and its response could not be written. If the operation changes
    /// something, the outcome is `executed`; of a `send` whose body reports a failure, it is
    /// `unknown`.
    pub const RESPONSE_LOST: Self = Self("response_lost");
    /// The folder cannot be made.
    pub const FOLDER_UNWRITABLE: Self = Self("folder_unwritable");
    /// The file cannot be written.
    pub const FILE_UNWRITABLE: Self = Self("file_unwritable");
    /// The system does not let the command watch for signals.
    pub const SIGNALS_UNWATCHED: Self = Self("signals_unwatched");
    /// `payments sign` could not make a signature.
    pub const SIGNING_FAILED: Self = Self("signing_failed");
    /// The token store cannot be read, or the token cannot be dropped from it (kind `token`).
    pub const TOKEN_STORE_FAILED: Self = Self("token_store_failed");
    /// A step of `payments demo` did not give what it should (kind `demo`).
    pub const UNEXPECTED: Self = Self("unexpected");
    /// A function got an argument that it does not take, such as `NULL` or text that is not UTF-8.
    /// Nothing was sent.
    pub const INVALID_ARGUMENT: Self = Self("invalid_argument");
}
