<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;

/**
 * Frees the handle of a client when nothing can use it any more.
 *
 * PHP runs destructors of objects that other destructors still use: those of a
 * cycle, and at the end of a request all of them, in the order in which the
 * objects were made. So this one frees the handle only if its owner is gone.
 * Otherwise the next handle does, or, after the end of the request, the next
 * request of this worker (`Loader`).
 *
 * @internal
 */
final class Handle
{
    use Secret;

    /** @var array<int, array{\WeakReference<object>, CData}> handles whose destructor ran while their owner was there */
    private static array $late = [];

    /** @var \WeakReference<object> */
    private \WeakReference $owner;

    /** @param object $owner is gone exactly when nothing can use the handle */
    public function __construct(private FFI $ffi, private CData $client, object $owner)
    {
        $this->owner = \WeakReference::create($owner);
        $ffi->payments_client_track($client, Loader::OWNER, strlen(Loader::OWNER));
        foreach (self::$late as $index => [$ownerOfLate, $late]) {
            if ($ownerOfLate->get() === null) {
                unset(self::$late[$index]);
                $ffi->payments_client_free($late);
            }
        }
    }

    public function __destruct()
    {
        if ($this->owner->get() === null) {
            $this->ffi->payments_client_free($this->client);
        } else {
            self::$late[] = [$this->owner, $this->client];
        }
    }
}
