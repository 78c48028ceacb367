"""What a question asks: its telling words, the time it names, whether it asks for changes, and what would answer it."""

# ruff: noqa: RUF001 - words of other scripts

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from veille.core.ask.expecting import Expected, counted_by, expected_by, kind_words, needed_by, opening_words
from veille.core.ask.moments import BEGINNING, FOREVER, Moment, TimeRelation, joined, moments_of, unread
from veille.core.ask.wording import telling_words, words_of
from veille.core.dates import iso
from veille.core.search.snippets import folded
from veille.core.text import flat

#: Longer questions are pasted texts: the sentences in them that ask, or their beginning, say what they are about.
MAX_CHARS: Final = 2000
MAX_TERMS: Final = 40
_ASKING: Final = re.compile(r"[^.!?。！？؟]*[?？؟]")

_CHANGED: Final = re.compile(
    r"\b(?:changed|has changed|differ(?:s|ed|ent)?(?! (?:between|kinds|sorts|types|ways))|updated|revised|amended"
    r"|modified|altered|changes? (?:in|to|of|about|since|for|at|on|were|was|did|have|has)|what changes?|which changes?"
    r"|what(?:'s|’s| is) new"
    r"|anything new|geander\w*|veranderte?n?|anderung\w*|was ist neu|gibt es neues|neues"
    r"|chang(?:e|er|es|ee|ees|ement|ements)|modifie\w*|quoi de neuf"
    r"|cambi(?:o|os|ado|ados|ada|aron|ato|ati|ata|amenti|amento)|modificad\w+|modificat\w+|que hay de nuevo"
    r"|mudou|mudaram|mudanca\w*|alterad\w+|alterou|veranderd|gewijzigd|wijziging\w*"
    r"|изменил\w*|изменен\w*|поменял\w*|что нового|zmienil\w*|zmian\w*)\b"
    r"|変わ|変更|改变|变化|变更|修改"
)
_CHANGE: Final = re.compile(r"\bchang(?:e|es|ing)\b")
#: In English these are also things: "the change fee".
_THING: Final = re.compile(
    # In French "a changé" is none.
    r"\b(?:the|a) change (?!(?:depuis|entre|avant|apres|dans|sur|aux?|a|l[ea]s?|de|du|des|en|pour|chez|ce|cette|ces)"
    r"\b)\w+|exchange|\bchange (?:fee|fees|machine|cost|costs)\b"
)
#: What changes do, where a question asks whether they did, and what came to pass at a time that it names.
_MOVED: Final = re.compile(
    r"(?<=\w )(?:gone (?:up|down)|(?:in|de)creased?|risen|rise|raised?|dropped|fallen|fall|lowered|developed|gestiegen"
    r"|gesunken|gefallen|erhoht|gesenkt|entwickelt|teurer|billiger|augmente\w*|baisse\w*|subido|bajado|aumentat[oaie]"
    r"|sces[oaie]|aumentou|gestegen|gedaald|вырос\w*|подорожал\w*|снизил\w*)\b"
)
_WHETHER: Final = re.compile(
    r"^\W*(?:(?:how (?:much |far |many times )?)?(?:has|have|had|did)|(?:wie |um wie ?viel )?(?:ist|sind|hat|haben)"
    r"|(?:combien |de combien )?(?:est-ce que )?(?:le|la|les|l)|(?:cuanto )?(?:ha|han)|(?:quanto )?(?:e|sono)|is|zijn"
    r"|на сколько|насколько)\b"
)
_HAPPENED: Final = re.compile(
    r"\b(?:happen(?:ed|s|ing)|passiert\w*|geschehen|geschah|(?:s'est|se sont|s est) passe\w*|(?:que|qué) paso|ha pasado"
    r"|e successo|aconteceu|gebeurd\w*|gebeurde|произошло|случилось)\b"
)
_WAS: Final = re.compile(
    r"\b(?:was|were|did|had|war|waren|wurden?|hatten?|galt\w*|kostete\w*|betrug\w*|(?:hat|haben)(?=.*\b\w*ge(?!offnet|schlossen)\w+(?:t|en)\b)|etai(?:t|ent)|coutai(?:t|ent)"
    r"|era[ns]?|erano|fue|costaban?|costava|custava|kostte|was|waren|бы(?:л|ла|ло|ли)|стоил\w*|kosztowal\w*|byl[aoy]?)\b"
)
#: Who asks how something is changed does not ask whether it was: "how do I change my password", "wie ändere ich".
_HOW_TO: Final = re.compile(
    r"^\W*(?:(?:where |when )?(?:can|could|may|should) (?:i|we|you|one)|(?:wo |wann )?(?:kann|darf|soll) (?:ich|man)"
    r"|(?:ou |quand )?(?:puis-je|peut-on|puis je|peut on)|(?:donde )?(?:puedo|se puede)|dove (?:posso|si)"
    r"|kan (?:ik|je|men)|можно ли|how (?:do|does|can|could|to|should|often|is|are)"
    r"|wie (?:kann|konnen|oft|haufig|wird|werden|\w+e) "
    r"|comment (?:faire|puis|peut|peux|on|\w+(?:er|ir|re))|como (?:puedo|posso|se|hago|faco|\w+[aei]r)"
    r"|come (?:si|posso|faccio|\w+[aei]re)|hoe (?:kan|kun|vaak|\w+ ik)|как (?:можно|мне|часто|\w+ть))\b"
)
#: Where a change is asked for, these are the documents themselves: "on the page of the ferry".
_DOCUMENT: Final = re.compile(
    r"\b(?:(?:web ?)?(?:pages?|sites?|seiten?)|documents?|dokumente?[ns]?|paginas?|pagin[ae]|documentos?|document[oi]|"
    r"страниц\w*)\b"
)
_NEWEST: Final = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|recent(?:ly)?|current(?:ly)?|now|neuest\w*|aktuell\w*|derzeit|jetzt"
    r"|jungst\w*"
    r"|derniere?s?|actuel\w*|maintenant|recemment|ultim[oa]s?|actual(?:es|mente)?|ahora|recientes?|attual\w*|adesso"
    r"|atual\w*|agora|recente\w*|huidige?|laatste|nu|последн\w*|сейчас|нынешн\w*|текущ\w*|najnowsz\w*)\b"
)


