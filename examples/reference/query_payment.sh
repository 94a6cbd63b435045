# Generated from spec/operations by generate/templates/program.sh.jinja; do not edit. To update: cargo xtask generate
payments query-payment --config merchant/payments.json --merchant-payment-code order-1001
