"""A world to ask about: pages of museums, buses, libraries, shops and offices in eight languages, edited over a year.

Every page has facts; each is one sentence or line of the page, in one of several wordings, and changes at some rounds.
Between them stand other sentences, some with numbers, and the questions use other words than the pages.
"""

# ruff: noqa: RUF001, E501 - words of other scripts, and tables that read best in one line

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape

Draw = Callable[[random.Random], str]


def _euros(low: int, high: int, sign: str = "€") -> Draw:
    return lambda rng: f"{rng.randint(low, high)}{rng.choice(['', '.50', '.20'])} {sign}"


def _whole(low: int, high: int, step: int = 1) -> Draw:
    return lambda rng: str(rng.randrange(low, high, step))


def _pick(*words: str) -> Draw:
    return lambda rng: rng.choice(words)


def _name(first: str, last: str) -> Draw:
    return lambda rng: f"{rng.choice(first.split())} {rng.choice(last.split())}"


def _clocks(form: str) -> Draw:
    return lambda rng: form.format(
        rng.choice([7, 8, 9, 10]), rng.choice([16, 17, 18, 19, 20]), rng.choice(["00", "30"])
    )


@dataclass(frozen=True)
class Fact:
    """One thing that a page says: how its value is drawn, how it is put, and how people ask for it."""

    key: str
    draw: Draw
    puts: tuple[str, ...]
    asks: tuple[str, ...]
    #: How people ask what became of it; empty: nobody does.
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Genre:
    """A kind of page in one language."""

    lang: str
    names: tuple[str, ...]
    intro: str
    facts: tuple[Fact, ...]


_EN = ("Anna Ruth Omar Peter Grace Ivan Lucia Henry", "Moss Keller Okafor Lindqvist Marlowe Petrov Hale Sanders")
_DE = ("Jonas Ute Klaus Renate Emre Sabine", "Vogt Brandner Yilmaz Hartmann Seidel Kraus")
_FR = ("Luc Aline Karim Odile Hugo Margot", "Fournier Besson Haddad Lemoine Marchand Roux")
_ES = ("Pilar Jorge Nuria Andrés Elena Tomás", "Ibarra Cabrera Molina Quintero Salas Vega")
_RU = ("Иван Мария Пётр Ольга Сергей Анна", "Лебедев Кузнецова Орлов Соколова Титов Белова")

