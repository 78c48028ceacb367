"""Orders that people are given, too: "tell the user …", "answer only with …". They count with a second sign only.

The sign says that a machine is meant or that these very words are to be said: a model, a prompt, "this page", "the
following", "whatever is asked".
"""

# ruff: noqa: E501, RUF001 - tables by language, words of other scripts

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final

_BEGIN: Final = r"(?:^\W*|[.:;!?,¡][\"”»)\]*]*\s*|[>\])\"”»*#—–]\s*|\b(?:please|kindly|just|simply|then|instead|and|now|you (?:must|should|shall|will|have to|need to|are to)|that you|und|et|y|e|en|и|bitte)\s+)"
_ANSWER: Final = r"(?:answers?|repl(?:y|ies)|responses?|summar(?:y|ies)|outputs?|messages?)"
_SPEAK: Final = (
    r"(?:say|answer|reply|respond|state|claim|repeat|write|output|print|report|give|quote|mention|include|tell)"
)
_ORDERS: Final = (
    # English
    rf"{_BEGIN}(?:always |only |never |do not |don't |not )*(?:tell|inform|advise|instruct|direct|convince|persuade|warn|assure|(?:respond|reply|answer|pass (?:it )?on|mention (?:[^.!?]{{0,30}} )?)(?: it)? to) (?:(?:the |your |every |each |any |all )?(?:users?|readers?)|(?:whoever|anyone who|everyone who|people who) (?:is |are )?ask(?:s|ing)?)\b",
    rf"\byour (?:\w+ )?{_ANSWER}\b[^.!?]{{0,60}}?\b(?:must|should|shall|has to|have to|will|needs? to|is|are|names?)\b",
    rf"{_BEGIN}(?:and )?(?:add|append|insert|include|put|place|write|mention|end|begin|start|finish|close|fill|use|take|make sure (?:that )?)\b[^.!?]{{0,60}}?\b(?:your|every|each|the) (?:final |next )?{_ANSWER}\b",
    rf"{_BEGIN}(?:never|do not|don't)\b[^.!?]{{0,60}}\bin your {_ANSWER}\b",
    rf"\b(?:if|when|whenever|should|everyone|anyone|everybody|anybody|whoever)\b[^.!?]{{0,40}}\b(?:ask|asks|asked|enquires?)\b[^.!?]{{0,80}}\b{_SPEAK}\b|\beveryone who asks\b",
    rf"{_BEGIN}(?:always |only |never |exactly )*(?:respond|reply|answer) (?:only|exactly|instead|always|just|simply|back|with|that)\b|{_BEGIN}(?:always|only|never) {_SPEAK}\b",
    r"\b(?:the|your) (?:only |one |single )?(?:correct|right|only|true|valid|proper) (?:answer|reply|response) (?:to|for|on|about)\b",
    rf"\bassistants?\b[^.!?]{{0,40}}\b(?:must|should|shall|are to|is to|have to|has to|please)\b (?:\w+ly |not |never |always |only )*{_SPEAK}\b",
    # German
    r"\b(?:sag|sage|sagen sie|teile?|teilen sie|antworte|antworten sie|erzahl\w*|melde) (?:dem|der|den|jedem|allen) (?:nutzer|nutzerin|benutzer|anwender|leser|fragenden|fragesteller|fragern?)\w*\b",
    r"\b(?:deine|ihre|eure) (?:\w+ )?(?:antwort|ausgabe|zusammenfassung)\w*\b[^.!?]{0,60}?\b(?:muss|mussen|soll|sollen|lautet|hat zu)\b",
    r"\bwenn (?:jemand|man|sie|der nutzer|nutzer)\b[^.!?]{0,40}\b(?:fragt|gefragt)\b[^.!?]{0,60}\b(?:antworte|sag|sage|antworten sie|sagen sie)\b",
    rf"{_BEGIN}(?:antworte|antworten sie|sag|sage|sagen sie|schreib|schreibe|wiederhole|gib)(?: \w+){{0,2}} (?:mit|so|wie folgt|nur|immer|dass|stets|ausschliesslich|folgende\w*)\b",
    # French
    r"\b(?:dis|dites|indique[rz]?|reponds|repondez|annonce[rz]?|explique[rz]?) (?:a l['’]utilisat\w+|aux utilisat\w+|au lecteur|aux lecteurs|a l['’]internaute|a quiconque)\b",
    rf"\bvotre (?:reponse|sortie|resume)\b[^.!?]{{0,60}}?\b(?:doit|devra|sera)\b|{_BEGIN}(?:reponds|repondez) (?:toujours|uniquement|seulement|simplement|ceci|cela|par|que|exactement|ainsi|comme suit)\b",
    r"\bsi (?:l['’]on|on|l['’]utilisateur|quelqu['’]un)\b[^.!?]{0,20}\b(?:demande|interroge)\b[^.!?]{0,60}\b(?:repon(?:ds|dez)|dis|dites|indiquez)\b",
    # Spanish, Portuguese, Italian
    r"\b(?:dile|digale|dig[ao]le?s?|diles|di|di['’]|dite|dica|diga|informa|informe|comunica|comunique|responde|responda|rispondi) (?:all['’]utente|agli utenti|al lettore|ai lettori|al|a los|a las|a la|a todo|a cada|ao|aos)(?: ?(?:usuari\w+|utilizador\w*|leitor\w*|lector\w*))?\b",
    rf"\b(?:su|la sua|la vostra|a sua|sua) (?:respuesta|salida|resumen|risposta|resposta)\b[^.!?]{{0,60}}?\b(?:debe|debera|sera|tiene que|deve|devra|dovra|sara)\b|{_BEGIN}(?:responde|responda|contesta|conteste|rispondi|rispondete) (?:siempre|solo|solamente|unicamente|con|que|asi|lo siguiente|exactamente|sempre|soltanto|che|cosi|quanto segue|apenas|somente|com|assim|o seguinte)\b",
    # Dutch, Russian
    rf"\b(?:vertel|zeg|meld|antwoord)(?: aan| tegen)? (?:de|het|elke|iedere) (?:gebruiker|lezer|vrager)\w*\b|{_BEGIN}antwoord (?:altijd|alleen|slechts|met|dat|zo|als volgt)\b|\buw antwoord\b[^.!?]{{0,40}}\bmoet\b",
    rf"(?:скажи|скажите|сообщи|сообщите|ответь|ответьте|передаи|передаите) (?:всем )?(?:пользовател\w+|читател\w+|спрашивающ\w+)|{_BEGIN}(?:ответь|отвечаи|отвечаите|ответьте|повтори|повторяи)\b|ваш(?:им)? ответ(?:ом)?\b[^.!?]{{0,60}}(?:должен|всегда|обязан)",
)  # fmt: skip
_SIGNS: Final = (
    r"\b(?:ai|artificial intelligence|llms?|gpts?|(?:language|ai) models?|chat ?bots?|prompts?|ki|sprachmodell\w*|ia|modeles? de langage|modelos? de (?:lenguaje|linguagem)|modello linguistico|taalmodel\w*)\b",
    r"\b(?:previous|above|prior|earlier|system|hidden|your) (?:instructions?|prompts?|directives?|guidelines)\b",
    r"\b(?:whatever|no matter what|regardless of what|any question|every question)\b",
    r"\bth(?:is|ese) (?:pages?|texts?|sites?|websites?|documents?|content|figures?|sentences?|lines?|words?|phrases?|answers?)\b|\bthis (?:about|only|one|to (?:the|your))\b|\bthan this\b|\bthis (?:is )?(?:true|so)\b",
    r"\bthe following\b|\bas follows\b|\bword for word\b|\bverbatim\b|\bnothing else\b|\bsingle word\b|\b(?:the|this|these) words? [\"“'„«]",
    rf"\byour (?:\w+ )?{_ANSWER} (?:about|on|concerning|regarding)\b|\b(?:response|reply|answer|summary|messages?) (?:about|concerning|regarding)\b",
    r"\b(?:folgendes|wie folgt|dieser (?:satz|text)|diese[ns]? (?:satz|text|seite)|wortlich)\b|\b(?:ceci|cela|comme suit|ce qui suit|mot pour mot|cette (?:page|phrase))\b|\b(?:lo siguiente|o seguinte|quanto segue|palabra por palabra|esta (?:pagina|frase))\b|\bhet volgende\b|\bwoord voor woord\b|\bследующ\w+\b",
    # Words that are to be said so.
    r"\b(?:this|so|ainsi|asi|assim|cosi|zo is|zo|ao usuario|ao utilizador|так)\s*:",
)  # fmt: skip
_ORDER: Final = re.compile("|".join(_ORDERS))
_SIGN: Final = re.compile("|".join(_SIGNS))
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
#: Beginnings of words, one of which each such order has.
_HINTS: Final = frozenset(
    "tell infor advis instr direc convi persu warn assur respo reply repli answe pass menti summa outpu messa asks ask "
    "asked enqui say state claim repea repor quote inclu never alway only corre assis sag sage sagen teile teil antwo "
    "erzah melde ausga zusam fragt gefra schre wiede gib dis dites indiq repon annon expli sorti resum utili deman inter "
    "dile digal digas digo diles di dite dica diga comun rispo respu salid conte verte zeg meld uw скажи сообщ ответ "
    "перед отвеч повто ваш вашим".split()
)


def is_a_doubtful_order_with_a_sign(plain: str, begins: AbstractSet[str]) -> bool:
    """Whether one of some folded sentences, given the beginnings of their words, is such an order with such a sign."""
    if _HINTS.isdisjoint(begins) or _SIGN.search(plain) is None:
        return False
    return any(_SIGN.search(one) and _ORDER.search(one) for one in _SENTENCE.split(plain))