#: Who asks what, when or how is not answered by the words of the question; who asks whether, may be.
_WHAT: Final = re.compile(
    r"\b(?:what|which|how|when|where|who|whose|why|wer|wem|wen|wie|wieviel|wann|wo|warum|welche[mnrs]?"
    r"|was (?:ist|sind|kostet|kosten)"
    r"|que|quel(?:le)?s?|comment|combien|quand|pourquoi|cual(?:es)?|como|cuant[oa]s?|cuando|donde|quien(?:es)?"
    r"|quale|quali|come|quant[oaie]|quando|dove|qual|quais|wat|welke?|hoe|hoeveel|wanneer|waar|waarom|что|как|как(?:ои|ая|ие|ое)"
    r"|когда|где|кто|сколько|почему)\b"
)


#: The thing whose value is asked for: "what is the phone number of …", "wer ist der Bürgermeister von …".
_HEAD: Final = re.compile(
    r"^\W*(?:what|who|which|wer|was|wie|quel(?:le)?s?|qui|quien(?:es)?|cual(?:es)?|chi|quem|qual[ei]?s?|wat|wie)"
    r"(?:['’]s|\s+(?:is|are|was|were|ist|sind|war|waren|lautet|heisst|est|sont|etait|es|son|era|e|sono|zijn))"
    r"\s+(?:the|der|die|das|le|la|les|l['’]|el|los|las|il|lo|i|gli|o|a|de|het)\s*"
    r"(?P<head>\w+(?:[ -]\w+){0,2}?)"
    r"(?:\s+(?:of|for|at|in|on|to|von|vom|der|des|fur|im|am|de|du|d['’]|del|della|da|do|van)\b|\s*[?!.]*$)"
)


