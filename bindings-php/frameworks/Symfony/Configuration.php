<?php

declare(strict_types=1);

namespace Libpayments\Symfony;

use Symfony\Component\Config\Definition\Builder\TreeBuilder;
use Symfony\Component\Config\Definition\ConfigurationInterface;

/**
 * The settings under `libpayments`.
 *
 * @internal
 */
final class Configuration implements ConfigurationInterface
{
    public function getConfigTreeBuilder(): TreeBuilder
    {
        $tree = new TreeBuilder('libpayments');
        $root = $tree->getRootNode();
        $root->validate()
            ->ifTrue(static fn (array $all): bool => isset($all['file']) && $all['config'] !== [])
            ->thenInvalid('Name the configuration by "file" or by "config", not by both.');
        $nodes = $root->children();
        $nodes->scalarNode('file')->info('File of the configuration.')->defaultNull();
        $nodes->variableNode('config')->info('Members of the configuration, instead of a file.')->defaultValue([]);
        $nodes->booleanNode('logger')->info('Whether events go to the logger.')->defaultTrue();
        $nodes->scalarNode('observer')->info('Service that receives each event.')->defaultNull();
        $nodes->booleanNode('sandbox')->info('A sandbox instead of the service, in dev and test.')->defaultFalse();
        $nodes->integerNode('give_up_after')->info('Seconds until a payment is given up.')->defaultValue(604_800);
        return $tree;
    }
}
