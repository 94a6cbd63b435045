<?php

// Generated from spec/errors by generate/templates/ErrorCode.php.jinja; do not edit. To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Internal;

/**
 * Every error code, for the errors that this package makes itself.
 *
 * @internal
 */
final class ErrorCode
{
    public const MEMBER_UNKNOWN = 'member_unknown';
    public const PLACEHOLDER = 'placeholder';
    public const VALUE_INVALID = 'value_invalid';
    public const FILE_UNREADABLE = 'file_unreadable';
    public const NOT_IN_THIS_BUILD = 'not_in_this_build';
    public const INSECURE = 'insecure';
    public const REQUIRED = 'required';
    public const CREDENTIAL_MISSING = 'credential_missing';
    public const KEY_UNREADABLE = 'key_unreadable';
    public const KEY_WRONG_KIND = 'key_wrong_kind';
    public const KEY_TO_CONVERT = 'key_to_convert';
    public const KEY_SMALL = 'key_small';
    public const KEY_PASSPHRASE = 'key_passphrase';
    public const PUBLIC_KEY_IS_PRIVATE = 'public_key_is_private';
    public const PKCS11_NOT_FOUND = 'pkcs11_not_found';
    public const PKCS11_FAILED = 'pkcs11_failed';
    public const PKCS11_KEY_UNUSABLE = 'pkcs11_key_unusable';
    public const PKCS11_NO_SESSION = 'pkcs11_no_session';
    public const PKCS11_PIN_WRONG = 'pkcs11_pin_wrong';
    public const PKCS11_PIN_BLOCKED = 'pkcs11_pin_blocked';
    public const ALREADY_RUNNING = 'already_running';
    public const STATE_FILE = 'state_file';
    public const REENTRANT_CALL = 'reentrant_call';
    public const CLIENT_CLOSED = 'client_closed';
    public const DRIVER_MISSING = 'driver_missing';
    public const FFI_DISABLED = 'ffi_disabled';
    public const LIBRARY_NOT_LOADED = 'library_not_loaded';
    public const LIBRARY_VERSION = 'library_version';
    public const WRONG_TYPE = 'wrong_type';
    public const ENTRY_UNKNOWN = 'entry_unknown';
    public const ENTRY_NOT_OPEN = 'entry_not_open';
    public const ENTRY_AMBIGUOUS = 'entry_ambiguous';
    public const ENTRY_TOO_EARLY = 'entry_too_early';
    public const CARD_NUMBER = 'card_number';
    public const CONFLICTING_MEMBERS = 'conflicting_members';
    public const HASH_NEEDED = 'hash_needed';
    public const AMOUNT_INVALID = 'amount_invalid';
    public const AMOUNT_DIGITS = 'amount_digits';
    public const AMOUNT_AMBIGUOUS = 'amount_ambiguous';
    public const JSON_INVALID = 'json_invalid';
    public const JSON_TOO_LARGE = 'json_too_large';
    public const SIGNER_FAILED = 'signer_failed';
    public const SIGNATURE_INVALID = 'signature_invalid';
    public const CREDENTIALS_REFUSED = 'credentials_refused';
    public const TOKEN_REQUEST_REFUSED = 'token_request_refused';
    public const TOKEN_REQUESTS_BLOCKED = 'token_requests_blocked';
    public const TOKEN_BACKOFF = 'token_backoff';
    public const TOKEN_SERVER_FAILED = 'token_server_failed';
    public const TOKEN_UNUSABLE = 'token_unusable';
    public const HOST_NOT_FOUND = 'host_not_found';
    public const CONNECT_FAILED = 'connect_failed';
    public const CONNECT_TIMED_OUT = 'connect_timed_out';
    public const PROXY_REFUSED = 'proxy_refused';
    public const RESOURCES_EXHAUSTED = 'resources_exhausted';
    public const CERTIFICATE_REFUSED = 'certificate_refused';
    public const CERTIFICATE_EXPIRED = 'certificate_expired';
    public const CERTIFICATE_OF_ANOTHER_HOST = 'certificate_of_another_host';
    public const NO_ROOTS = 'no_roots';
    public const TLS_FAILED = 'tls_failed';
    public const CONNECTION_BROKEN = 'connection_broken';
    public const DEADLINE_PASSED = 'deadline_passed';
    public const NOT_HTTP = 'not_http';
    public const REDIRECT = 'redirect';
    public const OTHER_REFERENCE = 'other_reference';
    public const RESPONSE_TOO_LARGE = 'response_too_large';
    public const RESPONSE_UNREADABLE = 'response_unreadable';
    public const NO_SIGN_OF_SUCCESS = 'no_sign_of_success';
    public const UNAUTHORIZED = 'unauthorized';
    public const RATE_LIMITED = 'rate_limited';
    public const REFUSED = 'refused';
    public const REFUSAL_DOUBTFUL = 'refusal_doubtful';
    public const FAILED = 'failed';
    public const PAYMENT_NOT_FOUND = 'payment_not_found';
    public const DUPLICATE_REFERENCE = 'duplicate_reference';
    public const CANCELLED = 'cancelled';
    public const INTERRUPTED_AFTER_RESPONSE = 'interrupted_after_response';
    public const CALL_FORKED = 'call_forked';
    public const INTERNAL_ERROR = 'internal_error';
    public const IN_PROGRESS = 'in_progress';
    public const UNRESOLVED = 'unresolved';
    public const ALREADY_DONE = 'already_done';
    public const REFERENCE_USED = 'reference_used';
    public const MISSING = 'missing';
    public const REPLACED = 'replaced';
    public const NOT_ADOPTED = 'not_adopted';
    public const LOCKED = 'locked';
    public const FORKED = 'forked';
    public const DAMAGED = 'damaged';
    public const OTHER_FORMAT = 'other_format';
    public const PLACE_UNSAFE = 'place_unsafe';
    public const ENTRY_MISSING = 'entry_missing';
    public const EXISTS = 'exists';
    public const UNAVAILABLE = 'unavailable';
    public const INVALID_ARGUMENTS = 'invalid_arguments';
    public const SANDBOX_NOT_STARTED = 'sandbox_not_started';
    public const BATCH_INVALID = 'batch_invalid';
    public const BATCH_CHANGED = 'batch_changed';
    public const NOT_CONFIRMED = 'not_confirmed';
    public const OUTPUT_FAILED = 'output_failed';
    public const RESPONSE_LOST = 'response_lost';
    public const FILE_UNWRITABLE = 'file_unwritable';
    public const TOKEN_STORE_FAILED = 'token_store_failed';
    public const INVALID_ARGUMENT = 'invalid_argument';
}
