"""Endings of words in languages that the index does not stem, to find other forms of a word by its beginning.

The index stems English, and French well enough. Other languages are known by their script, or by the small words of a
question. Only the words of questions are cut: what is left is the beginning of a word of the index. That stems them
well enough, and costs nothing when documents are indexed.
"""
# ruff: noqa: RUF001 - these are not Latin letters

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

#: By script: what a word is, its endings, and how many letters are left at least. The longest ending that
#: leaves enough is cut off. Three letters are the most: more would leave the beginnings of too many other words.
_SCRIPTS = (
    (
        re.compile("[а-яіїєґ]{4,}"),
        (
            "ями ами ией иям иях ием ыми ими ого его ому ему ать ять ить еть уть ыть ешь ишь ете ите ает ают яет яют "
            "ует уют ала или али ая яя ое ее ые ие ый ий ой ей ую юю ах ях ов ев ам ям ом ем ия ию ии ью ья ут ют ат "
            "ят ит ет а я о е ы и у ю ь й"
        ).split(),
        4,
    ),
    (
        re.compile("[α-ω]{5,}"),
        "εων ους εις ων ες ος ου ας ης οι ει ια α η ο ι υ ε ω ς".split(),
        4,
    ),
    (
        re.compile("[\u0900-\u097f]{4,}"),
        "ियाँ ियों ाओं ाएँ ों ें ाँ ीं ं ँ ा ि ी ु ू े ै ो ौ".split(),
        3,
    ),
    (
        # What Korean writes behind a noun: particles, several of them, and forms of "do" and "become".
        re.compile("[가-힣]{2,}"),
        (
            "에서는 에서도 으로는 으로도 이라는 이라고 하십시오 합니다 입니다 됩니다 습니다 하려면 하면서 "
            "되었습 에서 에는 에도 에게 한테 으로 로는 로서 이나 이란 이라 라는 라고 까지 부터 처럼 "
            "보다 마다 조차 마저 밖에 하기 하는 하고 하여 하면 해서 했다 되는 되고 되어 되면 들을 "
            "들이 들의 들은 들에 은 는 이 가 을 를 의 에 로 와 과 도 만 께 나 란 들 한 할 함 "
            "해 된 될 됨 인"
        ).split(),
        2,
    ),
)
#: Languages in Latin letters: small words by which a question is known to be in one of them. Some are there only so
#: that they are not taken for another.
_SMALL_WORDS = {
    "en": frozenset(
        (
            "a an the of and or is are was were be been being am in on at to for with from by as it its this that "
            "these those than then not no do does did has have had having can could may might must shall should will "
            "would what which who whom whose how why when where i me my you your he she his her we us our they them "
            "their there here if so but about into over after before many much any some only also other out up"
        ).split()
    ),
    "fr": frozenset(
        (
            "le la les un une des du de et à a au aux en dans sur pour par avec sans sous chez entre vers après avant "
            "qui que quoi quel quelle quels quelles dont comment combien pourquoi où quand est sont était ont été être "
            "avoir ce cet cette ces se sa son ses ne pas plus je tu il elle on nous vous ils elles me mon ma mes ton "
            "notre votre leur leurs y faut fait peut peux puis doit ou si mais aussi tout tous toute l d c n j qu"
        ).split()
    ),
    "ro": frozenset(
        "în și la de cu pe din ce care cine cum când unde este sunt fost un o al ale nu se mai sau pentru că".split()
    ),
    "vi": frozenset(
        (
            "của là và có các những một được không người cho trong ở khi nào bao nhiêu gì ai đâu sao với từ đã sẽ này "
            "đó về tại vì do để như hay bị ra vào trên dưới bằng thì mà nên cần phải làm thế đến theo hoặc"
        ).split()
    ),
    "sv": frozenset(
        (
            "och att det som en ett på av för med den till är var vad vem hur varför när i jag du vi man kan får inte "
            "om eller har från så"
        ).split()
    ),
    "de": frozenset(
        (
            "der die das den dem des ein eine einer einen einem eines und oder ist sind war waren sein im in am an zu "
            "zum zur nicht kein keine mit ohne von vom für gegen auf nach bei beim aus um bis seit vor über unter "
            "durch zwischen ins als auch aber noch nur wenn ob so man ich du er sie es wir ihr mich mir mein meine "
            "meinen meiner wer wen wem wie was wo wohin woher wann warum wieso weshalb welche welcher welches welchen "
            "diese dieser dieses diesen wird wurde wurden werden hat haben habe gibt gab kann kannst können darf "
            "dürfen muss müssen soll sollte will sich viel viele"
        ).split()
    ),
    "es": frozenset(
        (
            "el la los las lo le un una unos unas de del y o en a al por para con sin que qué quién quiénes cómo como "
            "cuándo cuando dónde donde cuál cuáles cuánto cuánta cuántos cuántas es son era fue ser está están se su "
            "sus mi mis me yo tu este esta estos estas eso esa tras sobre entre desde hasta hay ha han había puedo "
            "puede pueden tiene tienen tengo debo si sí no más pero también muy"
        ).split()
    ),
    "it": frozenset(
        (
            "il lo la gli le i un uno una di del della dei delle degli dal dalla al alla ai alle agli nel nella nei "
            "sul sulla con per da in a e ed o che chi cosa come quando dove perché quale quali quanto quanta quanti "
            "quante è sono era fu essere ho ha hanno c si ci ne mi io mio mia questo questa questi queste quello non "
            "più ma se anche posso può devo su tra fra l"
        ).split()
    ),
    "pt": frozenset(
        (
            "o a os as um uma de da do das dos em na no nos nas num numa por pelo pela para com sem que quem como "
            "quando onde qual quais quanto quantos quantas porque é são era foi ser está estão ao à às e ou mas se "
            "não mais também eu me meu minha seu sua este esta isso há tem ter posso pode"
        ).split()
    ),
    "nl": frozenset(
        (
            "de het een en of in van op met voor naar bij uit aan om te tot over onder door tegen zonder na als dan "
            "dat dit deze die er wie wat waar wanneer waarom hoe hoeveel welke welk is was zijn zijn wordt werd worden "
            "heeft hebben heb ik je u we wij hij zij ze mijn kan kunt kunnen mag moet moeten zal wil niet geen ook "
            "maar nog"
        ).split()
    ),
}
#: The endings of words in such languages.
_LATIN_ENDINGS = {
    "de": frozenset("ern en er es em et st te e n s t".split()),
    "es": frozenset("ado ada ido ida ar er ir os as es an en o a e".split()),
    "it": frozenset("ato ata ito ita are ere ire i e o a".split()),
    "pt": frozenset("ado ada ido ida ar er ir os as es o a e".split()),
    "nl": frozenset("en er es e n s t".split()),
}
#: So many of its small words make a language known.
_KNOWN_BY = 2
#: Languages that write compounds as one word; a question without small words may be in one of them.
COMPOUNDING = frozenset("de nl sv da nb nn no is fi et hu lb".split())
_COMPOUND_TONGUES = frozenset({"", "de", "nl", "sv"})
#: A shorter word is no compound; and shorter parts are at the end of many words.
_SHORTEST_COMPOUND = 10
_COMPOUND = re.compile(rf"[^\W\d_]{{{_SHORTEST_COMPOUND},60}}")
_SHORTEST_PART = 4
_FIRST_LETTERS = 3
#: Letters between the parts of a compound.
_JOINTS = ("", "s", "n", "en", "es", "e")
_LATIN = re.compile("[a-z\u00df-\u024f]{5,}")
_LEAST_LATIN = 4
_LONGEST_ENDING = 4


