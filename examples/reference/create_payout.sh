# Generated from spec/operations by generate/templates/program.sh.jinja; do not edit. To update: cargo xtask generate
payments create-payout --config merchant/payments.json --external-reference payout-1001 \
  --country br --currency-code BRL --amount 10.50 --target pix_key \
  --target-account maria@example.com --payee-name 'Maria Souza' \
  --payee-document 853.513.468-93 --payee-document-type CPF
