# Generated from spec/operations by generate/templates/program.py.jinja; do not edit.
# To update: cargo xtask generate

import libpayments

client = libpayments.Client.from_file("merchant/payments.json")
response = client.create_payout(
    external_reference="payout-1001",
    country="br",
    currency_code="BRL",
    amount="10.50",
    target="pix_key",
    target_account="maria@example.com",
    payee={"name": "Maria Souza", "document": "853.513.468-93", "document_type": "CPF"},
)
print(response.raw.decode())