GENRES: tuple[Genre, ...] = (
    Genre("en", ("Harbour Museum", "Clockmakers Museum", "Textile Museum", "Museum of Maps", "Glass Museum"), "The {name} shows its collection in an old warehouse by the river and changes its exhibitions twice a year.", (
        Fact("adult", _euros(8, 30), ("Adults pay {v} at the desk.", "Admission for adults: {v}", "A ticket for one adult costs {v}."), ("How much does an adult pay at the {name}?", "What is the admission for adults in the {name}", "adult ticket price {name}"), ("What changed about the adult admission of the {name} {since}?", "How has the price for adults at the {name} changed {since}?")),
        Fact("child", _euros(2, 7), ("Children under twelve pay {v}.", "Children up to 12 years: {v}"), ("What does a child pay at the {name}?", "How much is it for children at the {name}?"), ("Did the price for children at the {name} change {since}?",)),
        Fact("hours", _clocks("{0}:{2} to {1}:00"), ("The house is open from {v}, Tuesday to Sunday.", "Opening hours: {v}"), ("When does the {name} open?", "What are the opening hours of the {name}?"), ("What changed in the opening hours of the {name} {since}?",)),
        Fact("director", _name(*_EN), ("{v} directs the house.", "Director: {v}", "The collection is headed by {v}, its director."), ("Who is the director of the {name}?", "Who directs the {name}?")),
        Fact("tour", _whole(20, 95, 5), ("A guided tour takes {v} minutes.", "Guided tours last {v} minutes and start at the desk."), ("How long is a guided tour of the {name}?",)),
    )),
    Genre("en", ("Northfield Transit", "Bay Area Ferries", "Valley Buses", "Eastline Trams"), "{name} runs day and night on all lines, and tickets are sold in every vehicle.", (
        Fact("single", _euros(2, 6, "dollars"), ("A single ride costs {v}.", "Single ticket: {v}"), ("How much is a single ticket of {name}?", "What does a single ride with {name} cost?"), ("What changed in the tariff for single tickets of {name} {since}?", "How did the single ride fare of {name} change {since}?")),
        Fact("month", _whole(45, 140), ("The monthly pass is {v} dollars.", "Passes for a month are sold at {v} dollars."), ("What is the price of a monthly pass of {name}?",), ("What changed about the monthly pass of {name} {since}?",)),
        Fact("fine", _whole(60, 150, 5), ("Riders without a ticket are fined {v} dollars.",), ("How high is the fine for riding {name} without a ticket?",), ("Was the fine of {name} for riders without a ticket changed {since}?",)),
        Fact("bikes", _pick("Bicycles travel free after nine in the morning.", "Bicycles need a ticket of their own at any hour.", "Bicycles are not carried at weekends.", "Bicycles are welcome on all lines except line 7."), ("{v}",), ("May I take bicycles on {name}?", "rules for bicycles on {name}"), ("What changed in the rules for bicycles on {name} {since}?",)),
        Fact("dogs", _whole(1, 4), ("Up to {v} small dogs may be carried per passenger.",), ("How many dogs may a passenger of {name} carry?",)),
    )),
    Genre("en", ("Linden Library", "Riverside Library", "Castle Hill Library", "Old Mill Library"), "The {name} lends books, films and instruments to everybody who lives in the district.", (
        Fact("loan", _whole(14, 42, 7), ("Books are lent for {v} days.", "The loan period for books is {v} days."), ("How long may I keep a book from the {name}?", "What is the loan period for books at the {name}?"), ("What changed about the loan period of books at the {name} {since}?",)),
        Fact("late", _whole(10, 90, 5), ("Late returns cost {v} cents a day for each item.",), ("What does a late return cost at the {name}?",), ("What changed about late returns at the {name} {since}?",)),
        Fact("items", _whole(5, 40), ("A reader may borrow {v} items at a time.",), ("How many items may one borrow at the {name}?",)),
        Fact("closed", _pick("Mondays", "Tuesdays", "Wednesdays", "Thursdays"), ("The library is closed on {v}.",), ("On which days is the {name} closed?", "When is the {name} closed?"), ("Did the closing day of the {name} change {since}?",)),
    )),
    Genre("en", ("Quill Editor", "Tern Database", "Lumen Player", "Osprey Scanner"), "{name} is developed in the open by volunteers from many countries, and releases follow when they are ready.", (
        Fact("version", lambda rng: f"{rng.randint(1, 9)}.{rng.randint(0, 19)}.{rng.randint(0, 9)}", ("The current stable version is {v}.", "Stable release: {v}"), ("Which version of {name} is stable?", "What is the latest stable version of {name}?"), ("How did the stable version of {name} change {since}?",)),
        Fact("memory", _whole(2, 32, 2), ("It needs {v} GB of memory.",), ("How much memory does {name} need?",), ("What changed in the memory that {name} needs {since}?",)),
        Fact("licence", _pick("MIT", "Apache 2.0", "MPL 2.0", "BSD 3-clause"), ("The source code is under the {v} licence.",), ("What licence is {name} under?",), ("Has the licence of {name} changed {since}?",)),
        Fact("maintainer", _name(*_EN), ("Maintainer of the project: {v}",), ("Who maintains {name}?",)),
    )),
    Genre("en", ("Ashby College", "Westmoor Academy", "Saint Brendan College"), "{name} teaches in small groups and houses most of its students on the grounds.", (
        Fact("tuition", _whole(3000, 12000, 100), ("Tuition is {v} pounds a year.",), ("How much is the tuition at {name}?", "What does a year at {name} cost?"), ("What changed about tuition at {name} {since}?",)),
        Fact("deadline", lambda rng: f"{rng.randint(1, 28)} {rng.choice('January February June July September'.split())}", ("Applications are accepted until {v}.", "Application deadline: {v}"), ("What is the deadline for applications to {name}?", "Until when are applications accepted at {name}?"), ("Was the application deadline of {name} changed {since}?",)),
        Fact("dean", _name(*_EN), ("The dean of studies is {v}.",), ("Who is dean of studies at {name}?",)),
        Fact("beds", _whole(80, 900), ("The halls have {v} rooms for students.",), ("How many rooms do the halls of {name} have?",)),
    )),
    Genre("de", ("Stadtbad Nord", "Freibad Auental", "Hallenbad Mitte", "Waldbad Eschen"), "Das {name} liegt am Rand der Stadt und ist mit dem Bus gut zu erreichen.", (
        Fact("entry", _euros(3, 12), ("Der Eintritt kostet {v}.", "Eintritt für Erwachsene: {v}", "Erwachsene zahlen {v} Eintritt."), ("Was kostet der Eintritt im {name}?", "Wie viel zahlen Erwachsene im {name}?"), ("Was hat sich beim Eintritt im {name} {since} geändert?",)),
        Fact("hours", _clocks("{0} bis {1} Uhr"), ("Geöffnet ist täglich von {v}.", "Öffnungszeiten: {v}"), ("Wann hat das {name} geöffnet?", "Welche Öffnungszeiten hat das {name}?"), ("Was hat sich an den Öffnungszeiten im {name} {since} geändert?",)),
        Fact("water", _whole(22, 31), ("Das Wasser im großen Becken hat {v} Grad.",), ("Wie warm ist das Wasser im {name}?",)),
        Fact("chief", _name(*_DE), ("Betriebsleitung: {v}",), ("Wer leitet das {name}?",)),
    )),
    Genre("de", ("Gemeinde Oberau", "Gemeinde Steinfeld", "Stadt Lindach", "Markt Kirchberg"), "Die {name} informiert hier über Abgaben, Termine und Anmeldungen für alle Haushalte.", (
        Fact("waste", _pick("montags", "dienstags", "mittwochs", "donnerstags", "freitags"), ("Die graue Tonne wird {v} geleert.",), ("Wann wird in der {name} die graue Tonne geleert?",), ("Was hat sich {since} bei der Leerung der grauen Tonne in der {name} geändert?",)),
        Fact("fee", _whole(80, 240), ("Die Gebühr für die Müllabfuhr beträgt {v} Euro im Jahr.",), ("Wie hoch ist die Müllgebühr in der {name}?", "Was kostet die Müllabfuhr in der {name}?"), ("Wie hat sich die Gebühr der Müllabfuhr in der {name} {since} geändert?",)),
        Fact("mayor", _name(*_DE), ("Die Bürgermeisterei wird von {v} geführt.",), ("Wer führt die Bürgermeisterei der {name}?",)),
        Fact("dogtax", _whole(30, 120), ("Für jeden Hund sind {v} Euro Hundesteuer zu zahlen.",), ("Wie hoch ist die Hundesteuer in der {name}?",), ("Hat sich die Hundesteuer in der {name} {since} geändert?",)),
    )),
    Genre("fr", ("Théâtre du Port", "Théâtre des Halles", "Opéra de Valmont", "Cinéma Le Phare"), "Le {name} propose une saison de spectacles pour tous les publics, en famille ou entre amis.", (
        Fact("price", _euros(8, 40), ("Le plein tarif est de {v}.", "Plein tarif : {v}"), ("Quel est le plein tarif au {name} ?", "Combien coûte une place à plein tarif au {name} ?"), ("Qu'est-ce qui a changé pour le plein tarif au {name} {since} ?",)),
        Fact("office", _clocks("{0} h à {1} h"), ("La billetterie est ouverte de {v}.",), ("Quels sont les horaires de la billetterie du {name} ?",), ("Les horaires de la billetterie du {name} ont-ils changé {since} ?",)),
        Fact("head", _name(*_FR), ("La direction artistique est confiée à {v}.",), ("Qui assure la direction artistique du {name} ?",)),
        Fact("seats", _whole(120, 900), ("La grande salle compte {v} fauteuils.",), ("Combien de fauteuils compte la salle du {name} ?",)),
    )),
    Genre("fr", ("Syndicat des Eaux de Brive", "Régie des Eaux du Val", "Compagnie des Eaux de Mortain"), "{name} distribue l'eau potable dans toutes les communes du canton et surveille sa qualité.", (
        Fact("cubic", lambda rng: f"{rng.randint(1, 4)},{rng.randint(10, 99)} €", ("Le prix du mètre cube est de {v}.",), ("Quel est le prix du mètre cube chez {name} ?",), ("Comment a changé le prix du mètre cube chez {name} {since} ?",)),
        Fact("sub", _whole(30, 90), ("L'abonnement annuel s'élève à {v} euros.",), ("Combien coûte l'abonnement annuel chez {name} ?",), ("Qu'est-ce qui a changé {since} dans l'abonnement annuel chez {name} ?",)),
        Fact("phone", lambda rng: f"05 {rng.randint(10, 99)} {rng.randint(10, 99)} {rng.randint(10, 99)}", ("En cas de fuite, appelez le {v}.",), ("Quel numéro appeler en cas de fuite chez {name} ?",)),
    )),
    Genre("es", ("Parque Las Dunas", "Jardín Botánico Real", "Acuario de Bahía", "Zoo El Monte"), "El {name} recibe cada año a miles de visitantes de toda la región.", (
        Fact("entry", _euros(6, 28), ("La entrada general cuesta {v}.", "Entrada general: {v}"), ("¿Cuánto cuesta la entrada general del {name}?", "precio de la entrada general {name}"), ("¿Qué ha cambiado en la entrada general del {name} {since}?",)),
        Fact("hours", _clocks("{0}:{2} a {1}:00"), ("El horario de visita es de {v}.",), ("¿Cuál es el horario de visita del {name}?",), ("¿Cómo ha cambiado el horario de visita del {name} {since}?",)),
        Fact("director", _name(*_ES), ("Dirige el centro {v}.",), ("¿Quién dirige el {name}?",)),
        Fact("parking", _whole(2, 9), ("El aparcamiento vale {v} euros por día.",), ("¿Cuánto vale el aparcamiento del {name}?",), ("¿Qué cambió en el aparcamiento del {name} {since}?",)),
    )),
    Genre("it", ("Funivia del Corno", "Terme di Santa Lucia", "Rifugio Alpe Nera"), "{name} accoglie gli ospiti tutto l'anno e offre servizi per le famiglie.", (
        Fact("price", _euros(12, 45), ("Il biglietto intero costa {v}.",), ("Quanto costa il biglietto intero per {name}?",), ("Che cosa è cambiato nel biglietto intero per {name} {since}?",)),
        Fact("last", _clocks("{1}:{2}"), ("L'ultima corsa parte alle {v}.",), ("A che ora parte l'ultima corsa di {name}?",)),
        Fact("season", _pick("da maggio a ottobre", "da giugno a settembre", "da dicembre ad aprile"), ("La stagione va {v}.",), ("Quando va la stagione di {name}?",)),
    )),
    Genre("nl", ("Sporthal De Boog", "Veerpont Zuideinde", "Camping De Duinen"), "{name} is het hele jaar open voor bewoners en bezoekers uit de streek.", (
        Fact("price", _euros(3, 25), ("De toegang kost {v}.",), ("Wat kost de toegang van {name}?", "Hoeveel kost toegang bij {name}?"), ("Wat is er {since} veranderd aan de toegang van {name}?",)),
        Fact("capacity", _whole(40, 600), ("Er is plaats voor {v} bezoekers.",), ("Voor hoeveel bezoekers is er plaats bij {name}?",)),
        Fact("boss", _name("Jan Fatima Kees Marieke", "Visser Bakker Jansen Dijk"), ("Beheerder: {v}",), ("Wie is beheerder van {name}?",)),
    )),
    Genre("ru", ("Музей Часов", "Речной Вокзал", "Дом Книги", "Зимний Сад"), "{name} открыт для всех жителей и гостей города и работает круглый год.", (
        Fact("ticket", lambda rng: f"{rng.randint(10, 90) * 10} рублей", ("Входной билет стоит {v}.",), ("Сколько стоит входной билет: {name}?", "цена билета {name}"), ("Как изменилась цена входного билета {since}: {name}?",)),
        Fact("hours", _clocks("с {0}:{2} до {1}:00"), ("Часы работы: {v}",), ("Какие часы работы: {name}?",), ("Что изменилось в часах работы {since}: {name}?",)),
        Fact("chief", _name(*_RU), ("Директором является {v}.",), ("Кто директор: {name}?",)),
    )),
    Genre("ja", ("さくら美術館", "みなと図書館", "あおぞら水族館"), "{name}は駅から歩いて五分の場所にあります。", (
        Fact("fee", lambda rng: f"{rng.randint(3, 25) * 100}円", ("大人の入館料は{v}です。",), ("{name}の大人の入館料はいくらですか",), ("{name}の大人の入館料は{since}変わりましたか",)),
        Fact("open", lambda rng: f"{rng.randint(8, 10)}時から{rng.randint(16, 20)}時まで", ("開館時間は{v}です。",), ("{name}の開館時間は何時ですか",)),
    )),
)  # fmt: skip

