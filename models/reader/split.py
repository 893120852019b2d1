"""The one split of every model: a text is on the test side where the first byte of the SHA-256 of its normalised form
is 0 mod 5 (evaluate.IsTest in Go; split_test.py checks that both agree on the same texts)."""
import hashlib
import re
import unicodedata

SPACE = re.compile("[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def _fold(c):
    if "\u4e00" <= c <= "\u9fff":
        return c
    n = unicodedata.normalize("NFKC", c)
    c = n if len(n) == 1 else c
    low = c.lower()
    return low if len(low) == 1 else low[0] if c == "\u0130" else c


def normalised(text):
    return SPACE.sub(" ", "".join(map(_fold, text))).strip(" ")


def digest(text):
    return hashlib.sha256(normalised(text).encode("utf-8", "surrogatepass")).digest()


def is_test(text):
    return digest(text)[0] % 5 == 0


def side(text):
    """test, dev (a twentieth of the rest: calibration and the learning curve) or train."""
    d = digest(text)
    return "test" if d[0] % 5 == 0 else "dev" if d[1] % 20 == 0 else "train"


def written_side(text):
    """As side, with a fifth of our own passages for dev: models that join several others are fitted on those (evaluate.IsJoining in Go)."""
    d = digest(text)
    return "test" if d[0] % 5 == 0 else "dev" if d[1] % 5 == 0 else "train"
