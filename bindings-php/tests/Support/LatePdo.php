<?php

declare(strict_types=1);

namespace Libpayments\Tests\Support;

/**
 * A connection that is lost while it commits, and commits later.
 */
final class LatePdo extends \PDO
{
    private bool $isLost = false;

    public function exec(string $statement): int|false
    {
        if ($statement === 'COMMIT') {
            $this->isLost = true;
        }
        // Later statements do not reach the server.
        return $this->isLost ? throw new \PDOException('the connection was lost') : parent::exec($statement);
    }

    public function land(): void
    {
        parent::exec('COMMIT');
    }
}