def tongue(words: Sequence[str]) -> str:
    """The language of a question in Latin letters, by its small words; empty if that is not clear.

    >>> tongue("warum will man die brücke schließen".split()), tongue("why is the bridge closed".split())
    ('de', 'en')
    """
    counts = {name: sum(word in small for word in words) for name, small in _SMALL_WORDS.items()}
    (best, most), (_, second) = sorted(counts.items(), key=lambda one: -one[1])[:2]
    return best if most > second and most >= _KNOWN_BY else ""


def small_words(words: Sequence[str]) -> frozenset[str]:
    """Those of the words of a question that say nothing about what it asks for, in its language; none if all are small.

    >>> sorted(small_words("how much memory do i need".split()))
    ['do', 'how', 'i', 'much']
    """
    small = _SMALL_WORDS.get(tongue(words), frozenset())
    return small.intersection(words) if small and not small.issuperset(words) else frozenset()


def beginning(word: str, lang: str = "") -> str:
    """The beginning that the forms of a word have in common; empty if its language is not known here.

    >>> beginning("паромов"), beginning("мост"), beginning("ferries"), beginning("renovieren", "de")
    ('паром', 'мост', '', 'renovier')
    >>> beginning("도서관에서는"), beginning("나이")
    ('도서관', '나이')
    """
    for letters, endings, least in _SCRIPTS:
        if letters.fullmatch(word):
            return _cut(word, endings, least)
    known = _LATIN_ENDINGS.get(lang)
    return _cut(word, known, _LEAST_LATIN) if known and _LATIN.fullmatch(word) else ""


def backwards(text: str) -> list[str]:
    """The long words of a text without endings, backwards: by its beginning, a compound is found that ends with a word.

    Without its first letters it is not found by itself, which would count twice.

    >>> backwards("Die Stadtbibliotheken")
    ['kehtoilbibtd']
    """
    # Split at blanks first: a pattern that tries every letter of a text takes ten times as long.
    long = " ".join([word for word in text.lower().split() if len(word) >= _SHORTEST_COMPOUND])
    return [_backwards(word)[:-_FIRST_LETTERS] for word in _COMPOUND.findall(long)]


def end_of_compound(word: str, lang: str = "") -> str:
    """The beginning of `backwards` of compounds that end with this word; empty if the language has none."""
    is_plain = word[1:].islower() and _LATIN.fullmatch(word.lower())
    return _backwards(word.lower()) if is_plain and lang in _COMPOUND_TONGUES else ""


def splits(word: str) -> list[tuple[str, str]]:
    """The two words of which a compound may be made, the longest first one first; none if it is too short.

    >>> ("festplatte", "verschlüsselung") in splits("Festplattenverschlüsselung")
    True
    """
    lower = word.lower()
    if not _COMPOUND.fullmatch(lower) or not _LATIN.fullmatch(lower):
        return []
    return [
        (lower[:at].removesuffix(joint), lower[at:])
        for at in range(len(lower) - _SHORTEST_PART, _SHORTEST_PART - 1, -1)
        for joint in _JOINTS
        if lower[:at].endswith(joint) and at - len(joint) >= _SHORTEST_PART
    ]


def _backwards(word: str) -> str:
    return _cut(word, _LATIN_ENDINGS["de"], _LEAST_LATIN)[::-1]


def _cut(word: str, endings: Collection[str], least: int) -> str:
    """The word without the longest of these endings that leaves enough letters."""
    for length in range(min(_LONGEST_ENDING, len(word) - least), 0, -1):
        if word[-length:] in endings:
            return word[:-length]
    return word
