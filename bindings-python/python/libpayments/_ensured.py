"""The result of ``ensure_payment``."""

from __future__ import annotations

from ._responses import PaymentResponse


class EnsuredPayment(PaymentResponse):
    """A payment that was found by its reference, or created."""

    @property
    def is_created(self) -> bool:
        """Whether this is the response to the creation that this call sent.

        False for a payment that a query found, also if this call had sent its
        creation and got no response.
        """
        return bool(self._view.get("is_created"))

    @property
    def unchecked(self) -> list[str]:
        """The parts of the request that could not be compared with a payment that was found.

        ``currency_code`` and ``amount_total``, which the response may lack, and
        ``body``, the rest of the request, which only a journal records.
        """
        return list(self._part("unchecked"))

    @property
    def other_hash(self) -> str | None:
        """The hash of a cancelled payment with this reference.

        Given if the payer tried again, and this payment is the one that is paid.
        """
        return self._text("other_hash")

    def __repr__(self) -> str:
        """Show neither payer nor payee."""
        return self._shown("status", "is_paid", "is_created")
