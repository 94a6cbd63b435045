<?php

declare(strict_types=1);

namespace Libpayments\Symfony;

use Libpayments\Client;
use Libpayments\ClientInterface;
use Libpayments\Internal\Frameworks\ConfiguredClient;
use Libpayments\Journal;
use Libpayments\Signer;
use Libpayments\TokenStore;
use Symfony\Component\DependencyInjection\Argument\ServiceClosureArgument;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\ContainerInterface;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Extension\Extension;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Messenger\MessageBusInterface;

/**
 * Defines the services: the client, and the handler of follow-up messages.
 *
 * @internal
 */
final class LibpaymentsExtension extends Extension
{
    /** @param array<int, array<string, mixed>> $configs */
    public function load(array $configs, ContainerBuilder $container): void
    {
        $settings = $this->processConfiguration(new Configuration(), $configs);
        $members = array_intersect_key($settings, ['file' => 0, 'config' => 0, 'sandbox' => 0]);
        $client = new Definition(Client::class, [
            $members,
            '%kernel.environment%',
            ['dev', 'test'],
            $settings['logger'] ? self::ifThere('logger') : null,
            $settings['observer'] === null ? null : new Reference($settings['observer']),
            self::ifThere(Signer::class),
            self::ifThere(TokenStore::class),
            self::ifThere(Journal::class),
        ]);
        $client->setFactory([ConfiguredClient::class, 'make'])->addTag('monolog.logger', ['channel' => 'payments']);
        $container->setDefinition(Client::class, $client);
        $container->setAlias(ClientInterface::class, Client::class);
        if (interface_exists(MessageBusInterface::class)) {
            $handler = new Definition(FollowPaymentHandler::class, [
                // Made by the handler: a configuration that is away must not lose the message.
                new ServiceClosureArgument(new Reference(ClientInterface::class)),
                new Reference(MessageBusInterface::class),
                new Reference('event_dispatcher'),
                new Reference('cache.app'),
                self::ifThere('logger'),
                $settings['give_up_after'],
            ]);
            $handler->addTag('messenger.message_handler', ['handles' => FollowPayment::class]);
            $container->setDefinition(FollowPaymentHandler::class, $handler);
        }
    }

    private static function ifThere(string $service): Reference
    {
        return new Reference($service, ContainerInterface::NULL_ON_INVALID_REFERENCE);
    }
}
