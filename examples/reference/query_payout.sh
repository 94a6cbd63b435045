# Generated from spec/operations by generate/templates/program.sh.jinja; do not edit. To update: cargo xtask generate
payments query-payout --config merchant/payments.json --external-reference payout-1001
