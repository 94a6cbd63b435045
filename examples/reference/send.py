import libpayments

client = libpayments.Client.from_file("merchant/payments.json")
response = client.send(
    "POST",
    "/ws/payout/commit",
    body=b'{"external_reference":"payout-1001"}',
    reference="payout-1001",
)
print(response.raw.decode())
