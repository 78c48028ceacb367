"""Sentences for machines that read a page: they name one, and oblige it to say something or tell it of its reading."""

# ruff: noqa: E501, RUF001 - tables by language, signs as they are written

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final

#: What is only a machine.
_MACHINE: Final = r"(?:ais?|artificial intelligences?|(?:large )?(?:language|ai) models?|llms?|gpts?|chat ?bots?|(?:ro)?bots?|crawlers?|(?:ai|virtual|digital|voice) assistants?|(?:generative|automat(?:ed|ic)|intelligent|artificial|machine) (?:ai |text )?(?:readers?|tools?|systems?|models?|agents?|assistants?|software|programs?|services?|engines?))"
#: What is one if it reads a page.
_READER: Final = r"(?:systems?|software|programs?|models?|tools?|assistants?|agents?|machines?|(?:ro)?bots?|crawlers?|parsers?|engines?|algorithms?|pipelines?|whatever)"
_READS: Final = r"(?:process|read|summari[sz]|condens|index|analy[sz]|evaluat|digest|pars|ingest|crawl|scrap|interpret)\w*(?: or \w+)?"
_PAGE: Final = r"(?:this|these|the present)(?: (?:\w+ )?(?:pages?|texts?|documents?|sites?|websites?|files?|contents?|articles?|material|lines?|messages?|passages?|paragraphs?)\b|(?=\s*[:,]))"
_OBLIGED: Final = r"(?:must|should|shall|ought to|needs? to|(?:is|are|has|have) (?:\w+ )?to|(?:is|are) (?:required|requested|asked|instructed|obliged|expected|supposed|told|urged) to|will|please|kindly)"
_TELL: Final = r"(?:say|answer|reply|respond|state|claim|assert|declare|announce|repeat|write|output|print|give|quote|cite|mention|name|include|present|emit|return|tell|treat|report (?:that|as|only)|indicate|set|use only|prefer)"

