# Generated from spec/operations by generate/templates/program_before.sh.jinja; do not edit. To update: cargo xtask generate
payments create-payment --config merchant/payments.json --name 'Maria Souza' \
  --email maria@example.com --document 853.513.468-93 --country br --payment-type-code pix \
  --currency-code BRL --amount-total 100.10 --merchant-payment-code order-1003
payments send --config merchant/payments.json POST /sandbox/payments/order-1003/confirm