#: What stands between the facts, some with numbers that answer nothing.
FILLERS = {
    "en": ("The building was renovated in 1987 by local craftsmen.", "Visitors praise the café on the second floor.", "More than 300 volunteers help throughout the year.", "Questions are answered by the team at any time.", "Line 12 stops in front of the entrance.", "A newsletter tells what is planned for the coming season.", "The garden behind the house was laid out in 1921.", "Photographs may be taken without a flash."),
    "de": ("Das Gebäude wurde 1974 errichtet und zuletzt 2009 saniert.", "Fragen beantwortet das Team gern am Telefon.", "Die Linie 4 hält direkt vor dem Eingang.", "Im Sommer gibt es einen Kiosk auf der Wiese.", "Rund 200 Ehrenamtliche helfen das ganze Jahr mit."),
    "fr": ("Le bâtiment a été restauré en 1996 par des artisans de la région.", "Une équipe de 40 bénévoles accueille le public.", "La ligne 3 s'arrête devant l'entrée.", "Le bar est ouvert les soirs de représentation."),
    "es": ("El edificio fue construido en 1932 y ampliado después.", "La línea 5 para delante de la puerta.", "Un equipo de 60 voluntarios ayuda todo el año.", "La cafetería tiene vistas al mar."),
    "it": ("L'edificio fu costruito nel 1951.", "La linea 8 ferma davanti all'ingresso.", "Un gruppo di 30 volontari aiuta tutto l'anno."),
    "nl": ("Het gebouw dateert uit 1968.", "Bus 14 stopt voor de deur.", "Ruim 50 vrijwilligers helpen mee."),
    "ru": ("Здание построено в 1954 году.", "Автобус 7 останавливается у входа.", "Более 80 волонтёров помогают круглый год."),
    "ja": ("建物は1962年に建てられました。", "バス3番が入口の前に止まります。", "庭では季節の花が楽しめます。"),
}  # fmt: skip
_SINCE = {
    "en": "since {month}", "de": "seit {month}", "fr": "depuis {month}", "es": "desde {month}", "it": "da {month}",
    "nl": "sinds {month}", "ru": "с {month}", "ja": "{month}から",
}  # fmt: skip
_AS_OF = {
    "en": (" as of {iso}", " on {day} {month} {year}", " in {month} {year}"), "de": (" am {day}. {month} {year}", " im {month} {year}"),
    "fr": (" le {day} {month} {year}", " en {month} {year}"), "es": (" el {day} de {month} de {year}", " en {month} de {year}"),
    "it": (" il {day} {month} {year}", " nel {month} {year}"), "nl": (" op {day} {month} {year}", " in {month} {year}"),
    "ru": (" {day} {genitive} {year}", " в {prepositional} {year}"), "ja": (" as of:{iso}", " {year}年{number}月{day}日"),
}  # fmt: skip
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
_RU_IN = "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре".split()


