"""Makes the test keys (only those that are missing) and tokens.json.

Run in this folder, with the `cryptography` package and the commands `openssl`, `certtool` and
`keytool`:

    python3 -m venv .venv && .venv/bin/pip install cryptography
    .venv/bin/python make_tokens.py

The tokens are made by OpenSSL, so that they are known answers from outside
for the library's own signing. PKCS#1 v1.5 signatures are deterministic: with
the committed keys, every run writes the same tokens.json.
"""

import base64
import datetime
import json
import math
import pathlib
import subprocess

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    pkcs7,
    pkcs12,
)
from cryptography.x509.oid import NameOID

HERE = pathlib.Path(__file__).resolve().parent
KEYS = HERE / "keys"
PASSPHRASE = b"test passphrase, no secret"

KIDS = {
    "plain": "test-key-1",
    "quotes": 'a "quoted" kid',
    "backslash": "back\\slash\\\\twice",
    "slash": "https://example.test/keys/1",
    "non_ascii": "clé-ключ-鍵-🔑",
}

MIB_RULE = {"repeat": "0123456789abcdef", "times": 65536}

BODIES = {
    "empty": b"",
    "space": b" ",
    "line_end": b"\n",
    "white_space": b" \t\r\n  \r\n",
    "json": b'{"integration_key":"TEST","payment":{"name":"Jos\xc3\xa9","amount_total":100.10}}',
    "json_spaced": b'{ "amount" : 1.50 ,\n  "country" : "br" }\n',
    "emoji": "{\"name\":\"\U0001f600 e\u0301\"}".encode(),
    "nul_bytes": b"\x00\x01{}\x00\x00",
    "not_utf8": bytes(range(256)),
    "periods": b"..a.b..",
    "mib": MIB_RULE,
}


def write_new(name, content):
    """Writes a file of the keys' folder unless it is there already."""
    path = KEYS / name
    if not path.exists():
        path.write_bytes(content)
    return path


def private_pem(key, form=PrivateFormat.PKCS8, encryption=None):
    return key.private_bytes(Encoding.PEM, form, encryption or NoEncryption())


def rsa_key(name, bits):
    path = KEYS / f"{name}_pkcs8.pem"
    if not path.exists():
        path.write_bytes(private_pem(rsa.generate_private_key(65537, bits)))
    return load_pem_private_key(path.read_bytes(), None, unsafe_skip_rsa_key_validation=True)


def run(name, *command):
    """Runs a command whose last argument is the file that it writes."""
    path = KEYS / name
    if not path.exists():
        subprocess.run([*command, str(path)], check=True)


def openssl(name, *arguments):
    run(name, "openssl", *arguments, "-out")


def make_forms(name, key):
    """The same key in every form that is accepted."""
    der, pem = Encoding.DER, Encoding.PEM
    pkcs8, pkcs1 = PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL
    encryption = BestAvailableEncryption(PASSPHRASE)
    write_new(f"{name}_pkcs8.der", key.private_bytes(der, pkcs8, NoEncryption()))
    write_new(f"{name}_pkcs1.pem", key.private_bytes(pem, pkcs1, NoEncryption()))
    write_new(f"{name}_pkcs1.der", key.private_bytes(der, pkcs1, NoEncryption()))
    write_new(f"{name}_encrypted.pem", key.private_bytes(pem, pkcs8, encryption))
    write_new(f"{name}_encrypted.der", key.private_bytes(der, pkcs8, encryption))
    make_public(name, key)
    public = key.public_key()
    write_new(f"{name}_public.der", public.public_bytes(der, PublicFormat.SubjectPublicKeyInfo))
    write_new(f"{name}_public_pkcs1.pem", public.public_bytes(pem, PublicFormat.PKCS1))
    write_new(f"{name}_public_pkcs1.der", public.public_bytes(der, PublicFormat.PKCS1))
    source = str(KEYS / f"{name}_pkcs8.pem")
    passout = ["-passout", "pass:" + PASSPHRASE.decode()]
    openssl(f"{name}_encrypted_scrypt.pem",
            "pkcs8", "-topk8", "-scrypt", "-scrypt_N", "1024", "-in", source, *passout)
    for function in ("SHA1", "SHA224", "SHA512"):
        openssl(f"{name}_encrypted_{function.lower()}.pem", "pkcs8", "-topk8", "-v2", "aes-192-cbc",
                "-v2prf", f"hmacWith{function}", "-in", source, *passout)
    run(f"{name}_encrypted_gnutls.pem", "certtool", "--to-p8", "--load-privkey", source,
        "--password", PASSPHRASE.decode(), "--pkcs-cipher", "aes-256", "--outfile")


def make_public(name, key):
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    write_new(f"{name}_public.pem", public)


