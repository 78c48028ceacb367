"""What tells names apart: titles of people, signs of organisations, and places that most news name."""

from __future__ import annotations

from typing import Final

#: Words before the name of a person, in lower case.
PERSON_BEFORE: Final = frozenset(
    "mr mrs ms miss dr prof professor sir lord lady president minister chancellor senator governor mayor judge "
    "justice general colonel captain king queen prince princess pope bishop ceo chairman chairwoman director "
    "spokesman spokeswoman spokesperson author coach herr frau präsident präsidentin kanzler kanzlerin ministerin "
    "ministerpräsident bürgermeister sprecher sprecherin trainer m mme mlle monsieur madame président présidente "
    "ministre sénateur maire señor señora sr sra presidente presidenta ministro ministra alcalde signor signora "
    "sindaco senhor senhora prefeito meneer mevrouw minister-president premier premiers burgemeester pan pani "
    "prezydent господин госпожа президент министр премьер директор губернатор мэр".split()
)
#: Verbs beside the name of a person.
PERSON_VERBS: Final = frozenset(
    "said says told tells added adds asked argued warned explained wrote sagte sagt erklärte betonte schrieb warnte "
    "dit déclaré déclare affirmé affirme expliqué ajouté dijo dice afirmó aseguró explicó declaró señaló disse "
    "dichiarato spiegato afirmou declarou explicou zei zegt vertelde powiedział powiedziała сказал сказала заявил "
    "заявила сообщил сообщила отметил отметила".split()
)
#: Words in the name of an organisation, in lower case.
ORGANISATION: Final = frozenset(
    "inc ltd llc corp corporation company co plc gmbh ag se sa spa nv bv oy ab group holdings bank university "
    "college school institute ministry commission committee council agency party association federation union club "
    "fc united court parliament senate congress department office authority foundation hospital museum airlines "
    "press times post herald guardian universität hochschule institut ministerium kommission partei verband verein "
    "gericht bundestag bundesrat bundesbank amt stiftung krankenhaus zeitung université ministère parti assemblée "
    "conseil banque universidad ministerio comisión partido banco consejo università ministero partito banca "
    "universidade ministério comissão partij universiteit ministerie uniwersytet ministerstwo partia университет "
    "министерство банк партия компания совет".split()
)
#: Words at the end of the name of a place.
PLACE_END: Final = frozenset(
    "city county river lake island islands mountains valley bay sea ocean street avenue square bridge airport port "
    "province district region straße platz fluss see insel".split()
)
_PLACES: Final = (
    "Afghanistan,Albania,Algeria,Angola,Argentina,Armenia,Australia,Austria,Azerbaijan,Bahrain,Bangladesh,Belarus,"
    "Belgium,Bolivia,Bosnia,Brazil,Bulgaria,Burundi,Cambodia,Cameroon,Canada,Chile,China,Colombia,Congo,Costa Rica,"
    "Croatia,Cuba,Cyprus,Denmark,Ecuador,Egypt,England,Eritrea,Estonia,Ethiopia,Europe,Finland,France,Georgia,Germany,"
    "Ghana,Greece,Greenland,Guatemala,Haiti,Honduras,Hungary,Iceland,India,Indonesia,Iran,Iraq,Ireland,Israel,Italy,"
    "Jamaica,Japan,Jordan,Kazakhstan,Kenya,Kosovo,Kuwait,Laos,Latvia,Lebanon,Liberia,Libya,Lithuania,Luxembourg,"
    "Madagascar,Malaysia,Mali,Malta,Mexico,Moldova,Mongolia,Morocco,Mozambique,Myanmar,Namibia,Nepal,Netherlands,"
    "New Zealand,Nicaragua,Niger,Nigeria,North Korea,Norway,Oman,Pakistan,Palestine,Panama,Paraguay,Peru,Philippines,"
    "Poland,Portugal,Qatar,Romania,Russia,Rwanda,Saudi Arabia,Scotland,Senegal,Serbia,Singapore,Slovakia,Slovenia,"
    "Somalia,South Africa,South Korea,Spain,Sri Lanka,Sudan,Sweden,Switzerland,Syria,Taiwan,Tanzania,Thailand,Tunisia,"
    "Turkey,Uganda,Ukraine,United Kingdom,United States,Uruguay,Venezuela,Vietnam,Wales,Yemen,Zambia,Zimbabwe,Africa,"
    "Asia,Amsterdam,Ankara,Athens,Baghdad,Bangkok,Barcelona,Beijing,Beirut,Belgrade,Berlin,Brussels,Bucharest,Budapest,"
    "Buenos Aires,Cairo,California,Chicago,Copenhagen,Damascus,Delhi,Dubai,Dublin,Florida,Frankfurt,Gaza,Geneva,"
    "Hamburg,Hanoi,Helsinki,Hong Kong,Istanbul,Jakarta,Jerusalem,Johannesburg,Kabul,Karachi,Kiev,Kyiv,Lagos,Lisbon,"
    "London,Los Angeles,Madrid,Manila,Melbourne,Mexico City,Milan,Minsk,Montreal,Moscow,Mumbai,Munich,Nairobi,"
    "New Delhi,New York,Oslo,Ottawa,Paris,Prague,Riyadh,Rome,San Francisco,Santiago,São Paulo,Seoul,Shanghai,Stockholm,"
    "Sydney,Tehran,Tel Aviv,Texas,Tokyo,Toronto,Vienna,Vilnius,Warsaw,Washington,Zagreb,Zurich,"
    "Deutschland,Österreich,Schweiz,Frankreich,Italien,Spanien,Polen,Russland,Ukraine,Türkei,Europa,Wien,München,Köln,"
    "Zürich,Genf,Brüssel,Moskau,Kiew,Warschau,Prag,Rom,Allemagne,Autriche,Suisse,Espagne,Italie,Pologne,Russie,Chine,"
    "Japon,États-Unis,Royaume-Uni,Bruxelles,Londres,Moscou,Genève,Lyon,Marseille,Alemania,España,Francia,Italia,Rusia,"
    "Estados Unidos,Reino Unido,México,Perú,Brasil,Madrid,Sevilla,Moscú,Bruselas,Germania,Spagna,Russia,Cina,Roma,"
    "Milano,Napoli,Torino,Londra,Parigi,Berlino,Mosca,Alemanha,Espanha,França,Itália,Rússia,Lisboa,Porto,Duitsland,"
    "Frankrijk,Nederland,België,Rusland,Parijs,Brussel,Londen,Niemcy,Polska,Rosja,Francja,Warszawa,Kraków,Берлин,"
    "Германия,Германии,Россия,России,Франция,Франции,Китай,Китая,Украина,Украины,Украине,Москва,Москве,Москвы,Киев,"
    "Лондон,Париж,Вашингтон,США,Европа,Европы"
)
#: Names of countries and large cities in several languages, in lower case.
PLACES: Final = frozenset(place.casefold() for place in _PLACES.split(","))
#: Capitalised words that are in no name: days and months.
NO_NAMES: Final = frozenset(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar "
    "märz mai juni juli oktober dezember".split()
)
#: Those that are no name alone, but may be part of one: "European Commission".
NO_NAMES_ALONE: Final = frozenset(
    "english american british german french chinese russian european christmas easter source quelle ok pdf url html "
    "http https ii iii iv vi vii viii ix xi xii".split()
)
#: Small words inside names: "Ursula von der Leyen", "Bank of England".
INSIDE: Final = frozenset(
    "of de la le del della di da dos du van von der den ten ter al el bin ibn the and & y e".split()
)
