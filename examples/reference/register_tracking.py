# Generated from spec/operations by generate/templates/program.py.jinja; do not edit.
# To update: cargo xtask generate

import libpayments

client = libpayments.Client.from_file("merchant/payments.json")
response = client.register_tracking(
    order_number="order-1001",
    email="maria@example.com",
    tracking_code=[
        "AA123456785BR",
        {"tracking_code": "AA123456799BR", "items": [{"name": "Mug", "quantity": 2}]},
    ],
)
print(response.raw.decode())
