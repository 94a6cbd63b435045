# Generated from spec/operations by generate/templates/_operations.py.jinja; do not edit.
# To update: cargo xtask generate

"""The operations as methods of a client. Generated, for editors and type checkers."""

from __future__ import annotations

from typing import overload

from ._base import BlockingClient, call
from ._native import CancelHandle
from ._requests import (
    CreatePayment,
    CreatePayout,
    QueryPayment,
    QueryPayout,
    RefundPayment,
    RegisterTracking,
)
from ._responses import (
    PaymentResponse,
    PayoutResponse,
    RefundResponse,
    TrackingResponse,
)
from ._types import JsonText
from ._typing import Unpack


class Operations(BlockingClient):
    """A method for each operation."""

    @overload
    def create_payment(
        self,
        request: CreatePayment | JsonText,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
    ) -> PaymentResponse: ...

    @overload
    def create_payment(
        self,
        request: None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: Unpack[CreatePayment],
    ) -> PaymentResponse: ...

    def create_payment(
        self,
        request: object = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: object,
    ) -> PaymentResponse:
        """Create a payment in one of a country's methods.

        Args:
            request: a mapping, or JSON text; or give its members as keywords.
            timeout_ms: a deadline for this call.
            traceparent: sent as the header of W3C Trace Context.
            cancel: ends the call from another thread.
            members: those of :class:`CreatePayment`:

                - ``operation``: Kind of request, known to be ``request``.
                - ``payment``: The payment.
                - ``payment.name``: Payer name.
                - ``payment.email``: Payer e-mail.
                - ``payment.country``: Lower-case two-letter country code.
                - ``payment.payment_type_code``: Country-specific method code, for example ``pix``.
                - ``payment.merchant_payment_code``: Merchant's own reference for the payment.
                - ``payment.currency_code``: Three-letter currency code.
                - ``payment.amount_total``: Amount of the payment in ``currency_code``, a decimal
                  above zero: 10.50, not 1050 cents.
                - ``payment.document``: Payer tax id. Required if ``country`` is ``br``.
                - ``payment.integration_key``: Merchant key of this request, if none is configured.
                - ``integration_key``: Merchant key of this request, if none is configured.

        Raises:
            PaymentsError: see its class. With the outcome ``unknown``, the payment may exist. Do
                not send it again; query it by its ``merchant_payment_code`` until it is found.

        """
        try:
            work = call("create_payment", request, members)
        finally:
            del request, members
        return self._run(work, PaymentResponse._of, timeout_ms, traceparent, cancel)

    @overload
    def query_payment(
        self,
        request: QueryPayment | JsonText,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
    ) -> PaymentResponse: ...

    @overload
    def query_payment(
        self,
        request: None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: Unpack[QueryPayment],
    ) -> PaymentResponse: ...

    def query_payment(
        self,
        request: object = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: object,
    ) -> PaymentResponse:
        """Query a payment, by its hash or by your own reference.

        Try the query by reference with your service before you depend on it. A query moves no
        money, and is sent again a few times when the connection or the service fails.

        Args:
            request: a mapping, or JSON text; or give its members as keywords.
            timeout_ms: a deadline for this call.
            traceparent: sent as the header of W3C Trace Context.
            cancel: ends the call from another thread.
            members: those of :class:`QueryPayment`:

                - ``hash``: The payment hash.
                - ``merchant_payment_code``: Merchant's own reference for the payment.
                - ``integration_key``: Merchant key of this request, if none is configured.

        Raises:
            PaymentsError: see its class. Nothing was moved: call it again.

        """
        try:
            work = call("query_payment", request, members)
        finally:
            del request, members
        return self._run(work, PaymentResponse._of, timeout_ms, traceparent, cancel)

    @overload
    def refund_payment(
        self,
        request: RefundPayment | JsonText,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
    ) -> RefundResponse: ...

    @overload
    def refund_payment(
        self,
        request: None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: Unpack[RefundPayment],
    ) -> RefundResponse: ...

    def refund_payment(
        self,
        request: object = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: object,
    ) -> RefundResponse:
        """Refund a payment, in whole or in part.

        Check the refunded amount in the response of your first partial refund: a service that
        ignores ``amount`` refunds the whole payment.

        Args:
            request: a mapping, or JSON text; or give its members as keywords.
            timeout_ms: a deadline for this call.
            traceparent: sent as the header of W3C Trace Context.
            cancel: ends the call from another thread.
            members: those of :class:`RefundPayment`:

                - ``hash``: The payment hash of the payment to refund.
                - ``merchant_payment_code``: Merchant's own reference for the payment to refund,
                  without a journal.
                - ``operation``: Kind of request, known to be ``request``, or ``cancel`` to cancel
                  an earlier refund.
                - ``amount``: Amount to refund, a decimal above zero: 10.50, not 1050 cents;
                  everything if left out.
                - ``description``: Reason for the refund.
                - ``merchant_refund_code``: Merchant's own reference for the refund.
                - ``refund_id``: The service's id of the refund to cancel.
                - ``integration_key``: Merchant key of this request, if none is configured.

        Raises:
            PaymentsError: see its class. With the outcome ``unknown``, the refund may exist. Do not
                send it again; query the payment by its ``hash`` until its response lists the
                refund.

        """
        try:
            work = call("refund_payment", request, members)
        finally:
            del request, members
        return self._run(work, RefundResponse._of, timeout_ms, traceparent, cancel)

    @overload
    def create_payout(
        self,
        request: CreatePayout | JsonText,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
    ) -> PayoutResponse: ...

    @overload
    def create_payout(
        self,
        request: None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: Unpack[CreatePayout],
    ) -> PayoutResponse: ...

    def create_payout(
        self,
        request: object = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: object,
    ) -> PayoutResponse:
        """Send money to a payee.

        Args:
            request: a mapping, or JSON text; or give its members as keywords.
            timeout_ms: a deadline for this call.
            traceparent: sent as the header of W3C Trace Context.
            cancel: ends the call from another thread.
            members: those of :class:`CreatePayout`:

                - ``external_reference``: Merchant's reference for the payout.
                - ``country``: Lower-case two-letter country code.
                - ``amount``: Amount to send in ``currency_code``, a decimal above zero: 10.50, not
                  1050 cents.
                - ``currency_code``: Three-letter currency code.
                - ``target``: Kind of destination, for example ``pix_key``.
                - ``target_account``: Destination, for ``pix_key`` the key itself. Required if
                  ``target`` is ``pix_key``.
                - ``payee``: Recipient of the money.
                - ``payee.name``: Payee name.
                - ``payee.email``: Payee e-mail.
                - ``payee.document``: Payee tax id.
                - ``payee.document_type``: Kind of the tax id, for example ``CPF``.
                - ``payee.phone``: Payee phone.
                - ``payee.birthdate``: Payee date of birth.
                - ``payee.payee_document_date_issue``: Date of issue of the document.
                - ``payee.bank_info``: Bank account of the payee: its members depend on the country.
                - ``payee_uuid``: The service's id of a registered recipient.
                - ``transaction_type``: Kind of transaction, for example ``B2C``.
                - ``integration_key``: Merchant key of this request, if none is configured.

        Raises:
            PaymentsError: see its class. With the outcome ``unknown``, the payout may exist. Do not
                send it again; query it by its ``external_reference`` if ``payout_query`` is on, or
                look for it on the provider's platform.

        """
        try:
            work = call("create_payout", request, members)
        finally:
            del request, members
        return self._run(work, PayoutResponse._of, timeout_ms, traceparent, cancel)

    @overload
    def query_payout(
        self,
        request: QueryPayout | JsonText,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
    ) -> PayoutResponse: ...

    @overload
    def query_payout(
        self,
        request: None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: Unpack[QueryPayout],
    ) -> PayoutResponse: ...

    def query_payout(
        self,
        request: object = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: object,
    ) -> PayoutResponse:
        """Query a payout, by its uid or by your own reference.

        It is off until ``payout_query`` is on: the interface does not state it, so ask your
        provider whether the service has it. A query moves no money, and is sent again a few times
        when the connection or the service fails.

        Args:
            request: a mapping, or JSON text; or give its members as keywords.
            timeout_ms: a deadline for this call.
            traceparent: sent as the header of W3C Trace Context.
            cancel: ends the call from another thread.
            members: those of :class:`QueryPayout`:

                - ``uid``: The service's id of the payout.
                - ``external_reference``: Merchant's reference for the payout.
                - ``integration_key``: Merchant key of this request, if none is configured.

        Raises:
            PaymentsError: see its class. Nothing was moved: call it again.

        """
        try:
            work = call("query_payout", request, members)
        finally:
            del request, members
        return self._run(work, PayoutResponse._of, timeout_ms, traceparent, cancel)

    @overload
    def register_tracking(
        self,
        request: RegisterTracking | JsonText,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
    ) -> TrackingResponse: ...

    @overload
    def register_tracking(
        self,
        request: None = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: Unpack[RegisterTracking],
    ) -> TrackingResponse: ...

    def register_tracking(
        self,
        request: object = None,
        /,
        *,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        cancel: CancelHandle | None = None,
        **members: object,
    ) -> TrackingResponse:
        """Register the tracking codes of an order.

        Args:
            request: a mapping, or JSON text; or give its members as keywords.
            timeout_ms: a deadline for this call.
            traceparent: sent as the header of W3C Trace Context.
            cancel: ends the call from another thread.
            members: those of :class:`RegisterTracking`:

                - ``order_number``: Merchant's order reference.
                - ``email``: Customer e-mail.
                - ``tracking_code``: One or more tracking codes, plain or with items and address.
                - ``tracking_code[].tracking_code``: The code.
                - ``tracking_code[].items``: Items in the parcel.
                - ``tracking_code[].items[].sku``: Stock keeping unit.
                - ``tracking_code[].items[].name``: Name of the item.
                - ``tracking_code[].items[].description``: Description of the item.
                - ``tracking_code[].items[].unit_price``: Price per item, sent as given: ask the
                  provider for its unit.
                - ``tracking_code[].items[].quantity``: Number of items.
                - ``tracking_code[].items[].type``: Category of item.
                - ``tracking_code[].address``: Address the parcel was sent to.
                - ``tracking_code[].address.zipcode``: Postal code.
                - ``tracking_code[].address.address``: Street name.
                - ``tracking_code[].address.street_number``: Street number.
                - ``tracking_code[].address.street_complement``: Floor, apartment and similar.
                - ``tracking_code[].address.city``: City.
                - ``tracking_code[].address.state``: State.
                - ``tracking_code[].address.country``: Upper-case two-letter country code.
                - ``tracking_code[].payment_hash``: Hash of the payment of the parcel.
                - ``payment_hash``: Hash of the related payment.
                - ``integration_key``: Merchant key of this request, if none is configured.

        Raises:
            PaymentsError: see its class. With the outcome ``unknown``, the codes may be registered,
                and the interface has no query for them. Registering them moves no money.

        """
        try:
            work = call("register_tracking", request, members)
        finally:
            del request, members
        return self._run(work, TrackingResponse._of, timeout_ms, traceparent, cancel)
