"""Words as questions and answers are compared: folded, in their forms, in scripts with and without spaces."""

# ruff: noqa: RUF001 - words of other scripts

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from veille.core.search.snippets import folded
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS

_WORD: Final = re.compile(
    rf"[{UNSPACED_SIGNS}]+|[{UNSPACED_LETTERS}]+|\d+(?:[.,:]\d+)+|[^\W_{UNSPACED_SIGNS}{UNSPACED_LETTERS}]+"
)
_UNSPACED: Final = re.compile(f"[{UNSPACED_SIGNS}{UNSPACED_LETTERS}]")
#: How many letters words must begin with in common to be forms of one, and how long their endings may be.
_STEM, _ENDING = 4, 3
_SHORT_STEM, _SHORT_ENDING = 3, 1
#: A word within a longer one, as in compounds, has at least so many letters.
_PART = 5
#: What stands in front of a part has so many: "Betriebsleitung", but not "founded" for "under".
_BEFORE = 3
EXACT, FORM, COMPOUND = 1.0, 0.85, 0.5

#: Words that say nothing about what is asked: articles, prepositions, auxiliaries and question words.
STOP_WORDS: Final = frozenset(
    folded(
        # English
        "a about after all also am an and any are as at be because been before being between both but by can could "
        "did do does doing during each every for from get had has have having he her here hers him his how i if in "
        "into is it its itself just many may me might more most much must my no not of off on one only or other our "
        "out over own please s same she should so some such t tell than that the their them then there these they "
        "this those through to too under until up us very was we were what whats when where which while who whom "
        "whose why will with would you your know say says said show find there's did't long "
        # German
        "aber alle allem als also am an auch auf aus bei beim bin bis bitte da damit dann das dass dein dem den "
        "denn der des dich die dies diese dieser dir doch du durch ein eine einem einen einer eines er es euch fur "
        "gab gegen gibt hab habe haben hat hatte hatten ich ihm ihn ihr im in ist ja jede kann konnen man mein mich "
        "mir mit muss nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so soll uber um und uns unser "
        "unter viel viele vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem wen "
        "darf durfen soll sollen sollte konnte mussen "
        "wenn wer werden wie wieviel wird wir wo wurde wurden zu zum zur "
        # French
        "a ai au aux avec ce ces cet cette combien comment d dans de des du elle elles en est et etait etaient ete "
        "etre eu il ils j je l la le les leur leurs lui ma mais me mes mon n ne nous on ont ou par pas plus pour "
        "pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses son sont sur t ta te tes toi ton "
        "tu un une vos votre vous y peut peuvent peux puis doit doivent dois "
        # Spanish, Portuguese, Italian
        "al algo como con cual cuales cuando cuanta cuantas cuanto cuantos de del desde donde el ella en era eran "
        "puede pueden puedo podemos debe deben debo posso possono puo deve devo pode podem "
        "es esta estaba estan este esto ha hay la las le lo los mas mi muy no nos o para pero por porque que quien "
        "quienes se ser si sin sobre son su sus tiene un una uno y ya as ao aos com da das do dos e em foi foram na "
        "nas nao num os ou pelo pela quais qual quando quanta quanto quantos quem sao seu sua um uma agli ai alla "
        "alle allo anche che chi ci col come cosa dal dalla dei della delle di dove gli hanno ho i il in io l ma ne "
        "nei nel nella non per perche piu quale quali quanti questo sara sono sul sulla "
        # Dutch
        "aan als bij dat de deze die dit door een en er geen had heb hebben heeft het hij hoe hoeveel ik in is je "
        "kan met naar niet nog of om omdat ook op over te tot uit van veel voor waar waarom wanneer was wat we welk "
        "welke wie wij worden wordt ze zich zijn "
        # Russian, Polish
        "а без был была были было быть в во для до его ее если есть еще же за и из или им их к как какая какие "
        "какой какую когда кто ли мне мы на над не нет но о об он она они от по под при про с со так там то только "
        "ты у уже что чтобы это я сколько где чем чему чей czy co dla do gdzie i ile jak jaka jaki jakie jest kiedy "
        "kto na nie o od po sie sa to w z ze za "
    ).split()
)


def words_of(text: str) -> list[str]:
    """The words of a text, folded; of scripts without spaces, every two signs that stand together.

    >>> words_of("Der Eintritt kostet 12,50 €."), words_of("開館時間")
    (['der', 'eintritt', 'kostet', '12,50'], ['開館', '館時', '時間'])
    """
    found: list[str] = []
    for match in _WORD.finditer(folded(text)):
        word = match[0]
        if _UNSPACED.match(word):
            found += [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
        else:
            found.append(word)
    return found


def telling_words(text: str) -> list[str]:
    """The words of a text without stop words, each once, in order."""
    return list(dict.fromkeys(word for word in words_of(text) if word not in STOP_WORDS))


@lru_cache(maxsize=65_536)
def likeness(one: str, other: str) -> float:
    """How much two folded words are the same: 1 if they are, less for forms of one and parts of compounds, else 0.

    >>> likeness("tariff", "tariffs"), likeness("opening", "opens"), likeness("preis", "eintrittspreis")
    (0.85, 0.85, 0.5)
    >>> likeness("price", "prince"), likeness("2025", "2026")
    (0.0, 0.0)
    """
    if one == other:
        return EXACT
    if one[0].isdigit() or other[0].isdigit():
        return 0.0
    shorter, longer = sorted((one, other), key=len)
    common = next((at for at, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    endings = len(shorter) - common, len(longer) - common
    if common >= _STEM and max(endings) <= _ENDING and common > max(endings):
        return FORM
    if common >= _SHORT_STEM and max(endings) <= _SHORT_ENDING:
        return FORM
    if len(shorter) >= _PART and shorter in longer:
        return COMPOUND
    # A form of one at the end of the other: "leitet" and "Betriebsleitung".
    at = longer.rfind(stem(shorter), _BEFORE) if len(shorter) >= _PART else -1
    return COMPOUND if at > 0 and len(longer) - at - len(stem(shorter)) <= _ENDING else 0.0


def is_kana(word: str) -> bool:
    """Whether a word has hiragana in it, with which Japanese writes endings and particles."""
    return any("\u3040" <= sign <= "\u309f" for sign in word)


def stem(word: str) -> str:
    """What the forms of a word begin with, for a search by prefix."""
    if not word.isalpha() or len(word) <= _STEM:
        return word
    return word[: max(_STEM, len(word) - _ENDING)]
