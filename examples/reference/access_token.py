import json

import libpayments

client = libpayments.Client.from_file("merchant/payments.json")
# `token.access_token` is a secret, for the header "Authorization: Bearer …".
token = client.access_token()
print(json.dumps({"scope": token.scope}))
