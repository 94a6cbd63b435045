# Generated from spec/operations by generate/templates/program.py.jinja; do not edit.
# To update: cargo xtask generate

import libpayments

client = libpayments.Client.from_file("merchant/payments.json")
payment = client.query_payment(merchant_payment_code="order-1003")
assert payment.hash is not None
response = client.refund_payment(
    hash=payment.hash,
    amount="50.05",
    description="one of two items came back",
    merchant_refund_code="refund-1001",
)
print(response.raw.decode())
