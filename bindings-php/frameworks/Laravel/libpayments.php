<?php

// Generated from spec/configuration.toml by generate/templates/laravel.php.jinja; do not edit.
// To update: cargo xtask generate

/**
 * The configuration of libpayments. Publish it with
 * `php artisan vendor:publish --tag=libpayments`.
 */

declare(strict_types=1);

return [
    // The file of the configuration; with it, `config` is not used.
    'file' => env('PAYMENTS_CONFIG_FILE'),

    // docs/configuration.md describes the members.
    'config' => [
        'environment' => env('PAYMENTS_ENVIRONMENT'),
        'base_url' => env('PAYMENTS_BASE_URL'),
        'auth_url' => env('PAYMENTS_AUTH_URL'),
        'integration_key' => env('PAYMENTS_INTEGRATION_KEY'),
        'integration_key_file' => env('PAYMENTS_INTEGRATION_KEY_FILE'),
        'client_id' => env('PAYMENTS_CLIENT_ID'),
        'client_secret' => env('PAYMENTS_CLIENT_SECRET'),
        'client_secret_file' => env('PAYMENTS_CLIENT_SECRET_FILE'),
        'client_auth_encoding' => env('PAYMENTS_CLIENT_AUTH_ENCODING'),
        'key' => env('PAYMENTS_KEY'),
        'key_file' => env('PAYMENTS_KEY_FILE'),
        'key_passphrase' => env('PAYMENTS_KEY_PASSPHRASE'),
        'key_passphrase_file' => env('PAYMENTS_KEY_PASSPHRASE_FILE'),
        'kid' => env('PAYMENTS_KID'),
        'allow_small_keys' => env('PAYMENTS_ALLOW_SMALL_KEYS'),
        'signing_threads' => env('PAYMENTS_SIGNING_THREADS'),
        'pkcs11_module' => env('PAYMENTS_PKCS11_MODULE'),
        'pkcs11_token' => env('PAYMENTS_PKCS11_TOKEN'),
        'pkcs11_slot' => env('PAYMENTS_PKCS11_SLOT'),
        'pkcs11_key_label' => env('PAYMENTS_PKCS11_KEY_LABEL'),
        'pkcs11_key_id' => env('PAYMENTS_PKCS11_KEY_ID'),
        'pkcs11_pin' => env('PAYMENTS_PKCS11_PIN'),
        'pkcs11_pin_file' => env('PAYMENTS_PKCS11_PIN_FILE'),
        'pkcs11_sessions' => env('PAYMENTS_PKCS11_SESSIONS'),
        'public_key' => env('PAYMENTS_PUBLIC_KEY'),
        'public_key_file' => env('PAYMENTS_PUBLIC_KEY_FILE'),
        'timeout_ms' => env('PAYMENTS_TIMEOUT_MS'),
        'connect_timeout_ms' => env('PAYMENTS_CONNECT_TIMEOUT_MS'),
        'allow_insecure_http' => env('PAYMENTS_ALLOW_INSECURE_HTTP'),
        'proxy' => env('PAYMENTS_PROXY'),
        'ca_file' => env('PAYMENTS_CA_FILE'),
        'max_response_bytes' => env('PAYMENTS_MAX_RESPONSE_BYTES'),
        'max_response_values' => env('PAYMENTS_MAX_RESPONSE_VALUES'),
        'integration_key_placement' => env('PAYMENTS_INTEGRATION_KEY_PLACEMENT'),
        'query_method' => env('PAYMENTS_QUERY_METHOD'),
        'signed_query' => env('PAYMENTS_SIGNED_QUERY'),
        'refund_hash_member' => env('PAYMENTS_REFUND_HASH_MEMBER'),
        'bearer_header' => env('PAYMENTS_BEARER_HEADER'),
        'bearer_scheme' => env('PAYMENTS_BEARER_SCHEME'),
        'auth' => env('PAYMENTS_AUTH'),
        'headers' => env('PAYMENTS_HEADERS'),
        'duplicate_codes' => env('PAYMENTS_DUPLICATE_CODES'),
        'doubtful_codes' => env('PAYMENTS_DOUBTFUL_CODES'),
        'not_found_codes' => env('PAYMENTS_NOT_FOUND_CODES'),
        'payout_query' => env('PAYMENTS_PAYOUT_QUERY'),
        'payout_not_found_codes' => env('PAYMENTS_PAYOUT_NOT_FOUND_CODES'),
        'failure_statuses' => env('PAYMENTS_FAILURE_STATUSES'),
        'success_signs' => env('PAYMENTS_SUCCESS_SIGNS'),
        'check_references' => env('PAYMENTS_CHECK_REFERENCES'),
        'next_action_rule' => env('PAYMENTS_NEXT_ACTION_RULE'),
        'card_guard' => env('PAYMENTS_CARD_GUARD'),
        'check_amount_digits' => env('PAYMENTS_CHECK_AMOUNT_DIGITS'),
        'treat_401_as_not_executed' => env('PAYMENTS_TREAT_401_AS_NOT_EXECUTED'),
        'token_store' => env('PAYMENTS_TOKEN_STORE'),
        'token_store_fallback' => env('PAYMENTS_TOKEN_STORE_FALLBACK'),
        'allow_insecure_redis' => env('PAYMENTS_ALLOW_INSECURE_REDIS'),
        'token_store_key' => env('PAYMENTS_TOKEN_STORE_KEY'),
        'token_store_key_file' => env('PAYMENTS_TOKEN_STORE_KEY_FILE'),
        'journal' => env('PAYMENTS_JOURNAL'),
        'journal_scope' => env('PAYMENTS_JOURNAL_SCOPE'),
        'settle_after_ms' => env('PAYMENTS_SETTLE_AFTER_MS'),
        'ensure_wait_ms' => env('PAYMENTS_ENSURE_WAIT_MS'),
        'query_retries' => env('PAYMENTS_QUERY_RETRIES'),
        'log_references' => env('PAYMENTS_LOG_REFERENCES'),
    ],

    // The channel of config/logging.php that events go to; null is the default channel, false is none.
    'log_channel' => env('PAYMENTS_LOG_CHANNEL'),

    // For tests: a sandbox of the test's process instead of the service. Refused unless `app.env` is local or testing.
    'sandbox' => env('PAYMENTS_SANDBOX', false),

    // After how many seconds a payment is given up: from then on, it is queried once a day.
    'give_up_after' => 604_800,
];