def make_refused(key):
    """Files that must each be refused with their own message."""
    passphrase = PASSPHRASE.decode()
    source = str(KEYS / "test_rsa_4096_pkcs8.pem")
    write_new("refused_legacy_encrypted.pem", private_pem(
        key, PrivateFormat.TraditionalOpenSSL, BestAvailableEncryption(PASSPHRASE)))
    write_new("refused_openssh.pem", private_pem(key, PrivateFormat.OpenSSH))
    openssl("refused_pbes1.pem", "pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES", "-in", source,
            "-passout", "pass:" + passphrase)
    openssl("refused_des3.pem", "pkcs8", "-topk8", "-v2", "des3", "-in", source,
            "-passout", "pass:" + passphrase)
    openssl("refused_pss.pem", "genpkey", "-algorithm", "RSA-PSS",
            "-pkeyopt", "rsa_keygen_bits:2048")
    openssl("refused_pss_public.pem", "pkey", "-in", str(KEYS / "refused_pss.pem"), "-pubout")

    curve = KEYS / "refused_ec_p256_pkcs8.pem"
    write_new(curve.name, private_pem(ec.generate_private_key(ec.SECP256R1())))
    curve_key = load_pem_private_key(curve.read_bytes(), None)
    write_new("refused_ec_p256_sec1.pem", private_pem(curve_key, PrivateFormat.TraditionalOpenSSL))
    make_public("refused_ec_p256", curve_key)
    edwards = KEYS / "refused_ed25519_pkcs8.pem"
    write_new(edwards.name, private_pem(ed25519.Ed25519PrivateKey.generate()))
    make_public("refused_ed25519", load_pem_private_key(edwards.read_bytes(), None))

    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test only")])
    start = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject)
        .public_key(key.public_key()).serial_number(1)
        .not_valid_before(start).not_valid_after(start + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256()))
    write_new("refused_certificate.pem", certificate.public_bytes(Encoding.PEM))
    request = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(
        key, hashes.SHA256())
    write_new("refused_certificate_request.pem", request.public_bytes(Encoding.PEM))
    write_new("refused_pkcs12.p12", pkcs12.serialize_key_and_certificates(
        b"test only", key, certificate, None, BestAvailableEncryption(PASSPHRASE)))
    write_new("refused_pkcs7.p7b", pkcs7.serialize_certificates([certificate], Encoding.PEM))
    openssl("refused_three_primes.pem", "genpkey", "-algorithm", "RSA",
            "-pkeyopt", "rsa_keygen_bits:4096", "-pkeyopt", "rsa_keygen_primes:3")
    run("refused_keystore.jks", "keytool", "-importkeystore", "-noprompt",
        "-srckeystore", str(KEYS / "refused_pkcs12.p12"), "-srcstorepass", passphrase,
        "-deststorepass", passphrase, "-deststoretype", "JKS", "-destkeystore")


def make_composite(q):
    """A key of which p is no prime: nothing but a signature tells."""
    path, e = KEYS / "test_composite_rsa_4096.pem", 65537
    while not path.exists():
        factors = rsa.generate_private_key(e, 2048).private_numbers()
        p = factors.p * factors.q
        period = math.lcm(p - 1, q - 1)
        if math.gcd(e, period) != 1 or (p * q).bit_length() != 4096:
            continue
        d = pow(e, -1, period)
        numbers = [0, p * q, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)]
        contents = [element(2, it.to_bytes(it.bit_length() // 8 + 1, "big")) for it in numbers]
        text = base64.b64encode(element(0x30, b"".join(contents))).decode()
        lines = [text[at:at + 64] for at in range(0, len(text), 64)]
        label = "RSA PRIVATE KEY-----"
        path.write_text("\n".join([f"-----BEGIN {label}", *lines, f"-----END {label}", ""]))


def element(tag, contents):
    length = len(contents)
    if length < 128:
        return bytes([tag, length]) + contents
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(digits)]) + digits + contents


def base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def body_bytes(body):
    return body["repeat"].encode() * body["times"] if isinstance(body, dict) else body


def token(key, kid, body):
    header = {"alg": "RS256", "kid": kid, "b64": False, "crit": ["b64"]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False)
    encoded = base64url(text.encode())
    signed = encoded.encode() + b"." + body
    return f"{encoded}..{base64url(key.sign(signed, padding.PKCS1v15(), hashes.SHA256()))}"


def case(key_name, key, kid_name, body_name):
    body = BODIES[body_name]
    given = {"body_rule": body} if isinstance(body, dict) else {
        "body_base64": base64.b64encode(body).decode()}
    return {
        "name": f"{key_name}/{kid_name}/{body_name}",
        "key": key_name,
        "kid": KIDS[kid_name],
        **given,
        "token": token(key, KIDS[kid_name], body_bytes(body)),
    }


def main():
    KEYS.mkdir(exist_ok=True)
    keys = {f"test_rsa_{bits}": rsa_key(f"test_rsa_{bits}", bits) for bits in (4096, 3072, 2048)}
    for name, key in keys.items():
        make_public(name, key)
    make_forms("test_rsa_4096", keys["test_rsa_4096"])
    make_public("test_other_rsa_4096", rsa_key("test_other_rsa_4096", 4096))
    for bits in (1024, 8192):
        make_public(f"refused_rsa_{bits}", rsa_key(f"refused_rsa_{bits}", bits))
    make_refused(keys["test_rsa_4096"])
    make_composite(keys["test_rsa_4096"].private_numbers().q)

    cases = [case("test_rsa_4096", keys["test_rsa_4096"], kid, body)
             for kid in KIDS for body in BODIES if kid == "plain" or body in ("empty", "json")]
    cases += [case(name, keys[name], "plain", body)
              for name in ("test_rsa_3072", "test_rsa_2048") for body in BODIES]
    with open(HERE / "tokens.json", "w", encoding="utf-8") as out:
        json.dump({"cases": cases}, out, indent=1, ensure_ascii=False)
        out.write("\n")


main()
