<?php

declare(strict_types=1);

namespace Libpayments\Symfony;

use Libpayments\Internal\Frameworks\FollowedPayment;

/**
 * A message: follow the payment of this order until it ends. Its handler asks once
 * and sends the message again with a delay, so route it to a transport that can
 * delay. Dispatch it before the call, for each click: the newest one asks.
 */
final class FollowPayment
{
    use FollowedPayment;
}
