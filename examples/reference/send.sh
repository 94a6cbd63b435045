payments send --config merchant/payments.json \
  POST /ws/payout/commit '{"external_reference":"payout-1001"}'
