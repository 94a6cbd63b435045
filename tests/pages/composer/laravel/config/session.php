<?php

/**
 * Sessions in files.
 */

declare(strict_types=1);

return [
    'driver' => 'file', 'files' => storage_path('framework/sessions'), 'lifetime' => 120, 'expire_on_close' => false,
    'lottery' => [0, 100], 'cookie' => 'shop', 'path' => '/', 'domain' => null, 'secure' => false,
    'http_only' => true, 'same_site' => 'lax', 'encrypt' => false,
];
