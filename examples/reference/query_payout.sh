payments query-payout --config merchant/payments.json --external-reference payout-1001
