<?php

/**
 * Loads the dependencies of the application: Symfony as Debian packages it, and libpayments.
 */

declare(strict_types=1);

// As Composer would leave it.
require_once 'Composer/InstalledVersions.php';
require_once 'Symfony/Bundle/FrameworkBundle/autoload.php';
require_once 'Symfony/Component/Messenger/autoload.php';
require_once 'Symfony/Component/Messenger/Bridge/Doctrine/autoload.php';
require_once 'Symfony/Component/Console/autoload.php';
require_once 'Doctrine/DBAL/autoload.php';
require_once 'Symfony/Component/Yaml/autoload.php';
require_once 'Symfony/Bridge/Monolog/autoload.php';
require_once dirname(__DIR__, 2) . '/bootstrap.php';
