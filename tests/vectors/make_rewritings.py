"""Makes rewritings.json: bodies that a program parsed and wrote again.

Run in the repository, with python3, node, php and cargo:

    python3 tests/vectors/make_rewritings.py

The serializers of the four languages write the bytes: the doctor is tested
against their real output.
"""

import base64
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent

BODIES = {
    "amount": '{"payment":{"merchant_payment_code":"order-1","amount_total":100.10}}',
    "whole amount": '{"payment":{"merchant_payment_code":"order-1","amount_total":100.00}}',
    "amount of one decimal": '{"hash":"5f2c","amount":100.0,"description":"broken"}',
    "amount beside a count": '{"external_reference":"payout-1","amount":250.00,"installments":3}',
    "amounts": '{"items":[{"amount":10.00,"quantity":2},{"amount":9.90,"quantity":1}],"amount_total":29.90}',
    "text": '{"payment":{"name":"José Souza","url":"https://shop.example/1","amount_total":7.30}}',
    "letters": '{"payment":{"name":"José Souza","country":"br"}}',
    "large number": '{"order_number":12345678901234567890,"email":"maria@example.com"}',
    "whole payment": '{"integration_key":"TEST","payment":{"name":"José Souza","email":"maria@example.com",'
                     '"country":"br","payment_type_code":"pix","merchant_payment_code":"order-1",'
                     '"currency_code":"BRL","amount_total":100.10,"document":"853.513.468-93"}}',
    "unsorted": '{"name":"Maria","email":"maria@example.com","country":"br","document":"1"}',
}


def python(**options):
    return lambda text: json.dumps(json.loads(text), **options).encode()


def run(*command):
    def write(text):
        done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True,
                              cwd=HERE)
        return done.stdout
    return write


def node(expression):
    return run("node", "-e", "const body = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
               f"process.stdout.write({expression})")


def php(expression, associative="true"):
    return run("php", "-r", "$body = json_decode(stream_get_contents(STDIN), "
               f"{associative}); echo {expression};")


PYTHON = python()
COMPACT = python(separators=(",", ":"))
SORTED = python(separators=(",", ":"), sort_keys=True)
NODE = node("JSON.stringify(body)")
PHP = php("json_encode($body)")
PHP_PLAIN = php("json_encode($body, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES "
                "| JSON_PRESERVE_ZERO_FRACTION)")
RUST = run("cargo", "run", "--quiet", "-p", "payments-sandbox", "--example", "reserialize")


# The serializer, the body, and the findings when the original is signed and
# the rewritten body is sent, and the other way around.
RESERIALIZED, NUMBERS = "body_reserialized", "numbers_rewritten"
ESCAPED, SLASHES = "escaped_non_ascii", "escaped_slashes"
PRETTY = "body_pretty_printed"
CASES = [
    ("json.dumps(body)", PYTHON, "amount", RESERIALIZED, RESERIALIZED),
    ("json.dumps(body)", PYTHON, "whole amount", RESERIALIZED, RESERIALIZED),
    ("json.dumps(body)", PYTHON, "text", RESERIALIZED, RESERIALIZED),
    ("json.dumps(body, separators=(',', ':'))", COMPACT, "amount", NUMBERS, NUMBERS),
    ("json.dumps(body, separators=(',', ':'))", COMPACT, "whole amount", NUMBERS, NUMBERS),
    ("json.dumps(body, separators=(',', ':'))", COMPACT, "amounts", NUMBERS, NUMBERS),
    ("json.dumps(body, separators=(',', ':'))", COMPACT, "letters", ESCAPED, ESCAPED),
    ("json.dumps(body, indent=2)", python(indent=2), "amount", RESERIALIZED, PRETTY),
    ("json.dumps(body, separators=(',', ':'), sort_keys=True)", SORTED, "unsorted",
     RESERIALIZED, RESERIALIZED),
    ("json.dumps(body, sort_keys=True)", python(sort_keys=True), "amount", RESERIALIZED,
     RESERIALIZED),
    ("json.dumps(body)", PYTHON, "whole payment", RESERIALIZED, RESERIALIZED),
    ("json.dumps(body, sort_keys=True)", python(sort_keys=True), "whole payment", RESERIALIZED,
     RESERIALIZED),
    ("serde_json::to_string(&body)", RUST, "whole payment", RESERIALIZED, RESERIALIZED),
    ("JSON.stringify(body)", NODE, "amount", NUMBERS, NUMBERS),
    ("JSON.stringify(body)", NODE, "whole amount", NUMBERS, NUMBERS),
    ("JSON.stringify(body)", NODE, "amount of one decimal", None, NUMBERS),
    ("JSON.stringify(body)", NODE, "amount beside a count", NUMBERS, NUMBERS),
    ("JSON.stringify(body)", NODE, "amounts", NUMBERS, NUMBERS),
    ("JSON.stringify(body)", NODE, "text", NUMBERS, NUMBERS),
    ("JSON.stringify(body)", NODE, "large number", None, NUMBERS),
    ("JSON.stringify(body, null, 2)", node("JSON.stringify(body, null, 2)"), "amount",
     RESERIALIZED, PRETTY),
    ("json_encode($body)", PHP, "amount", NUMBERS, NUMBERS),
    ("json_encode($body)", PHP, "whole amount", NUMBERS, NUMBERS),
    ("json_encode($body)", PHP, "amount beside a count", NUMBERS, NUMBERS),
    ("json_encode($body)", PHP, "letters", ESCAPED, ESCAPED),
    ("json_encode($body)", PHP, "text", NUMBERS, NUMBERS),
    ("json_encode($body, JSON_PRETTY_PRINT)", php("json_encode($body, JSON_PRETTY_PRINT)"),
     "amount", RESERIALIZED, PRETTY),
    ("json_encode($body, with JSON_PRESERVE_ZERO_FRACTION, unescaped)", PHP_PLAIN, "text",
     NUMBERS, NUMBERS),
    ("json_encode($body, with JSON_PRESERVE_ZERO_FRACTION, unescaped)", PHP_PLAIN,
     "whole amount", NUMBERS, NUMBERS),
    ("serde_json::to_string(&body)", RUST, "amount", RESERIALIZED, RESERIALIZED),
    ("serde_json::to_string(&body)", RUST, "whole amount", RESERIALIZED, RESERIALIZED),
    ("serde_json::to_string(&body)", RUST, "unsorted", RESERIALIZED, RESERIALIZED),
]


def base64_of(content):
    return base64.b64encode(content).decode()


def case(written_by, write, body, original_signed, rewritten_signed):
    original = BODIES[body]
    rewritten = write(original)
    if rewritten == original.encode():
        raise SystemExit(f"{written_by} changes nothing of {body}")
    return {
        "name": f"{body}, by {written_by}",
        "original_base64": base64_of(original.encode()),
        "rewritten_base64": base64_of(rewritten),
        "rewritten": rewritten.decode(errors="backslashreplace"),
        "original_signed": original_signed,
        "rewritten_signed": rewritten_signed,
    }


cases = [case(*given) for given in CASES]
path = HERE / "rewritings.json"
path.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
print(f"{len(cases)} rewritings")
