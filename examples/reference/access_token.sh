payments token --config merchant/payments.json | jq '{scope}'
