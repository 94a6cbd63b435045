"""Takes a payment with the package as it is installed: pay.py CONFIGURATION REFERENCE."""

import sys

import libpayments

with libpayments.Client.from_file(sys.argv[1]) as client:
    answer = client.create_payment(
        payment={
            "name": "Maria Souza",
            "email": "maria@example.com",
            "document": "853.513.468-93",
            "country": "br",
            "payment_type_code": "pix",
            "currency_code": "BRL",
            "merchant_payment_code": sys.argv[2],
            "amount_total": "100.10",
        }
    )
print("paid", libpayments.__version__, answer.merchant_payment_code, answer.status)
