"""Words that orders to machines are made of, by what they are, in ten languages; in lower case and without accents.

Each kind has a letter, of which `rules` are made. A word that ends with `*` stands for all that begin so. A word
of two kinds is of the first that has it.
"""

# ruff: noqa: RUF001 - words of other scripts

from __future__ import annotations

from functools import lru_cache
from typing import Final

from veille.core.search.snippets import folded

#: Letter of the kind: its words. The languages stand in the order English, German, French, Spanish, Portuguese,
#: Italian, Dutch, Russian, where there are words for all.
_KINDS: Final = {
    # Machines: small words that are one with capitals; what is only one; what may be one; what makes it one.
    "1": "ai ais ia ki ии",
    "M": """llm llms gpts chatgpt chatbot* kunstliche inteligencia intelligenza sprachmodell* sprachassistent*
        taalmodel* нейросет* чатбот* aiassistant*""",
    "m": """bot bots robot robots crawler* scraper* agent agents model models software program programs programme tool
        tools system systems engine engines service services machines parser* pipeline* algorithm* summariser*
        summarizer* modell modelle modellen modelo modelos modello modelli modele modeles modeller* roboter*
        maschine* systeme* programm dienst* agenten werkzeug* logiciel* programmes outil outils sistema sistemas
        sistemi programa programas programma programmi herramienta* ferramenta* strument* agentes agente agenti
        programmas systemen hulpmiddel* модел* программ* систем* бот боты ботам ботов intelligence инструмент*""",
    "5": "assistant assistants assistent* asistent* ассистент* помощник* помощниц*",
    "j": """automated automatic automatically generative virtual digital digitale* digitalen intelligent artificial
        machine maschinell* automatisch* automatisiert* automatique* automatise* automatico* automatizad*
        automatica* automatici automatiche automatische geautomatiseerd* virtuel* virtuelle* vocal* vocaux
        generativ* intelligente* artificielle* artificiale virtuali virtuales virtuais virtueel virtuele assistive
        чат автоматич* automatic*""",
    "L": "language langage lenguaje linguagem linguistic* языков* large",
    "U": "answering",
    # To whom: prepositions, and how letters and notices begin.
    "D": "to for hint hints message messages an fur hinweisen pour aux para per voor aan для reserve reserves",
    "V": """dear hello hey hi attention note notes notice footnote liebe lieber liebes hallo hinweis hinweise achtung
        nachricht cher chers chere cheres estimad* querid* aviso mensaje nota atencion caro cari cara messaggio
        attenzione mensagem atencao prezad* beste bericht внимание вниманию уважаем* reminder дорог*""",
    # This page, and what is done with a page: read; summed up.
    "d": """this these dies diese diesen dieser dieses dieselbe vorliegende* ce cette cet ces este esta estos estas
        questa questo queste questi deze dit dessa desta deste этот эта эту эти этой этои этом этого""",
    "g": """page pages text texts document documents site sites website websites webpage webpages file content contents
        article articles paragraph paragraphs passage seite seiten texte dokument* inhalt* artikel* absatz contenu
        pagina paginas documento documentos texto textos sitio testo tekst* страниц* текст* сайт* документ* статью
        стать* статьи email emails mail thread conversation nachrichten correo articulo artigo articolo artikel
        статья""",
    "r": """read reads reading process processes processing ingest* index indexes indexing crawl crawls crawling scrap*
        analys* analyz* parse parses parsing interpret* evaluat* lese lest lesen liest auswert* verarbeit* erfass*
        lit lire lisent resument leggono leer lee leen ler leia leest lezen verwerk* чита* прочит* обрабатыва*""",
    "s": """summarise summarises summarised summarising summarize summarizes summarized summarizing condens* digest*
        zusammenfass* zusammenfasst resumir resuma resumem resumindo riassum* samenvat* пересказыва* обобща*
        translate translates render paraphrase resumant riassumendo samenvattend samenvatten""",
    # What is said: summaries, answers, "answer" and its like, "output".
    "N": """summary summaries zusammenfassung* resume resumes resumen resumenes resumo riassunto riassunti samenvatting*
        пересказ пересказе пересказа сводк*""",
    "n": """response responses antwort ausgabe reponse reponses sortie respuesta respuestas salida resposta respostas
        risposta risposte uitvoer ответе ответом ответа""",
    "a": "answer answers reply replies ответ ответы",
    "2": "output outputs",
    # To say; to tell; to say, to somebody familiar; says; Italian and Spanish "di"; what is done with words, too.
    "S": """say state states claim assert declare announce respond quote quotes quoted cite cited mention claims asserts
        answered nennen nennt behaupte* behaupten antworten melden zitieren wiederholen wiederhole erwahn* repeat
        repondre repondez repondent repondra citer citent affirmer affirme affirmez indiquer indiquez indique
        annoncez annoncer mentionner mentionnez restituer decir digas dizei responda responder respondan respondam
        conteste citar citen citem afirmar afirme afirma mencionar menciona mencione indicar indica nombrar
        rispondere rispondete rispondono dica dite citare citino affermare indicare menzionare dichiarare riportare
        zeggen zegt antwoorden noemen vermeld vermelden citeren herhaal meld говор* сказать ответ* отвеч* отвечать
        называ* назвать цитир* повтор* утвержда* передаи* repite repita repitan ripeti ripetere antwortest sagst
        nennst nomme nommer nommez mentionne nominare nomina menziona nomear nomeia dizes nombra назвал responds
        saying dira""",
    "G": """tell inform assure advise instruct convince persuade erzahl* digale digales vertel* скажи* сообщ* informe
        informez informa informar informiere informeer teile teilen mitteilen informiert reveal disclose dites diga
        digan dizer dire sagen telling assures""",
    "F": """sag sage antworte dis reponds dile diles responde contesta rispondi dille zeg vertel antwoord скажи сообщи
        ответь отвечай отвечаи schreib schreibe ecris escribe escreve scrivi schrijf напиши nenne behaupte noem
        назови повтори говори diz""",
    "9": "says sagt antwortet",
    "4": "di",
    "t": """write print report reports give given gives include includes contain contains put use add append insert
        present treat return send show describe recommend pass relay convey emit name set list omits omit echo
        opened prefer rely direct make link gib gibt geben angeben anzugeben ausgeben wiedergeben wieder darstellen
        teil schreiben schreibt enthalten vorkommen horen erganze fuge verweise mettez mets ecrivez ecrire donner
        donnez contenir contient presenter ajoute* inclure incluez escriba escribir incluir incluya pon ponga
        escribas presentar anade* comunica* escreva apresentar inclua contenere scriva scrivere metti inserisci
        presentare schrijven bevatten geven gebruik toon напиши* писать пиши* содержать выведи* покажи* вставь*
        упомяни* упоминать используй* dai donne donna geef дай дать написать execute""",
    # That it must be; please; will; to be, to have; to behave; to begin and end; to stop; not.
    "o": """insist insists invite invited urge urges authorise authorised must should shall ought required requested
        instructed obliged expected supposed urged mandatory obligatory need needs provided musst muss mussen soll
        sollen sollst sollten bitten haben hat verpflichtet doit doivent devra devront dois prie pries prions priees
        tenus tenu merci debe deben debes deberan tienen tiene rogamos pedimos han favor deve devem deverao devono
        devi preghiamo tenuti tenute moet moeten dient dienen verzoek* должн* обязан* просим прошу следует grateful
        welcome durfen darf gebeten faut ruega pregati solicitados verzocht просят обязаны told""",
    "§": "please kindly bitte veuillez gelieve пожалуиста пожалуйста",
    "=": "will wirst vas vais zult",
    "b": "is are be was were been being ist sind es est sont ser sera sono zijn lautet luidt bist eres sei",
    "h": "have has had",
    "H": "act behave",
    "B": """begin end start finish close conclude open prefix beende beginne terminez termine commencez commence termina
        empieza comienza comincia ends begins starts terminera commencera endet beginnt let laat laisse""",
    "C": "stop cease halt",
    "!": "not don doesn nicht pas niet non nao не refuse no keine kein aucun ninguna nessuna",
    # Yours, also to somebody familiar; you, too.
    "y": "your ihre ihrer ihrem ihren eure votre vos su sus sua suas vostra vostro uw вашем вашу ваш ваша ваши",
    "k": """deine deinen deiner deinem dein ta tes tus tu tua tue tuo tuoi teu tuas teus jouw je jullie твой твои твоя
        твоем твоим твоего твое твоеи своем своём""",
    "Y": "you vous usted ustedes voce lei jij вы",
    "T": "te ti dich dir tebe тебя тебе du toi ты",
    # Who reads and asks; whoever; who made a machine; questions.
    "u": """user users reader readers asker askers questioner* nutzer* benutzer* anwender* leser* fragesteller*
        fragende* utilisateur* lecteur lecteurs lectrice* internaute* usuari* lector lectores leitor* utilizador*
        utente utenti lettore lettori gebruiker* lezer* vrager* пользовател* читател* спрашивающ*""",
    "w": """whoever anyone anybody everyone everybody someone somebody person people jemand quiconque quelqu alguien
        chiunque qualcuno alguem iemand iedereen wer quien quienes chi quem wie кто тем тому""",
    "7": """developer developers operator operators provider creator creators maker makers anbieter entwickler
        fournisseur developpeurs proveedor desarrolladores ontwikkelaars""",
    "q": """ask asks asking question questions query queries enquire enquires inquire inquires enquiry frage fragen
        fragt gefragt demande demandes demandent demander interroge pregunta preguntas preguntan preguntes pregunten
        pregunte consulta pergunta perguntas domanda domande richiesta chiede chiedono vraag vragen gevraagd vraagt
        вопрос* спраш* спрос* chiedano chiedete chiedere perguntem perguntarem perguntar perguntam preguntar спросят
        спрашивают""",
    "A": "asked",
    # To forget, to set aside, to follow; what was before; the rest; all.
    "f": """ignore ignorieren ignoriere ignorier ignorez ignora ignorad ignorate disregard forget vergiss vergessen
        oublie oubliez neglige olvida olvide olvidad desobedece dimentica* scorda* esqueca* esquece desconsidere
        negeer vergeet игнориру* забудь* пренебрег* aside""",
    "J": "override bypass drop overlook discard missacht* verwirf uberge*",
    "3": """follow obey beachte beachten befolge befolgen beachtet suis suivez segui seguite sigue siga volg houd
        соблюдаи следуи""",
    "E": """previous previously prior earlier above preceding foregoing former before bisherig* vorherig* fruher* oben
        vorher zuvor precedent* ancien* anciennes precede dessus avant previ* anterior* arriba antes sopra acima
        letto dito eerder* vorige voorgaand* bovenstaand* hierboven предыдущ* прежн* прошл* выше раньше obig*""",
    "+": "rest remainder",
    "e": """all any every everything anything other alle allen alles jede jeden jeder toutes toute tout tous chaque
        todas toda todo todos cada cualquier ogni tutte tutto qualsiasi qualquer elke iedere все всё всех всем любои
        любую любые любым каждыи elk each""",
    # Orders, rules, prompts, tasks.
    "i": """instruction instructions directive directives guidelines guidance orders anweisung anweisungen vorgaben
        instruktion* consignes consigne instrucciones instrucao instrucoes istruzioni instructies aanwijzingen
        richtlijnen инструкци* указани* instruccion istruzione instructie указание""",
    "/": "rules rule restrictions training programming regeln regles reglas regras regole regels правил*",
    "I": "prompt prompts systemprompt",
    "O": "task objective mission aufgabe tache tarea tarefa compito taak задани* задач* job",
    # Correct; void; only; whatever; the following.
    "c": """correct right proper true valid acceptable official desired good honest appropriate fitting richtige
        korrekte einzige wahre gultige attendue bonne seule vraie correcte correcta adecuada unica correta certa
        giusta corretta juiste goede enige правильн* верн* единственн*""",
    "v": """void invalid outdated cancelled canceled superseded supersedes obsolete revoked longer replaced changed mehr
        ungultig appliquent valables valen anuladas vigentes valgono valide valem valer valido gelden vervallen
        действуют отменен* gilt gelten geldt geldend vale valt val invalides unwirksam""",
    "x": """only solely alone always never nothing instead exactly just exclusively verbatim nobody stets immer nur
        ausschliesslich sonst uniquement seulement toujours rien siempre solo solamente unicamente nada sempre
        apenas somente soltanto allein alleen altijd slechts niets verder только всегда исключительно ничего лишь
        hidden invisible""",
    "X": """whatever whichever regardless irrespective matter egal gleich unabhangig quelle quel peu qualunque sea
        importa ongeacht независимо quoi ни""",
    "W": """following follows so thus word words sentence sentences line wortlich folgendes folgende folgenden folgt
        satz phrase ceci cela suit siguiente frase segue seguinte quanto zin volgende woord следующ* слово фразу
        предложение""",
    # From now on, and the parts of it; new.
    "z": "henceforth sofort desormais dorenavant doravante voortaan отныне впредь",
    "Z": """new neue neuer neues nouvelle nouvelles nouveau nueva nuevas nuova nuove nova novas novos nieuwe новая новые
        новую real""",
    "p": "partir vanaf ab von desde da",
    "Q": "now here jetzt nun maintenant ahora agora ora adesso nu теперь момента point moment",
    "P": "on poi avanti adelante onwards forward",
    # In, about, with, as, of; to imagine.
    "%": "in dans en nel nella na в",
    "@": "about concerning regarding uber sobre propos over о",
    "&": "with mit avec con met с",
    "6": "as like als como comme come com как",
    "K": "of der",
    "l": """pretend imagine play roleplay role-play stell stelle spiel spiele imaginez fais faites finge finja imagina
        immagina fingi finta doe stel представь* притвор* сделаи supponi предположим""",
    # Who is told of.
    "R": """critics law laws researchers study studies lawmakers newspapers designers author authors experts said argue
        argues demand demands tricked attack attackers attacks kritiker gesetz forscher forschern chercheurs loi ley
        investigadores legge ricercatori wet onderzoekers закон* исследовател*""",
}  # fmt: skip
_EXACT: Final[dict[str, str]] = {}
_STEMS: Final[dict[str, str]] = {}
for _kind, _words in _KINDS.items():
    for _word in folded(_words).split():
        if _word.endswith("*"):
            _STEMS.setdefault(_word[:-1], _kind)
        else:
            _EXACT.setdefault(_word, _kind)
_LONGEST, _SHORTEST = max(map(len, _STEMS)), min(map(len, _STEMS))


@lru_cache(maxsize=1 << 16)
def kind_of(word: str) -> str:
    """The letter of the kind of a folded word; `_` for one of no kind."""
    if word in _EXACT:
        return _EXACT[word]
    if word.isdigit():
        return "0"
    for end in range(min(len(word), _LONGEST), _SHORTEST - 1, -1):
        if word[:end] in _STEMS:
            return _STEMS[word[:end]]
    return "_"


def parted(letters: str) -> str:
    """Letters without spaces, with a space between the words that are known."""
    words, at, plain = [], 0, folded(letters)
    while at < len(letters):
        ends = range(min(len(letters), at + _LONGEST), at + 1, -1)
        end = next((end for end in ends if plain[at:end] in _EXACT), at + 1)
        words.append(letters[at:end])
        at = end
    return " ".join(words)
