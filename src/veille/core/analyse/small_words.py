# ruff: noqa: RUF001 - words of many languages, as they are written
"""Function words by language: what stands between the words that say something.

Only the most frequent: what else is common in a dossier, its index knows (`keywords`).
"""

from __future__ import annotations

from typing import Final

_WORDS: Final = {
    "en": "a about after again against all also although always am among an and another any are around as at away "
    "back be became because been before began being best between both but by came can could day did do does done "
    "down during each either else even ever every few first for from get give go going good got had has have having "
    "he her here him his how however i if in including into is it its itself just know last later least less like "
    "made make many may me might more most much must my near never new next no nor not nothing now of off often on "
    "once one only or other others our out over own people per put rather said same say says see several she should "
    "since so some something soon still such take than that the their them then there these they thing things this "
    "those though three through time to today together told too took toward two under until up upon us use used "
    "very want was way we well went were what when where whether which while who whole whom whose why will with "
    "within without would year years yes yet you your monday tuesday wednesday thursday friday saturday sunday",
    "de": "ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bereits bin bis "
    "bist da dabei dadurch dafür dagegen daher damit danach dann daran darauf das dass dazu dem den denn der deren "
    "des deshalb dessen die dies diese diesem diesen dieser dieses doch dort du durch eben ein eine einem einen "
    "einer eines einige er erst es etwa etwas euch für gegen gegenüber gibt habe haben hat hatte hatten heute hier "
    "hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes "
    "jedoch jetzt kann kein keine keinen können könnte laut mal man mehr mein mich mir mit nach nachdem neben nicht "
    "nichts noch nun nur ob oder ohne schon sehr sei seien sein seine seinem seinen seiner seit selbst sich sie "
    "sind so sollen sollte sowie statt über um und uns unser unter viel viele vom von vor wann war waren warum was "
    "weder weil weiter welche wenn wer werde werden wie wieder will wir wird wo wollen worden wurde wurden während "
    "würde zu zum zur zwar zwei zwischen",
    "fr": "à afin ai ainsi alors après as au aucun aujourd'hui aura aussi autre autres aux avaient avait avant avec "
    "avoir beaucoup bien car ce ceci cela celle celui ces cet cette ceux chaque chez ci comme comment contre d dans "
    "de depuis des deux doit donc dont du elle elles en encore entre est et étaient était été être eu eux fait "
    "faire fois font hors il ils j je jusqu l la là le les leur leurs lors lorsque lui m ma mais même mes moi moins "
    "mon n ne ni non nos notre nous on ont or ou où par parce parmi pas pendant peu peut plus plusieurs pour "
    "pourquoi puis qu quand que quel quelle quelques qui quoi s sa sans se selon sera ses si soit son sont sous sur "
    "ta te tes toi ton tous tout toute toutes très trop tu un une va vers voici vos votre vous y",
    "es": "a acerca además ahora al algo algunos allí ante antes aquel aquí así aún aunque bajo bien cada casi como "
    "con contra cual cuando cuatro cuya da de debe del desde después dice día donde dos durante e el él ella ellas "
    "ellos en entre era eran es esa ese eso esta está están este esto estos fue fueron gran ha había han hasta hay "
    "hoy la las le les lo los luego más me mi mientras mismo mucho muy nada ni no nos nosotros nuestro o os otra "
    "otro otros para pero poco por porque primera pues puede que qué quien según se sea ser si sí sido siempre sin "
    "sino sobre solo son su sus también tan tanto te tiene tienen toda todas todo todos tras tres tu tú un una unas "
    "uno unos usted y ya yo",
    "it": "a ad ai al alla alle allo altri altro anche ancora avere aveva c che chi ci cioè come con contro cosa "
    "così cui da dai dal dalla dalle dei del della delle dello deve di dopo dove due e è ed era erano essere fa "
    "fino fra gli ha hai hanno ho i il in infatti io la le lei li lo loro lui ma mentre mi mio molto ne nei nel "
    "nella nelle nessuno noi non nostro o oggi ogni oltre per perché però più poi prima proprio può qual quale "
    "quando quanto quasi quei quella quelle quello questa queste questi questo qui s sarà se sei senza si sia siamo "
    "sono sopra sotto stata state stati stato su sua sue sugli sui sul sulla suo suoi tra tre tu tutti tutto un una "
    "uno verso vi voi",
    "pt": "à acordo agora ainda além algo ao aos apenas após aquela aquele as às assim até bem cada com como contra "
    "da das de dela dele deles depois desde deve dia do dois dos duas durante e é ela elas ele eles em embora "
    "enquanto entre era essa esse esta está estão este eu faz foi foram há isso isto já lá lhe maior mais mas me "
    "mesmo meu minha muito na nas não nem nenhum no nos nós nossa nosso num numa o onde ou outra outro para pela "
    "pelas pelo pelos pode por porque primeira qual quando que quem são se seja sem sempre ser será seu seus sobre "
    "sua suas também tão tem têm ter toda todas todo todos três tu um uma você",
    "nl": "aan af al alle als altijd andere ben bij bijna binnen daar dan dat de deze die dit doen door dus een "
    "eens eerste en er ene geen gegaan geweest ging had hadden heb hebben heeft hem hen het hier hij hoe hun ik in "
    "is ja jaar je kan kunnen kwam langs later maar maken me meer men met mij mijn moet moeten na naar niet niets "
    "nog nu of om omdat onder ons onze ook op over reeds sinds te tegen ten ter toch toen tot tussen twee u uit uw "
    "van vanaf veel via volgens voor waar waren was wat we weer wel werd werden wie wij wil wordt worden zal ze zei "
    "zelf zich zij zijn zo zonder zou zouden",
    "sv": "alla allt andra att av bara blev bli blir då de dem den denna deras dess det detta dig din dit du efter "
    "eller en enligt er ett få får fått för från före ha hade han hans har här hela henne hennes hon honom hur i "
    "icke igen in ingen inom inte jag kan kommer kunde man många med mellan men mer mest mig min mot mycket när "
    "någon något nu och också om på så sade sedan sig sin sina sitt själv ska skall skulle som än till två under "
    "upp ut utan vad var vara varit varje vem vi vid vilken vill år är även över",
    "pl": "a aby ale albo ani będzie bez bo by był była było były być bym co czy dla dlaczego do dwa gdy gdzie go i "
    "ich ile im innych iż ja jak jako je jeden jednak jego jej jest jeszcze jeśli już kiedy kto która które którego "
    "której który których którzy lat lub ma mają mi między mnie może można my na nad nam nas nasz natomiast nie "
    "nich nim niż no o od on ona one oraz pan po pod podczas ponieważ poza przed przez przy również są się sobie "
    "swoje ta tak także tam te tego tej ten też to tu tych tylko tym u w was we wie więc wszystko z za że ze został "
    "została",
    "ru": "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где год года году да даже "
    "два для до его ее ей если есть еще же за здесь и из или им их к как какой когда кого конечно которая которого "
    "которые который кто ли лишь между меня мне много может можно мы на над надо нам нас не него нее ней нельзя нет "
    "ни них но ну о об однако он она они оно от очень по под после потом почти при про раз с сам свое свои свою "
    "себе себя сегодня сейчас со так также такой там тем то тогда того тоже только том тот три ты у уже хорошо хотя "
    "чего чем через что чтобы эта эти этих это этого этой этом этот я",
}
#: Small words by language.
SMALL_WORDS: Final = {lang: frozenset(words.split()) for lang, words in _WORDS.items()}
