<?php

declare(strict_types=1);

namespace Libpayments\Tests\Frameworks\Laravel;

use Illuminate\Contracts\Bus\Dispatcher as Bus;
use Illuminate\Contracts\Events\Dispatcher as Events;
use Illuminate\Contracts\Routing\Registrar;
use Illuminate\Support\ServiceProvider;
use Libpayments\ClientInterface;
use Libpayments\Exception\MayHaveBeenExecuted;
use Libpayments\Laravel\FollowPayment;
use Libpayments\PaymentEnded;
use Libpayments\Tests\Support\Samples;

/**
 * The page that pays, and a listener that writes down how payments ended.
 */
final class ShopProvider extends ServiceProvider
{
    /** Defines the page and the listener. */
    public function boot(Registrar $routes, Events $events): void
    {
        $routes->get('/pay/{order}', self::pay(...));
        $events->listen(PaymentEnded::class, static function (PaymentEnded $ended): void {
            $end = $ended->isGivenUp ? 'given up' : 'ended';
            $line = "$ended->reference, " . ($ended->isPaid() ? 'paid' : 'not paid') . ", $end\n";
            file_put_contents(getenv('SHOP_FOLDER') . '/ended', $line, FILE_APPEND);
        });
    }

    /**
     * Pays an order, and has it followed until it is paid.
     *
     * @return array<string, mixed>
     */
    public static function pay(ClientInterface $client, Bus $bus, string $order): array
    {
        try {
            $payment = $client->createPayment(Samples::payment(['merchant_payment_code' => $order]));
            $shown = ['status' => $payment->status(), 'code' => $payment->qrCodeValue(), 'pid' => getmypid()];
        } catch (MayHaveBeenExecuted $error) {
            $shown = ['status' => $error->getOutcome(), 'pid' => getmypid()];
        }
        $bus->dispatch(new FollowPayment($order));
        return $shown;
    }
}
