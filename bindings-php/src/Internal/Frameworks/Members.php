<?php

// Generated from spec/configuration.toml by generate/templates/Members.php.jinja; do not edit.
// To update: cargo xtask generate

declare(strict_types=1);

namespace Libpayments\Internal\Frameworks;

/**
 * The members of a configuration that are not text, which a variable of the environment holds as text.
 *
 * @internal
 */
final class Members
{
    public const SHAPES = [
        'allow_small_keys' => 'switch',
        'signing_threads' => 'integer',
        'pkcs11_slot' => 'integer',
        'pkcs11_sessions' => 'integer',
        'timeout_ms' => 'integer',
        'connect_timeout_ms' => 'integer',
        'allow_insecure_http' => 'switch',
        'max_response_bytes' => 'integer',
        'max_response_values' => 'integer',
        'auth' => 'object',
        'headers' => 'object',
        'duplicate_codes' => 'list',
        'doubtful_codes' => 'list',
        'not_found_codes' => 'list',
        'payout_query' => 'switch',
        'payout_not_found_codes' => 'list',
        'failure_statuses' => 'list',
        'success_signs' => 'object',
        'check_references' => 'switch',
        'next_action_rule' => 'switch',
        'card_guard' => 'switch',
        'check_amount_digits' => 'switch',
        'treat_401_as_not_executed' => 'switch',
        'allow_insecure_redis' => 'switch',
        'settle_after_ms' => 'integer',
        'ensure_wait_ms' => 'integer',
        'query_retries' => 'integer',
        'log_references' => 'switch',
    ];
}
