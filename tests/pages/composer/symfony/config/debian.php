<?php

/**
 * Symfony, as Debian packages it.
 */

declare(strict_types=1);

require_once 'Symfony/Bundle/FrameworkBundle/autoload.php';
require_once 'Symfony/Component/Console/autoload.php';
require_once 'Symfony/Component/Yaml/autoload.php';
