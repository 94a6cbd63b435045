<?php

/**
 * Laravel, as Debian packages it.
 */

declare(strict_types=1);

require_once 'Illuminate/autoload.php';
