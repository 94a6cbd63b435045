<?php

/**
 * Symfony, as Debian packages it, and what stands for DoctrineBundle, which Debian does not package.
 */

declare(strict_types=1);

namespace Debian;

use Doctrine\DBAL\Connection;
use Symfony\Component\Messenger\Bridge\Doctrine\Transport\Connection as Queue;
use Symfony\Component\Messenger\Bridge\Doctrine\Transport\DoctrineTransport;
use Symfony\Component\Messenger\Transport\Serialization\SerializerInterface;
use Symfony\Component\Messenger\Transport\TransportFactoryInterface;
use Symfony\Component\Messenger\Transport\TransportInterface;

require_once 'Symfony/Bundle/FrameworkBundle/autoload.php';
require_once 'Symfony/Component/Console/autoload.php';
require_once 'Symfony/Component/Messenger/autoload.php';
require_once 'Symfony/Component/Messenger/Bridge/Doctrine/autoload.php';
require_once 'Symfony/Component/Security/Csrf/autoload.php';
require_once 'Symfony/Component/Yaml/autoload.php';
require_once 'Doctrine/DBAL/autoload.php';

/** Queues in the database of the application. */
final class Transports implements TransportFactoryInterface
{
    public function __construct(private Connection $database)
    {
    }

    /** @param array<string, mixed> $options */
    public function createTransport(string $dsn, array $options, SerializerInterface $serializer): TransportInterface
    {
        $settings = ['table_name' => 'messenger_messages', 'queue_name' => 'default', 'auto_setup' => true,
            'redeliver_timeout' => $options['redeliver_timeout'] ?? 3600];
        return new DoctrineTransport(new Queue($settings, $this->database), $serializer);
    }

    /** @param array<string, mixed> $options */
    public function supports(string $dsn, array $options): bool
    {
        return $dsn === 'doctrine://default';
    }
}
