<?php

declare(strict_types=1);

namespace Libpayments;

use Libpayments\Internal\Json;

/**
 * Helps a token store with its entries.
 */
final class TokenEntry
{
    /**
     * What is left of an entry without its token, if that token is `$token`;
     * null when another one or none is in it: then nothing is to be changed.
     */
    public static function withoutToken(
        #[\SensitiveParameter] string $entry,
        #[\SensitiveParameter] string $token,
    ): ?string {
        $members = Json::decode($entry);
        if (!hash_equals($token, (string) ($members['token']['value'] ?? ''))) {
            return null;
        }
        unset($members['token']);
        return Json::encode($members, 'token_store');
    }
}
