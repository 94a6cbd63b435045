<?php

/**
 * The configuration of libpayments. Publish it with
 * `php artisan vendor:publish --tag=libpayments`.
 */

declare(strict_types=1);

return [
    // The file of the configuration; with it, `config` is not used.
    'file' => env('PAYMENTS_CONFIG_FILE'),

    // docs/configuration.md lists all members.
    'config' => [
        'environment' => env('PAYMENTS_ENVIRONMENT'),
        'base_url' => env('PAYMENTS_BASE_URL'),
        'auth_url' => env('PAYMENTS_AUTH_URL'),
        'integration_key' => env('PAYMENTS_INTEGRATION_KEY'),
        'client_id' => env('PAYMENTS_CLIENT_ID'),
        'client_secret' => env('PAYMENTS_CLIENT_SECRET'),
        'key_file' => env('PAYMENTS_KEY_FILE'),
        'kid' => env('PAYMENTS_KID'),
        'token_store' => env('PAYMENTS_TOKEN_STORE'),
        'journal' => env('PAYMENTS_JOURNAL'),
    ],

    // The channel of config/logging.php that events go to; null is the default channel, false is none.
    'log_channel' => env('PAYMENTS_LOG_CHANNEL'),

    // For tests: a sandbox of the test's process instead of the service. Refused where `app.env` is production.
    'sandbox' => env('PAYMENTS_SANDBOX', false),

    // For how many seconds a payment is followed.
    'give_up_after' => 604_800,
];