_YES_OR_NO: Final = re.compile(
    # In German "was" is what.
    r"^\W*(?:do|does|did|is|are|was(?= (?:the|an?|it|there|this|that|he|she|my|our|your)\b)"
    r"|were|can|could|may|must|should|will|has|have|kann|konnen|darf|muss|ist|sind|hat"
    r"|gibt es|est-ce que|peut|puis|y a-t-il|es|son|hay|puede|puedo|posso|puo|c['’]e|is er|kan|mag)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question as it is understood."""

    text: str
    #: The words to look for, folded.
    terms: tuple[str, ...]
    #: Those of the words for a time, which count if nothing was kept at that time.
    time_terms: tuple[str, ...] = ()
    moment: Moment | None = None
    wants_change: bool = False
    wants_newest: bool = False
    expected: frozenset[Expected] = frozenset()
    #: Those of the words that only say what is expected: "price", "hours".
    kind_words: frozenset[str] = frozenset()
    #: Those of them that say what is done: "opens", "closes".
    opening_words: frozenset[str] = frozenset()
    #: What it asks the number of.
    counted: str = ""
    #: What any answer has in it.
    needed: frozenset[Expected] = frozenset()
    #: Whether it asks what, when or how, and not whether.
    wants_what: bool = False
    #: Those of the words that name the thing whose value is asked for, if it is put so.
    head: frozenset[str] = frozenset()
    #: Whether it is answered with yes or no: "do I have to pay when …".
    is_whether: bool = False
    #: Words of it that look like a time and were not understood as one.
    unread: str = ""
    #: Whether it asked for changes, and there are none.
    is_unchanged: bool = False

    @property
    def described(self) -> str:
        """How the question is understood, for people: `changes since 2026-03-01`."""
        if self.is_unchanged:
            return "as it is: nothing of it changed"
        what = "changes" if self.wants_change else "newest first" if self.wants_newest else ""
        if self.moment is None:
            return "the last changes" if self.wants_change else what
        start, last = iso(self.moment.start)[:10], iso(self.moment.end - 1)[:10] if self.moment.end < FOREVER else ""
        if self.moment.start == BEGINNING:
            return f"{what} until {last}"
        when = f"since {start}" if not last else f"on {start}" if start == last else f"from {start} to {last}"
        return f"{what} {when}".strip() if self.wants_change else f"as it was {when}"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not self.terms and not self.wants_change


def understood(text: str, now: int, *, is_unchanged: bool = False) -> AskedQuestion:
    """What a text asks at this time; if nothing changed, what it asks about what is."""
    text = _bounded(flat(text))
    plain = folded(text)
    moments = moments_of(text, now, is_past=any(words.search(plain) for words in (_CHANGED, _HAPPENED, _WAS)))
    moment = joined(moments)
    rest = plain
    for one in moments:
        rest = rest[: one.place[0]] + " " * (one.place[1] - one.place[0]) + rest[one.place[1] :]
    names_change = _CHANGED.search(rest) is not None and _THING.search(rest) is None
    names_change |= bool(_WHETHER.search(rest) and _MOVED.search(rest)) or bool(moment and _HAPPENED.search(rest))
    wants_change = (names_change and not is_unchanged and (moment is not None or not _HOW_TO.search(plain))) or (
        moment is not None and moment.relation is TimeRelation.SINCE
    )
    if wants_change and moment is not None and moment.is_until:
        moment = replace(moment, start=BEGINNING)
    about = rest
    for words in (_CHANGED, _CHANGE, _HAPPENED) if wants_change else ():
        about = words.sub(" ", about)
    if wants_change and _WHETHER.search(rest):
        about = _MOVED.sub(" ", about)
    newest = _NEWEST.search(about) is not None
    plainer = _NEWEST.sub(" ", about)
    terms = (telling_words(_DOCUMENT.sub(" ", plainer)) if wants_change else []) or telling_words(plainer)
    terms = terms or telling_words(about)
    head = found["head"] if (found := _HEAD.search(rest)) else ""
    asked = AskedQuestion(
        text=text,
        terms=tuple(terms[:MAX_TERMS]),
        time_terms=tuple(words_of(plain[moment.place[0] : moment.place[1]])) if moment else (),
        moment=moment,
        wants_change=wants_change,
        wants_newest=newest,
        head=frozenset(telling_words(head)),
        is_whether=_YES_OR_NO.search(plain) is not None,
        wants_what=_WHAT.search(plain) is not None,
        unread=unread(text, moments, wants_change=wants_change),
        is_unchanged=is_unchanged,
    )
    return _with_expected(asked, plain, head)


def _with_expected(asked: AskedQuestion, plain: str, head: str) -> AskedQuestion:
    expected = expected_by(plain, head)
    return replace(
        asked,
        expected=expected,
        kind_words=kind_words(plain, expected),
        opening_words=opening_words(plain),
        counted=counted_by(plain),
        needed=frozenset() if asked.is_whether else needed_by(plain, expected),
    )


def _bounded(text: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    asking = " ".join(found.strip() for found in _ASKING.findall(text))
    return asking[-MAX_CHARS:].strip() or text[:MAX_CHARS]
