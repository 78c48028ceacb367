"""Whether something can be bought: the states of schema.org, and what shops write in several languages."""

from __future__ import annotations

import re
from typing import Final

#: The states, from the one in which nothing can be had to the one in which everything can.
STATES: Final = ("discontinued", "out of stock", "backorder", "preorder", "limited", "in stock")
_SCHEMA: Final = {
    "instock": "in stock", "instoreonly": "in stock", "onlineonly": "in stock", "limitedavailability": "limited",
    "preorder": "preorder", "presale": "preorder", "backorder": "backorder", "madetoorder": "backorder",
    "outofstock": "out of stock", "soldout": "out of stock", "reserved": "out of stock",
    "discontinued": "discontinued", "oos": "out of stock", "availablefororder": "backorder",
    "available": "in stock", "unavailable": "out of stock", "pending": "preorder",
}  # fmt: skip
#: Words by state in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and Swedish. The first state
#: with a hit counts, so that `not available` is found before `available`.
_WORDS: Final = {
    "discontinued": (
        r"discontinued|no longer (?:available|sold|made)|end of life",
        r"nicht mehr (?:lieferbar|erhältlich|verfügbar)|eingestellt|auslaufartikel",
        r"(?:produit |article )?(?:discontinué|arrêté)|n'est plus (?:disponible|vendu)|descatalogado",
        r"descontinuado|ya no (?:está )?disponible|fuori produzione|non più disponibile|niet meer leverbaar",
        r"wycofan[yea]|utgått",
    ),
    "out of stock": (
        r"out of stock|sold[ -]?out|not (?:currently )?(?:available|in stock)",
        r"(?:currently |temporarily )?unavailable|no stock|ausverkauft|vergriffen",
        r"nicht (?:auf lager|lieferbar|verfügbar|vorrätig|erhältlich)",
        r"(?:derzeit |aktuell |momentan |zurzeit )?nicht (?:lieferbar|verfügbar)|en rupture|rupture de stock",
        r"épuisée?|indisponible|pas (?:disponible|en stock)|agotado|sin (?:stock|existencias)",
        r"no (?:está )?disponible|fuera de stock|esaurit[oa]|non (?:è )?disponibile|terminato|esgotado",
        r"indisponível|sem estoque|uitverkocht|niet (?:op voorraad|leverbaar|beschikbaar)|niedostępn[yea]",
        r"brak w magazynie|slut(?:såld)?(?: i lager)?|ej i lager|在庫(?:切れ|なし)|品切れ|売り切れ|缺货|无货|售罄|품절",
    ),
    "preorder": (
        r"pre-?order(?:s)?(?: now)?|vorbestell(?:bar|en|ung)|jetzt vorbestellen|pré-?commandes?|précommander",
        r"preventa|pre-?venta|reservar ahora|pre-?ordin[ea](?:bile)?|prenotabile|prevendita|pré-venda",
        r"reserveren|przedsprzedaż|förbeställ|予約(?:受付中)?|预售|예약",
    ),
    "backorder": (
        r"back-?order(?:ed)?|on order|available (?:to|on) order|made to order|ships in \d+|nachbestellt",
        r"(?:auf )?bestellung|lieferzeit|sur commande|en réassort|bajo pedido|por encargo|su ordinazione",
        r"sob encomenda|op bestelling|na zamówienie|beställningsvara",
    ),
    "limited": (
        r"limited (?:availability|stock)|low (?:in )?stock|only \d+ (?:items? )?(?:left|available|in stock)",
        r"last (?:one|items?)|few left|almost gone|nur noch \d+|nur (?:noch )?wenige",
        r"wenige (?:exemplare|stück)|restposten|letzte[sr]? (?:stück|artikel)|plus que \d+",
        r"stock (?:limité|faible)|derni(?:er|ers|ère|ères) (?:articles?|pièces?|exemplaires?)",
        r"(?:sólo |solo )?quedan? \d+|últim[oa]s (?:unidades|existencias)|pocas unidades",
        r"solo \d+ (?:rimast[ie]|disponibil[ie])|ultim[ei] (?:pezzi|disponibilità)|pochi (?:pezzi|disponibili)",
        r"nog \d+ op voorraad|残りわずか",
    ),
    "in stock": (
        r"in[ -]stock|available(?: now)?|ready to ship|ships (?:today|now)|auf lager|(?:sofort )?lieferbar",
        r"verfügbar|vorrätig|erhältlich|en stock|disponibles?|disponibile|disponibili|disponível|em estoque",
        r"in magazzino|en existencia|hay existencias|op voorraad|leverbaar|beschikbaar|dostępn[yea]",
        r"w magazynie|i lager|finns i lager|在庫あり|有货|现货|재고 있음",
    ),
}
_PATTERNS: Final = tuple(
    (state, re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)) for state, words in _WORDS.items()
)
_MOST_CHARS: Final = 300
#: Texts that are nothing but a state have at most so many characters.
_SHORT: Final = 40


def read_availability(text: str) -> str:
    """The state that a text, or an address of schema.org, tells; empty if it tells none.

    >>> read_availability("https://schema.org/OutOfStock"), read_availability("Sofort lieferbar")
    ('out of stock', 'in stock')
    """
    line = " ".join(text[:_MOST_CHARS].split()).replace("’", "'")  # noqa: RUF001 - what people write
    named = _SCHEMA.get(re.sub(r"[\W_]", "", line.rpartition("/")[2]).lower())
    if named:
        return named
    return next((state for state, pattern in _PATTERNS if pattern.search(line)), "")


def is_availability(text: str) -> bool:
    """Whether a text is nothing but a state: `In stock`, but not a sentence that has these words."""
    line = " ".join(text.split())
    if len(line) > _SHORT:
        return line.startswith(("http://schema.org/", "https://schema.org/")) and bool(read_availability(line))
    return any((match := pattern.search(line)) and len(match[0]) * 2 > len(line) for _, pattern in _PATTERNS)


def rank_of(state: str) -> int:
    """The place of a state among `STATES`, for comparisons."""
    return STATES.index(state) if state in STATES else -1
