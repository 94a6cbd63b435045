<?php

/**
 * No views.
 */

declare(strict_types=1);

return ['paths' => [], 'compiled' => storage_path('framework')];