#: Two beginnings and two ends make many names of places, some of which are nearly the same.
PLACES = [
    begin + end
    for begin in (
        "Al",
        "Bran",
        "Car",
        "Dun",
        "El",
        "Far",
        "Gor",
        "Hol",
        "Kel",
        "Lor",
        "Mar",
        "Nes",
        "Or",
        "Pel",
        "Ros",
        "Tal",
    )
    for end in ("dern", "brook", "mere", "by", "ham", "ston", "wick", "den", "ford")
]


@dataclass
class FactOfPage:
    """A fact as a page has it: its wording, and its value in every round."""

    fact: Fact
    put: str
    values: list[str] = field(default_factory=list)

    def sentence(self, at: int) -> str:
        return self.put.format(v=self.values[at])


@dataclass
class WebPage:
    """One page and its facts."""

    path: str
    name: str
    genre: Genre
    facts: list[FactOfPage]
    fillers: list[str]
    seed: int
    #: What somebody wrote into the page for machines.
    planted: str = ""

    def html(self, at: int) -> str:
        rng = random.Random(self.seed)
        lines = [self.genre.intro.format(name=self.name)]
        blocks = [one.sentence(at) for one in self.facts] + self.fillers
        rng.shuffle(blocks)
        if self.planted:
            blocks.insert(len(blocks) // 2, escape(self.planted))
        body = "".join(
            f"<li>{line}</li>" if ": " in line[:30] and len(line) < 60 else f"<p>{line}</p>" for line in lines + blocks
        )
        return (
            f"<html lang={self.genre.lang}><head><meta charset=utf-8><title>{self.name}</title></head>"
            f"<body><main><h1>{self.name}</h1>{body}</main></body></html>"
        )


@dataclass(frozen=True)
class Asking:
    """A question with its known answer: the sentence of a page in a round, and for a change that of before."""

    kind: str
    text: str
    page: WebPage
    sentence: str
    value: str
    #: When the sentence stood there: any time from the first to before the second; None: it still does.
    rounds: tuple[int, int | None]
    before: str = ""


class World:
    """Pages over some rounds, and questions about them."""

    def __init__(self, seed: int, pages: int, moments: list[int], taken: Collection[str] = ()) -> None:
        self.rng = random.Random(seed)
        self.moments = moments
        self.pages: list[WebPage] = []
        self._taken = set(taken)
        while len(self.pages) < pages:
            genre = GENRES[len(self.pages) % len(GENRES)]
            self.pages.append(self._page(genre, len(self.pages)))

    def _page(self, genre: Genre, number: int) -> WebPage:
        rng = self.rng
        taken = self._taken | {page.name for page in self.pages}
        name = ""
        while not name or name in taken:
            first, place = rng.choice(genre.names), rng.choice(PLACES)
            name = f"{place}{first}" if genre.lang == "ja" else f"{first} {place}"
        facts = []
        for fact in genre.facts:
            one = FactOfPage(fact, rng.choice(fact.puts))
            for at in range(len(self.moments)):
                changes = at and rng.random() < 0.3
                one.values.append(self._other(fact, one.values) if not at or changes else one.values[-1])
            facts.append(one)
        fillers = rng.sample(FILLERS[genre.lang], min(len(FILLERS[genre.lang]), rng.randint(3, 5)))
        return WebPage(f"/page{number}", name, genre, facts, fillers, rng.getrandbits(32))

    def _other(self, fact: Fact, before: list[str]) -> str:
        """A value that the fact never had, if there is one: only then a question has one answer."""
        for _ in range(30):
            value = fact.draw(self.rng)
            if value not in before:
                return value
        return value

    def _when(self, lang: str, at: int, form: str) -> str:
        day = datetime.fromtimestamp(at / 1000, UTC)
        months = _MONTHS.get(lang, _MONTHS["en"]).split()
        return form.format(
            iso=f"{day:%Y-%m-%d}", day=day.day, month=months[day.month - 1], year=day.year, number=day.month,
            genitive=months[day.month - 1], prepositional=_RU_IN[day.month - 1],
        )  # fmt: skip

    def now_question(self) -> Asking:
        page = self.rng.choice(self.pages)
        one = self.rng.choice(page.facts)
        last = len(self.moments) - 1
        text = self.rng.choice(one.fact.asks).format(name=page.name)
        return Asking("now", text, page, one.sentence(last), one.values[last], _span(one, last))

    def as_of_question(self) -> Asking:
        """About a value that was replaced since."""
        while True:
            page = self.rng.choice(self.pages)
            one = self.rng.choice(page.facts)
            at = self.rng.randrange(len(self.moments) - 1)
            if one.values[at] == one.values[-1] or one.values[at] == one.values[at + 1]:
                continue
            # Some days after that round; still in its month, in which nothing else happened.
            moment = self.moments[at] + self.rng.randint(1, 8) * 86_400_000
            asked = self.rng.choice(one.fact.asks).format(name=page.name)
            when = self._when(page.genre.lang, moment, self.rng.choice(_AS_OF[page.genre.lang]))
            sign = asked[-1] if asked[-1] in "?？" else ""
            text = f"{asked.rstrip('?？ ')}{when}{sign}"
            return Asking("as of", text, page, one.sentence(at), one.values[at], _span(one, at))

    def since_question(self) -> Asking:
        while True:
            page = self.rng.choice(self.pages)
            one = self.rng.choice([fact for fact in page.facts if fact.fact.changes] or page.facts)
            at = self.rng.randrange(1, len(self.moments))
            last = len(self.moments) - 1
            if not one.fact.changes or one.values[at - 1] == one.values[last]:
                continue
            # The month of that round: what was before it was replaced in it or later.
            lang = page.genre.lang
            month = self._when(lang, self.moments[at], "{month} {year}" if lang != "ja" else "{year}年{number}月")
            since = _SINCE[lang].format(month=month)
            text = self.rng.choice(one.fact.changes).format(name=page.name, since=since)
            return Asking(
                "since", text, page, one.sentence(last), one.values[last], _span(one, last), one.sentence(at - 1)
            )


def _span(one: FactOfPage, at: int) -> tuple[int, int | None]:
    """From which round to which a fact had the value that it had in this one."""
    first = at
    while first and one.values[first - 1] == one.values[at]:
        first -= 1
    end = next((other for other in range(at, len(one.values)) if one.values[other] != one.values[at]), None)
    return first, end
