# Generated from spec/operations by generate/templates/program.py.jinja; do not edit.
# To update: cargo xtask generate

import libpayments

client = libpayments.Client.from_file("merchant/payments.json")
response = client.query_payout(external_reference="payout-1001")
print(response.raw.decode())
