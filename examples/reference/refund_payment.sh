# Generated from spec/operations by generate/templates/program.sh.jinja; do not edit. To update: cargo xtask generate
hash=$(payments query-payment --config merchant/payments.json \
  --merchant-payment-code order-1003 | jq -r .hash)
payments refund-payment --config merchant/payments.json --hash "$hash" --amount 50.05 \
  --description 'one of two items came back' --merchant-refund-code refund-1001
