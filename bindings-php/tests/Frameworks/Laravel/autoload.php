<?php

/**
 * Loads the dependencies of the application: Laravel as Debian packages it, and libpayments.
 */

declare(strict_types=1);

require_once 'Illuminate/autoload.php';
require_once dirname(__DIR__, 2) . '/bootstrap.php';
