# Generated from spec/operations by generate/templates/program.py.jinja; do not edit.
# To update: cargo xtask generate

import libpayments

client = libpayments.Client.from_file("merchant/payments.json")
response = client.create_payment(
    payment={
        "name": "Maria Souza",
        "email": "maria@example.com",
        "document": "853.513.468-93",
        "country": "br",
        "payment_type_code": "pix",
        "currency_code": "BRL",
        "amount_total": "100.10",
        "merchant_payment_code": "order-1001",
    },
)
print(response.raw.decode())
