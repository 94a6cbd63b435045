# Generated from spec/operations by generate/templates/program.sh.jinja; do not edit. To update: cargo xtask generate
payments register-tracking --config merchant/payments.json - <<'JSON'
{
  "order_number": "order-1001",
  "email": "maria@example.com",
  "tracking_code": [
    "AA123456785BR",
    {"tracking_code": "AA123456799BR", "items": [{"name": "Mug", "quantity": 2}]}
  ]
}
JSON
