"""Currencies as people write them: symbols, abbreviations and ISO 4217 codes."""

# ruff: noqa: RUF001 - people write in every alphabet

from __future__ import annotations

import re
from typing import Final

#: The codes in use.
CODES: Final = frozenset(
    (
        "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF "
        "CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD "
        "HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD "
        "MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN "
        "PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD "
        "TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW BTC ETH"
    ).split()
)
#: Currencies whose prices have another number of decimals than two.
DECIMALS: Final = dict.fromkeys("CLP ISK JPY KRW PYG UGX VND VUV XAF XOF XPF".split(), 0) | dict.fromkeys(
    "BHD IQD JOD KWD LYD OMR TND".split(), 3
)
#: What stands beside a number, in lower case; of signs that several countries use, the most common one.
_WRITTEN: Final = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "eur.": "EUR", "£": "GBP", "gb£": "GBP", "$": "USD", "us$": "USD",
    "u$s": "USD", "usd$": "USD", "a$": "AUD", "au$": "AUD", "c$": "CAD", "ca$": "CAD", "can$": "CAD", "nz$": "NZD",
    "hk$": "HKD", "s$": "SGD", "sg$": "SGD", "nt$": "TWD", "r$": "BRL", "mx$": "MXN", "mex$": "MXN", "ar$": "ARS",
    "cl$": "CLP", "col$": "COP", "¥": "JPY", "￥": "JPY", "jp¥": "JPY", "円": "JPY", "cn¥": "CNY", "元": "CNY",
    "rmb": "CNY", "₹": "INR", "rs": "INR", "rs.": "INR", "₨": "INR", "₩": "KRW", "원": "KRW", "₽": "RUB",
    "руб": "RUB", "руб.": "RUB", "р.": "RUB", "₺": "TRY", "tl": "TRY", "₴": "UAH", "грн": "UAH", "грн.": "UAH",
    "zł": "PLN", "zl": "PLN", "kč": "CZK", "kc": "CZK", "ft": "HUF", "lei": "RON", "leu": "RON", "лв": "BGN",
    "лв.": "BGN", "₪": "ILS", "฿": "THB", "บาท": "THB", "₫": "VND", "đ": "VND", "vnđ": "VND", "₱": "PHP", "₦": "NGN",
    "fr.": "CHF", "sfr.": "CHF", "sfr": "CHF", "₡": "CRC", "₲": "PYG", "₸": "KZT", "₾": "GEL", "₿": "BTC", "rm": "MYR",
    "rp": "IDR", "rp.": "IDR", "dh": "AED", "dhs": "AED", "د.إ": "AED", "درهم": "AED", "ر.س": "SAR", "ريال": "SAR",
    "﷼": "IRR", "ج.م": "EGP", "e£": "EGP", "د.ك": "KWD", "ksh": "KES", "s/": "PEN", "s/.": "PEN", "bs.": "BOB",
    "r": "ZAR", "дин": "RSD", "дин.": "RSD", "din": "RSD", "kn": "HRK", "৳": "BDT", "₵": "GHS", "₼": "AZN", "֏": "AMD",
    "₮": "MNT", "៛": "KHR", "₭": "LAK", "kr": "kr", "kr.": "kr",
}  # fmt: skip
#: Whose `kr` it is, by the language of the text.
_CROWNS: Final = {"sv": "SEK", "da": "DKK", "no": "NOK", "nb": "NOK", "nn": "NOK", "is": "ISK"}
_CROWN_CODES: Final = frozenset(map(str.casefold, _CROWNS.values()))
_LONGEST_FIRST: Final = "|".join(re.escape(name) for name in sorted(_WRITTEN, key=len, reverse=True))
#: A currency in a text: letters must not go on around it, except beside Chinese signs.
CURRENCY: Final = re.compile(
    rf"(?<![^\W\d_])(?:(?P<code>{'|'.join(sorted(CODES))})\$?(?![^\W\d_])|(?P<sign>(?i:{_LONGEST_FIRST}))(?![^\W\d_]))"
    r"|(?P<east>[円元원])"
)


def currency_of(match: re.Match[str], lang: str = "") -> str:
    """The ISO code of a match of `CURRENCY`; `kr` if nobody says whose crowns these are."""
    if match["code"]:
        return match["code"]
    found = _WRITTEN[(match["sign"] or match["east"]).lower()]
    return _CROWNS.get(lang, found) if found == "kr" else found


def is_same_unit(a: str, b: str) -> bool:
    """Whether numbers in these units can be compared; one without unit can be with any, and `kr` with all crowns."""
    if not a or not b or a == b:
        return True
    units = {a.casefold(), b.casefold()}
    return len(units) == 1 or ("kr" in units and not units.isdisjoint(_CROWN_CODES))


def decimals_of(unit: str) -> int:
    """How many decimals prices in this currency have."""
    return DECIMALS.get(unit, 2)
