# Generated from spec/operations by generate/templates/program.py.jinja; do not edit.
# To update: cargo xtask generate

import libpayments

client = libpayments.Client.from_file("merchant/payments.json")
response = client.query_payment(merchant_payment_code="order-1001")
print(response.raw.decode())
