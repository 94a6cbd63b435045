<?php

declare(strict_types=1);

namespace Libpayments\Internal;

use FFI;
use FFI\CData;
use Libpayments\Exception\JournalException;
use Libpayments\Exception\PaymentsException;
use Libpayments\Exception\ValidationException;
use Libpayments\Journal;
use Libpayments\KeyPair;
use Libpayments\LintWarning;
use Libpayments\Requests;
use Libpayments\Verification;

/**
 * The methods of `Client` that need no client.
 *
 * @internal
 * @phpstan-import-type CreatePayment from Requests
 * @phpstan-import-type CreatePayout from Requests
 * @phpstan-import-type RefundPayment from Requests
 */
trait Tools
{
    /**
     * Checks an X-JWS-Signature token over the bytes of a body.
     *
     * @param string $publicKey PEM
     * @param ?string $token null if there was none
     * @throws PaymentsException if the key cannot be read
     */
    public static function verify(
        string $publicKey,
        #[\SensitiveParameter] ?string $token,
        #[\SensitiveParameter] string $body,
    ): Verification {
        Json::check($publicKey, 'public_key', 'verify');
        Json::check((string) $token, 'token', 'verify');
        return new Verification(Json::decode((string) self::madeOf('payments_verify', [$publicKey, $token, $body])));
    }

    /**
     * Finds values in the request for a payment, a payout or a refund that are
     * well-formed and probably wrong: Brazilian tax documents whose check digits
     * fail, Pix keys of no known form, methods and currencies of another country,
     * and a refund without an amount. Sends nothing, and refuses nothing.
     *
     * @param CreatePayment|CreatePayout|RefundPayment|string $request
     * @return list<LintWarning>
     * @throws PaymentsException if it is not an object
     */
    public static function lint(#[\SensitiveParameter] array|string $request): array
    {
        $found = self::madeOf('payments_lint', [Json::encode($request, 'lint')]);
        return array_map(static fn (array $of): LintWarning => new LintWarning($of), Json::decode((string) $found));
    }

    /** Draws a text as a QR code, an SVG document; null if it does not fit into one (2,331 bytes). */
    public static function qrSvg(#[\SensitiveParameter] string $text): ?string
    {
        Json::check($text, 'text', 'qr_svg');
        return self::madeOf('payments_qr_svg', [$text]);
    }

    /**
     * Draws a text as a QR code, the bytes of a PNG file; null if it does not fit into one (2,331 bytes).
     *
     * @param int $moduleSize the side of a module in pixels, from 1 to 64
     * @throws ValidationException for another size
     */
    public static function qrPng(#[\SensitiveParameter] string $text, int $moduleSize = 6): ?string
    {
        Json::check($text, 'text', 'qr_png');
        return self::madeOf('payments_qr_png', [$text], moduleSize: $moduleSize);
    }

    /**
     * Makes the file of a journal, with its folder if that does not exist. A
     * client never makes one on its own: name it as `file:PATH` in `journal`.
     *
     * @throws JournalException
     */
    public static function createJournal(string $path): void
    {
        Json::check($path, 'path', Json::CONFIG);
        Signals::held(static function () use ($path): void {
            $ffi = Loader::ffi();
            $error = $ffi->new('payments_error *');
            if ($ffi->payments_journal_create($path, strlen($path), FFI::addr($error)) !== 0) {
                throw NativeError::taken($ffi, $error, null);
            }
        });
    }

    /**
     * Generates an RSA key pair of 4096 bits. This takes up to a few seconds.
     *
     * @throws PaymentsException
     */
    public static function generateKey(): KeyPair
    {
        return Signals::held(static function (): KeyPair {
            $ffi = Loader::ffi();
            $private = $ffi->new('payments_text *');
            $public = $ffi->new('payments_text *');
            $error = $ffi->new('payments_error *');
            $status = $ffi->payments_generate_key(FFI::addr($private), FFI::addr($public), FFI::addr($error));
            if ($status !== 0) {
                throw NativeError::taken($ffi, $error, null);
            }
            return new KeyPair(Memory::take($ffi, $private), Memory::take($ffi, $public));
        });
    }

    /**
     * The next step after a query of an open payment, by the rule of the core.
     *
     * @internal
     * @param array<string, mixed> $payment
     * @return array{step: 'ended'|'query'|'give_up'|'fail', wait_ms: ?int}
     */
    public static function nextStep(array $payment): array
    {
        return Json::decode((string) self::madeOf('payments_next_step', [Json::encode($payment, 'next_step')]));
    }

    /**
     * The core's plan for a command of this package.
     *
     * @internal
     * @param 'payments_journal_plan'|'payments_journal_failure' $function
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public static function ofCommand(string $function, array $input): array
    {
        $made = (string) self::madeOf($function, [Json::encode($input, 'journal')]);
        return Json::decode(NativeError::inOwnWords(Loader::ffi(), $made));
    }

    /**
     * A client of a file, or of none, which the environment overrides if
     * `$withEnv` says so.
     *
     * @internal
     */
    public static function fromSources(?string $file, bool $withEnv, ?Journal $journal): self
    {
        if ($file === null || !$withEnv) {
            return $file === null ? self::fromEnv(journal: $journal) : self::fromFile($file, journal: $journal);
        }
        $make = static fn (FFI $ffi, ?CData ...$places): int
            => $ffi->payments_client_from_file_with_env($file, strlen($file), 1, ...$places);
        return self::with(null, null, null, $journal, $make);
    }

    /**
     * The text or the picture that a function makes of texts.
     *
     * @param list<?string> $texts
     */
    private static function madeOf(string $function, #[\SensitiveParameter] array $texts, int ...$sizes): ?string
    {
        return Signals::held(static function () use ($function, $texts, $sizes): ?string {
            $ffi = Loader::ffi();
            $made = $ffi->new('payments_text *');
            $error = $ffi->new('payments_error *');
            $bytes = static fn (?string $text): ?Bytes => $text === null ? null : new Bytes($ffi, $text);
            $all = array_map($bytes, $texts);
            $given = array_merge(...array_map(static fn (?Bytes $it): array => $it?->parts() ?? [null, 0], $all));
            // The core's message for zero fits everything that is out of range.
            $sizes = array_map(static fn (int $size): int => min(max($size, 0), 0xffffffff), $sizes);
            if ($ffi->$function(...$given, ...array_values($sizes), ...[FFI::addr($made), FFI::addr($error)]) !== 0) {
                throw NativeError::taken($ffi, $error, null, array_key_first($sizes));
            }
            return FFI::isNull($made) ? null : Memory::takeBytes($ffi, $made);
        });
    }
}
