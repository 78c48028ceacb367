# ruff: noqa: RUF001 - words of many languages, as they are written
"""Words of good and of bad news in eight languages, without case and accents; a * stands for any ending."""

from __future__ import annotations

import re
from typing import Final

from veille.core.search.snippets import folded

_GOOD: Final = {
    "en": "achiev* advanc* agree* applaud* award* beat benefit* best better bloom* boom* boost* breakthrough* "
    "bright* celebrat* champion* cheer* cure* delight* eas* effective enjoy* excellent exceed* fair fantastic fine "
    "free freed gain* generous glad good great grew grow growth happ* healthy help* hero* honour* honor* hope* "
    "impressive improv* innovat* joy* love* milestone* optimis* outstanding peace* perfect pleas* popular positive "
    "praise* prais* profit* progress* promising prosper* proud* rally record recover* rescu* rebound* reward* rise "
    "rises rose safe* saved save smile* solv* soar* stable strong* succeed* success* surge* support* surviv* thriv* "
    "triumph* upgrade* victor* warm* welcom* win wins winner* winning won wonderful",
    "de": "angenehm aufschwung* ausgezeichnet* befreit* begeister* beliebt besser* beste* durchbruch* einig* "
    "entspann* erfolg* erfreu* erhol* erleichter* ermutig* fortschritt* freude* freut freuen frieden* froh gelung* "
    "gelingt gerettet gesund* gewinn* gewann geheilt gluck* grossartig gunstig* gut gute guten guter gutes heil* "
    "herausragend* hervorragend hoffnung* jubel* lob lobt* lobte* positiv* preis preistrager* profit* rekord* "
    "rettet* sicher* sieg* siegt* solide stabil* stark* stolz* toll verbesser* vorteil* wachs* wachst willkommen* "
    "wuchs zufrieden* zuversicht*",
    "fr": "accord aide amelior* apais* applaud* avance* avantag* beau belle benefic* bien bon bonheur bonne bonnes "
    "bons brillant* celebr* champion* croissance efficace encourage* enthousias* espoir* essor excellent* exploit "
    "fete* fier* gagn* gratuit* guer* heureux heureuse hausse joie liber* magnifique meilleur* merveill* optimis* "
    "paix parfait* positi* profit* progress* progres prosper* prometteur* rassur* record recompens* redresse* "
    "reuss* sain sauv* satisf* solid* souten* souri* stable succes super triomph* victoire* vainqueur*",
    "es": "acuerdo alegr* alivi* apoyo avance* ayuda* beneficio* bien bueno buena buenas buenos campeon* celebr* "
    "crec* cura* eficaz elogi* esperanz* exit* excelent* feliz* felic* fortalec* gana ganan ganar ganaron gano "
    "gratis histori* ilusion libera* logr* maravill* mejor* optimis* orgull* paz perfect* positiv* premi* progres* "
    "prometedor* prosper* record recuper* rescat* resuelv* satisf* seguro seguros segura solid* sonri* salv* "
    "triunf* vencedor* victoria*",
    "it": "accordo aiut* allegr* applaus* avanza* bello bella bene benefic* brilla* buona buone buoni buono "
    "campion* celebr* cresc* crescita efficac* eccellen* entusias* felic* festa festeggi* fiduc* gioi* grande "
    "guadagn* guari* liber* meravigli* miglior* ottim* orgogli* pace perfett* positiv* premi* premio profitt* "
    "progress* promett* prosper* record recuper* ripresa riusc* salv* sereno sicur* soddisf* solid* sorris* "
    "speranz* success* sostegno trionf* vince vincit* vittori* vinto",
    "pt": "acordo ajuda* alegr* alivi* apoio avanc* bem benefic* boa boas bom bons campea* celebr* conquist* cresc* "
    "cura* eficaz elogi* entusias* esperanc* excelent* exito feliz* felic* ganha* ganhou gratuit* liber* lucr* "
    "maravilh* melhor* orgulh* otim* paz perfeit* positiv* premi* progress* promissor* prosper* record* recuper* "
    "resgat* salv* satisf* segur* solid* sorri* sucess* super* triunf* vence* vitori*",
    "nl": "akkoord behaald* beter best* bevrijd* blij doorbraak effectief eerlijk feest* fijn gelukt* geluk* gered "
    "gezond* goed goede groei* groeit held helden herstel* hoop* hulp juich* kampioen* kans lof mooi* opgelucht "
    "opluchting optimis* populair positief positieve prachtig* prijs prijst record* redt rust schitter* slaagt "
    "steun* sterk* stijging succes* tevreden trots uitstekend* veilig* verbeter* voordeel vooruitgang vrede vreugde "
    "vrij welkom* win* won winst* zege*",
    "ru": "благ* выгод* выздоров* выигр* достиж* доволен довольны доверие добр* досрочно здоров* красив* лучш* люб* "
    "мир мира мирн* надежд* наград* награ* одобр* оптим* отличн* победа победил* победы победу побед* подъем* "
    "помог* помощ* поддерж* позитив* польз* праздн* превосход* прекрасн* прибыл* прогресс* процвет* прорыв* рад "
    "рады радост* рекорд* рост* решен* спас* спокойн* стабильн* счаст* улучш* успе* успешн* хорош* чемпион* "
    "эффективн*",
}
_BAD: Final = {
    "en": "abus* accident* accus* afraid alarm* anger angry anxi* arrest* attack* awful bad bankrupt* ban banned "
    "bomb* blame* bleak broke* collaps* complain* concern* condemn* conflict* corrupt* crash* crim* crisis crises "
    "critic* cruel cut cuts damag* danger* dead* death* decline* defeat* deficit* delay* destroy* destruct* die "
    "died dies disappoint* disaster* disput* disrupt* doubt* drop* drought* emergency evacuat* fail* fall falls "
    "fatal* fear* fell fight* fire* flood* fraud* gloom* grief guilty harm* hat* horr* hostage* hunger hurt* "
    "illegal* ill illness* injur* jail* kill* lawsuit* layoff* lose loses losing loss* lost miser* murder* "
    "outbreak* outrage* pain* panic* plung* pollut* poor* poverty prison* problem* protest* recession* risk* sad* "
    "scandal* scam* shock* shortage* shot sick* slump* steal* stole* storm* strike* struggl* suffer* suicid* terr* "
    "theft* threat* toxic tragic* tragedy trouble* ugly unemploy* unrest victim* violen* war wars warn* weak* worr* "
    "worse* worst wound* wrong*",
    "de": "absturz* abgesturzt* alarm* angegriffen* angriff* angst* arger* armut* attentat* bedroh* befurcht* "
    "beschadigt* betrug* bose brand brannte defizit* desaster* drama dramatisch* einbruch* eingebrochen* entlass* "
    "enttausch* erkrank* ermordet* explosion* falsch* feind* flut* furcht* gefahr* gefahrd* geldstrafe* "
    "gescheitert* gestorben getotet* gewalt* gift* hass* hunger* insolven* kampf* katastroph* klage* konflikt* "
    "krank* krieg* krise* kritik* krimin* leid* leider mangel* mord* not panik* pleite* problem* protest* razzia "
    "rezession* risik* ruckgang* scheiter* schaden* schlecht* schlimm* schock* schuld* schwach* schwer* skandal* "
    "sorge* sinkt sinken stirbt strafe* streik* streit* sturz* sturm* sterben terror* tod tode todes* tote* toten* "
    "traurig* trauer* unfall* ungluck* unruhe* uberschwemm* verbot* verbrech* verfall* verhaft* verlet* verlier* "
    "verlor* verlust* vermisst* verurteil* verschlechter* versag* verzweif* vorwurf* warn* waldbrand* zerstor* "
    "zusammenbruch*",
    "fr": "abus accident* accus* agress* alarm* angoiss* arret* attaqu* attentat* baisse blame* bless* catastroph* "
    "chomage chute* colere condamn* conflit* corrup* crainte* craint* crash crim* crise* critiqu* danger* deces "
    "decev* deception* decede* deficit* degat* depress* desastr* detruit* destruct* difficil* disparu* douleur* "
    "doute* drame* dramatique* echec* echou* effondr* endett* enlev* epuis* faible* faillite* famine fraude* grave* "
    "grev* guerre* haine incendi* inond* injust* inqui* malad* malheur* manqu* mauvais* menac* mort morte morts "
    "mourir* meurt* meurtr* panique pauvre* peine penurie* perd* perdu* pert* peur* pire* plainte* pollu* prison "
    "problem* recession* recul* risqu* scandal* secheresse souffr* suicid* tempete* terror* tension* toxique* "
    "tragedi* tragique* trist* tue* tuer victime* violen* vol",
    "es": "abus* accident* acus* alarm* amenaz* angusti* ataqu* atentado* caida* cae caen cayo catastrof* cerrar "
    "colaps* condena* conflict* corrup* crimen* criminal* crisis critic* culpa* dano* danos debil* deficit* "
    "denunci* derrot* desastr* desemple* desaparec* despid* destru* detenid* deuda* dificil* dolor* drama* dura "
    "emergencia enferm* enfad* error* escandal* escasez explosion* fall* falta fracas* fraude* golpe* grave* "
    "guerra* hambre* herid* huelga* huracan incendi* injust* inundaci* insegur* lament* lucha mal mala malas malo "
    "malos matan* mato miedo* miseria* muert* murier* murio muere* odio* paro peligr* peor* perd* perdid* pesim* "
    "pobre* preocup* problem* protest* quiebra* recesion rechaz* riesg* sequ* sufr* suicid* temor* tension* terror* "
    "toxic* traged* tragic* triste* violen* victima*",
    "it": "abus* accus* aggress* alluvion* allarme* angosc* arrest* attacc* attentat* brutt* cade* calo catastrof* "
    "cattiv* colpa* colpevol* condann* conflitt* corruz* cris* critic* croll* dann* debit* debol* decedut* deficit "
    "delud* delus* difficil* disastr* disoccupa* disper* distru* dolor* dramm* dura emergenz* error* esplos* "
    "falliment* fallit* fame ferit* frod* fuga furto grav* guerr* incendi* incident* ingiust* inondaz* lament* "
    "licenzi* lotta* lutto mal* malat* mancan* minacc* mort* muoi* odio omicid* pauros* paur* peggio* perde* "
    "perdit* pericol* pers* pian* pover* preoccup* problem* protest* rabb* recession* rischi* sciopero* scontr* "
    "sconfitt* scandal* sequestr* siccita soffr* sofferenz* strage suicid* tension* terremot* terror* tragedi* "
    "tragic* trist* truff* uccis* uccid* vittim* violen*",
    "pt": "abus* acident* acus* alarm* ameac* angusti* assassin* ataqu* atentado* cai caiu caem catastrof* colaps* "
    "conden* conflit* corrup* crim* crise* critic* culpa* dano* decep* deficit* demiss* demit* denunci* derrot* "
    "desab* desapare* desastr* desempreg* destru* detid* dificil* divida* doenc* doent* dor drama* emergenc* "
    "enchente* erro* escandal* escassez explos* falha* falenc* falta fom* fracass* fraud* furac* golpe grave* "
    "greve* guerra* ferid* feriu incendi* injust* inund* lament* luta luto mal mat* mau maus ma mas* medo* miseri* "
    "morr* mort* odio pani* perd* perig* pessim* pior* pobre* polui* preju* preocup* pris* problem* protest* queda* "
    "queix* recess* rejeit* risc* roub* seca sofr* suicid* temor* tens* terror* toxic* traged* tragic* triste* "
    "viol* vitima*",
    "nl": "aanslag* aanval* alarm* angst* arm armoede arrest* bang bedreig* bezorgd* boos brand branden conflict* "
    "corrupt* crisis criminel* dader* daling* dalen* dood* doden drama* droogte dreig* ellende* ernstig* explosie* "
    "faal* faillis* fout* fraude* gedood* geweld* gevaar* gewond* gewonden giftig* haat honger hevig* illegal* "
    "inbraak instort* jammer* klacht* kritiek* kwaad* leed* lijden* misbruik* misdaad* mislukt* misdrijf moord* "
    "nederlaag* nood* onderzoek* ongeluk* ongerust onrust onveilig* ontslag* ontslagen overleden overlijd* "
    "overstrom* paniek pijn* probleem* problemen protest* ramp* recessie* risico* ruzie* schade* schandaal* schok* "
    "schuld* slachtoffer* slecht* staking* sterf* sterven stierf storm* straf* strijd* teleurgestel* teleurstell* "
    "tekort* terreur* terror* tragedie* treurig* triest* tragisch* verdriet* verdacht* verlies* verliezen verloor* "
    "vernield* verwoest* vermist* vrees* waarschuw* werkloos* woede* ziek* zorgen* zwaar zwak*",
    "ru": "авари* арест* атак* банкрот* бедн* бедств* безработ* болезн* болен больн* вина винов* вирус* войн* враг* "
    "вред* гибел* гневн* голод* дефицит* долг драк* жертв* забаст* задерж* закрыт* заболе* запрет* засух* "
    "землетряс* катастроф* конфликт* коррупц* краж* кризис* критик* крушен* мошенн* наводн* нападен* насил* "
    "недоволь* недостат* ненавист* неудач* обвал* обвин* обстрел* опасен опасн* ошибк* паден* паник* пожар* погиб* "
    "пострада* поражен* потер* преступ* провал* проблем* протест* разруш* ранен* раст рецесси* риск* скандал* "
    "скорб* слаб* смерт* снижен* сокращен* ссор* страда* страх* суд терр* теракт* трагед* травм* тревог* трудн* "
    "тюрьм* тяжел* убийств* убит* убил* увол* угроз* удар* умер* умерл* упал* ураган* ущерб* хуже худш* штраф* шок*",
}
_NEGATIONS: Final = {
    "en": "not no never none nobody nothing without neither nor hardly cannot isn wasn don doesn didn won",
    "de": "nicht kein keine keinen keiner keinem nie niemals niemand ohne weder kaum",
    "fr": "ne n pas jamais aucun aucune sans ni plus",
    "es": "no nunca jamas ningun ninguna ninguno sin ni tampoco",
    "it": "non mai nessun nessuno nessuna senza ne",
    "pt": "nao nunca jamais nenhum nenhuma sem nem",
    "nl": "niet geen nooit niemand zonder noch",
    "ru": "не ни нет никогда без никто",
}


def _pattern(words: str) -> re.Pattern[str]:
    """A pattern of whole words: `fail*` and `dead`."""
    endings = (re.escape(folded(word).rstrip("*")) + (r"\w*" if word.endswith("*") else "") for word in words.split())
    return re.compile(rf"(?:{'|'.join(sorted(endings, reverse=True))})\Z")


#: By language: what matches a word of good news, and of bad news.
GOOD: Final = {lang: _pattern(words) for lang, words in _GOOD.items()}
BAD: Final = {lang: _pattern(words) for lang, words in _BAD.items()}
#: By language: words that turn the meaning of the next ones.
NEGATIONS: Final = {lang: frozenset(words.split()) for lang, words in _NEGATIONS.items()}
