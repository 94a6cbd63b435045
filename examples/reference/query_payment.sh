payments query-payment --config merchant/payments.json --merchant-payment-code order-1001
