"""Pictures of QR codes, read by a reader that knows Kanji mode."""

from __future__ import annotations

import io
import random
from xml.etree import ElementTree

import pytest
import zxingcpp
from PIL import Image

import libpayments
from libpayments.testing import payment_response

NAMESPACE = "{http://www.w3.org/2000/svg}"
SCRIPTS = {
    "ascii": [chr(code) for code in range(0x20, 0x7F)],
    "accents": list("ÁÉÍÓÚÂÊÔÃÕÇÑáéíóúâêôãõçñüß"),
    "capitals with accents": list("ÁÉÍÓÚÂÊÔÃÕÇÑ"),
    "punctuation": list("–—“”‘’…€£¿¡ºª°·№"),
    "chinese": [chr(code) for code in range(0x4E00, 0x9FA6)],
    "kana": [chr(code) for code in (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7))],
    "half-width kana": [chr(code) for code in range(0xFF61, 0xFFA0)],
    "korean": [chr(code) for code in range(0xAC00, 0xD7A4)],
    "cyrillic": [chr(code) for code in range(0x410, 0x450)],
    "greek": [chr(code) for code in (*range(0x391, 0x3A2), *range(0x3B1, 0x3CA))],
    "arabic": [chr(code) for code in range(0x621, 0x64B)],
    "hebrew": [chr(code) for code in range(0x5D0, 0x5EB)],
    "thai": [chr(code) for code in range(0xE01, 0xE2F)],
    "devanagari": [chr(code) for code in range(0x905, 0x93A)],
    "emoji": [chr(code) for code in range(0x1F600, 0x1F640)],
}
NAMES = [
    ("JOSÉ ÂNGELO", "SÃO PAULO"),
    ("ÁÉÍÓÚÂ COMÉRCIO", "BRASÍLIA"),
    ("LOJÃO ÍÓÚÇÃÕ", "GOIÂNIA"),
    ("Conceição Muñoz", "Juiz de Fora"),
    ("D’Ávila – “Café” €10…", "Belém"),
    ("李小龙商店有限公司圣保罗分公司", "圣保罗"),
    ("東京ショップ リベルダーデ", "サンパウロ"),
    ("김철수 상점", "상파울루"),
    ("Магазин Иванова", "Сан-Паулу"),
    ("Κατάστημα Αθήνα", "Σάο Πάολο"),
    ("متجر ساو باولو", "ساو باولو"),
    ("חנות של דוד", "סאו פאולו"),
    ("Padaria 🥖🍰 2", "SAO PAULO"),
    ("Loja 田中 & Иван 김", "SÃO 保罗"),
]


def pixels(file: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(file))
    assert (image.format, image.mode) == ("PNG", "1")
    return image


def read(file: bytes) -> str:
    [code] = zxingcpp.read_barcodes(pixels(file).convert("L"))
    assert code.format == zxingcpp.BarcodeFormat.QRCode
    return code.text


def drawn(text: str, *, module_size: int = 6) -> bytes:
    file = libpayments.qr_png(text, module_size=module_size)
    assert file is not None
    return file


def brcode(name: str, city: str) -> str:
    """A code as a bank makes it, with these names."""

    def field(number: int, value: str) -> str:
        return f"{number:02}{len(value):02}{value}"

    account = field(0, "br.gov.bcb.pix") + field(1, "123e4567-e89b-12d3-a456-426655440000")
    fields = [(0, "01"), (26, account), (52, "0000"), (53, "986"), (54, "10.00"), (58, "BR")]
    fields += [(59, name), (60, city), (62, field(5, "***"))]
    text = "".join(field(*each) for each in fields) + "6304"
    crc = 0xFFFF
    for byte in text.encode():
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ (0x1021 if crc & 0x8000 else 0)
        crc &= 0xFFFF
    return f"{text}{crc:04X}"


@pytest.mark.parametrize("script", SCRIPTS)
def test_texts_of_all_scripts_are_read(script: str) -> None:
    chance = random.Random(script)
    letters = SCRIPTS[script]
    for number in range(60):
        word = "".join(chance.choices(letters, k=chance.choice([1, 2, 3, 6, 10, 25])))
        digits = chance.randrange(10**9)
        ascii_beside = [word, f"PEDIDO {word} {digits}", f"{word}{digits}abc{word}"]
        text = ascii_beside[number % 3]
        assert read(drawn(text)) == text


def test_texts_of_several_scripts_are_read() -> None:
    chance = random.Random("mixed")
    letters = [letter for script in SCRIPTS.values() for letter in script]
    for _ in range(60):
        text = "".join(chance.choices(letters, k=chance.choice([2, 5, 20, 60])))
        assert read(drawn(text)) == text


@pytest.mark.parametrize(("name", "city"), NAMES)
def test_codes_of_banks_are_read(name: str, city: str) -> None:
    for text in (brcode(name, city), name, city):
        assert read(drawn(text)) == text


@pytest.mark.parametrize(
    ("letter", "most"),
    [("1", 5596), ("A", 3391), ("a", 2331), ("é", 1165), ("漢", 777), ("😀", 582)],
)
def test_texts_up_to_the_longest_are_read(letter: str, most: int) -> None:
    for length in (most, most // 2, most // 10):
        assert read(drawn(letter * length, module_size=3)) == letter * length
    assert libpayments.qr_png(letter * (most + 1)) is None
    assert libpayments.qr_svg(letter * (most + 1)) is None


@pytest.mark.parametrize(("name", "city"), NAMES[:3])
def test_the_svg_document_has_the_same_modules(name: str, city: str) -> None:
    svg = libpayments.qr_svg(brcode(name, city))
    image = pixels(drawn(brcode(name, city), module_size=1))
    assert svg is not None
    root = ElementTree.fromstring(svg)
    side = image.width
    assert svg.startswith("<svg ")
    assert (root.tag, root.get("role")) == (f"{NAMESPACE}svg", "img")
    assert root.get("viewBox") == f"0 0 {side} {side}"
    title, light, dark = root
    assert (title.tag, title.text) == (f"{NAMESPACE}title", "QR code")
    assert light.get("d") == f"M0 0h{side}v{side}H0z"
    found = set()
    for run in dark.attrib["d"].split("M")[1:]:
        start, _, rest = run.partition("h")
        x, y = map(int, start.split())
        width = int(rest.partition("v")[0])
        assert rest == f"{width}v1h-{width}z"
        found |= {(x + step, y) for step in range(width)}
    everywhere = ((x, y) for x in range(side) for y in range(side))
    assert found == {place for place in everywhere if image.getpixel(place) == 0}


def test_a_module_has_the_size_that_was_asked_for() -> None:
    modules = pixels(drawn("00020126", module_size=1)).width
    assert modules == 21 + 2 * 4
    assert pixels(drawn("00020126")).size == (6 * modules, 6 * modules)
    for size in (2, 7, 64):
        assert pixels(drawn("00020126", module_size=size)).size == (size * modules,) * 2
        assert read(drawn("00020126", module_size=size)) == "00020126"
    for refused in (0, 65, -1, 2**40, True, 1.5, "6", None):
        with pytest.raises(libpayments.ValidationError, match="pixels from 1 to 64") as caught:
            libpayments.qr_png("00020126", module_size=refused)  # type: ignore[arg-type]
        assert caught.value.path == "module_size"


def test_a_response_draws_its_code() -> None:
    made = payment_response(qr_code_value="0002")
    assert made.qr_png() == drawn("0002")
    assert made.qr_png(module_size=2) == drawn("0002", module_size=2)
    assert made.qr_svg() == libpayments.qr_svg("0002")
    assert payment_response().qr_png() is None