_ENGLISH: Final = (
    rf"\b{_READER}\b[^.!?]{{0,30}}\b{_READS} {_PAGE}[^.!?]{{0,60}}?(?:\b{_OBLIGED}\b|:)[^.!?]{{0,40}}\b{_TELL}\b",
    rf"\b{_OBLIGED}\b[^.!?]{{0,40}}\b{_TELL}\b[^.!?]{{0,60}}\bwhen(?:ever)? (?:you )?{_READS} {_PAGE}",
    rf"\b{_MACHINE}\b[^.!?]{{0,40}}?\b{_OBLIGED}\b (?:\w+ly |not |never |always |only |also |to )*{_TELL}\b",
    rf"\b(?:mandatory|obligatory|compulsory|required|necessary|essential|imperative) (?:for|that|of) (?:all |any |every |an? |the )?{_MACHINE}\b[^.!?]{{0,20}}\b{_TELL}\b",
    rf"\b{_MACHINE} (?:notes?|notices?|instructions?|directives?|hints?|messages?|override)\s*(?::|-+>|=>|→|—|–)",
    rf"\bdear (?:all )?(?:{_MACHINE}|machines?|models?|(?:language |ai )?assistant)\s*[,:!]",
    r"\b(?:emit|output|return|print) (?:only|just|nothing but) (?:this|that|these|the following)\b",
    r"\b(?:begin|start|end)(?: of)? (?:\w+ )?(?:override|injection|jailbreak)\b",
    r"\b(?:tell|inform|assure|(?:pass (?:it |this )?on|relay|convey|communicate) to) (?:the|your|any|every|each) (?:reader|asker|person asking)s? that\b",
)  # fmt: skip
_MASCHINE: Final = r"(?:ki(?:-\w+)?|kunstliche intelligenz\w*|sprachmodell\w*|chatbots?|(?:ro)?bots?|roboter\w*|sprachassistent\w*|crawler\w*|(?:automat\w+|maschinell\w+|generativ\w+|intelligent\w+|kunstlich\w+|digital\w+) (?:system|programm|leser|assistent|dienst|agent|werkzeug|modell|software)\w*)"
_NENNEN: Final = r"(?:zu )?(?:antworten|sagen|nennen|wieder(?:zu)?geben|aus(?:zu)?geben|an(?:zu)?geben|zitieren|behaupten|melden|schreiben|erwahnen|dar(?:zu)?stellen|an(?:zu)?fuhren|mit(?:zu)?teilen)"
_GERMAN: Final = (
    rf"\b{_MASCHINE}\b[^.!?]{{0,40}}\b(?:mussen|muss|sollen|soll|sollten|haben|hat|bitte|durfen nur|sind)\b[^.!?]{{0,60}}\b{_NENNEN}\b",
    rf"\b{_MASCHINE}\b (?:antworten|sagen|nennen|geben|melden) (?:bitte|stets|immer|nur|ausschliesslich)\b",
    r"\b(?:diese[ns]?|vorliegende\w*) (?:text|seite|dokument|inhalt|artikel|absatz|datei)\w*\b[^.!?]{0,20}\b(?:maschinell|automatisch|automatisiert) (?:aus\w+|verarbeite\w*|zusammenfass\w*|liest|lesen|erfass\w*)\b[^.!?]{0,10},?[^.!?]{0,20}\b(?:gibt|geben|nennt|nennen|sagt|sagen|antwortet|meldet|schreibt|behauptet|zitiert)\b",
    rf"\b(?:systeme?|software|programme?|modelle?|assistenten|maschinen|agenten|werkzeuge?|wer|was)\b[^.!?]{{0,20}}\b(?:diese[ns]?) (?:text|seite|dokument|inhalt|artikel)\w*\b[^.!?]{{0,30}}\b(?:auswert\w+|verarbeit\w+|zusammenfass\w+|zusammenfasst)\b[^.!?]{{0,20}}\b(?:mussen|muss|sollen|soll|haben|hat|bitte)\b[^.!?]{{0,60}}\b{_NENNEN}\b",
    rf"\b(?:liebe[rs]?|werte[rs]?|hallo|achtung|hinweis|nachricht|an alle|fur)\b,?(?: an| fur)?(?: alle| die)? {_MASCHINE}\s*[,:!]",
)  # fmt: skip
_ROMANCE_MACHINE: Final = (
    r"(?:ia|ai|intelligences? artificielles?|inteligencias? artificia\w+|intelligenz[ae] artificial[ei]|chat ?bots?|(?:ro)?bots?|"
    r"modeles? (?:de langage|d['’]ia)|modelos? de (?:lenguaje|linguagem|ia)|modell[oi] (?:linguistic[oi]|di ia)|"
    r"(?:systemes?|logiciels?|programmes?|outils?|agents?|assistants?|lecteurs?|modeles?|sistemas?|sistem[ai]|programas?|programm[ai]|"
    r"agentes?|asistentes?|assistent[ei]|herramientas?|ferramentas?|strument[oi]|lectores?|leitores?|modelos?|modell[oi])"
    r" (?:automati\w+|automaty\w+|vocal\w*|vocaux|generati\w+|virtu\w+|numeriques?|inteligentes?|intelligent\w*|(?:d['’]|de |di )?(?:ia|ai)))"
)  # fmt: skip
_ROMANCE_TELL: Final = (
    r"(?:repondre|dire|citer|affirmer|ecrire|indiquer|mentionner|annoncer|presenter|restituer|donner|"
    r"responder|decir|dizer|citar|afirmar|escribir|escrever|indicar|mencionar|nombrar|presentar|apresentar|informar|"
    r"rispondere|citare|affermare|scrivere|indicare|menzionare|dichiarare|riportare)"
)  # fmt: skip
_ROMANCE: Final = (
    rf"\b{_ROMANCE_MACHINE}\b[^.!?]{{0,40}}\b(?:doi(?:t|vent)|devr\w+|(?:est|sont) (?:pries?|tenu\w*|invite\w*|oblige\w*)|ont a|deben?|deberan?|tienen? que|han? de|estan? obligad\w+|devem?|deverao|tem que|devono|deve|sono tenut\w+)\b[^.!?]{{0,40}}\b{_ROMANCE_TELL}\b",
    rf"\b(?:a l['’]attention|attention|note|message|avis|atencion|aviso|mensaje|nota|attenzione|messaggio|atencao)\b[^.!?]{{0,12}}\b{_ROMANCE_MACHINE}\s*[,:!]",
    rf"\b(?:cher|chere|chers|cheres|querido|querida|estimad[oa]s?|caro|cara|cari|prezad[oa]s?) (?:{_ROMANCE_MACHINE}|modeles?|modelos?|modello|robots?|machines?|maquinas?|macchina)\s*[,:!]",
    r"\b(?:mets|mettez|laisse|laissez|abandonne|abandonnez) (?:\w+ )?(?:de cote )?(?:tes|vos|les|toutes) (?:consignes|instructions)\b",
    r"\b(?:deja|deje|deixe|lascia|metti) (?:de lado |da parte )?(?:tus|sus|suas|le tue|as tuas) (?:instruc\w+|reglas|istruzioni|regole|regras)\b",
)  # fmt: skip
_LEZER: Final = r"(?:ai(?:-\w+)?|taalmodel\w*|chatbots?|(?:ro)?bots?|(?:automatische|geautomatiseerde|virtuele|digitale|generatieve) (?:systemen|systeem|lezers?|assistent\w*|programma's|hulpmiddelen|software))"
_DUTCH: Final = (
    rf"\b{_LEZER}\b[^.!?]{{0,40}}\b(?:moet|moeten|dient|dienen|zal|gelieve)\b[^.!?]{{0,60}}\b(?:te )?(?:antwoorden|zeggen|noemen|vermelden|citeren|geven|melden|schrijven)\b",
    rf"\b(?:beste|lieve|aandacht|let op|bericht|opmerking|aan|voor)\b,?(?: aan| voor)?(?: alle)? {_LEZER}\s*[,:!]",
)  # fmt: skip
_PATTERN: Final = re.compile("|".join((*_ENGLISH, *_GERMAN, *_ROMANCE, *_DUTCH)))
#: Beginnings of words, one of which each such sentence has.
_HINTS: Final = frozenset(
    "ai ais ia ki llm llms gpt gpts artif langu chat chatb robot bot bots crawl virtu digit voice gener autom intel machi "
    "model progr syste softw tools tool agent assis parse engin algor pipel whate emit outpu retur print overr injec "
    "jailb reade asker perso kunst sprac masch diese vorli werkz kunde logic outil lecte siste model asist herra ferra "
    "strum leito modes consi instr regla regol regra taalm geaut virtu".split()
)


def is_for_machine_readers(plain: str, begins: AbstractSet[str]) -> bool:
    """Whether a folded sentence, given the beginnings of its words, is for machines that read it."""
    return not _HINTS.isdisjoint(begins) and _PATTERN.search(plain) is not None
