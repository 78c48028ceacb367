"""The tone of sentences that people labelled: how often the small lexicon is right."""

from __future__ import annotations

import pytest

from veille.core.analyse.analysis import tone_word
from veille.core.analyse.tone import tone

#: Sentences as news have them, half of each language good and half bad. None was used to choose the words.
LABELLED = {
    "en": (
        (
            "The town celebrated the opening of its new library.",
            "Scientists report a breakthrough in the treatment of malaria.",
            "The company posted record profits for the third quarter.",
            "All twelve miners were rescued after four days underground.",
            "Her novel won the country's most respected award.",
            "Unemployment fell to the lowest level in thirty years.",
            "Both sides welcomed the peace agreement signed on Friday.",
            "The whale population has recovered since hunting ended.",
            "Readers love the paper's friendly new design.",
            "The team's young striker gave a brilliant performance.",
            "A donor paid off the debts of every pupil's family.",
            "The clinic offers free vaccinations to children.",
        ),
        (
            "A bridge collapsed during the storm and two people died.",
            "The bank was accused of hiding its losses.",
            "Fears of a recession grew as factories closed.",
            "Police arrested a man after an attack on a shop.",
            "Thousands lost their homes in the flood.",
            "The minister resigned over a corruption scandal.",
            "Patients wait for months, and nurses are exhausted.",
            "The launch failed and the satellite was destroyed.",
            "Farmers warn that the drought will ruin the harvest.",
            "The report describes the prison as filthy and unsafe.",
            "The negotiations ended without any agreement.",
            "Customers complain about rude staff and long delays.",
        ),
    ),
    "de": (
        (
            "Die Mannschaft feierte einen verdienten Sieg.",
            "Der Umsatz des Unternehmens wächst kräftig.",
            "Die Feuerwehr rettete alle Bewohner unverletzt.",
            "Die Forscherin erhält einen wichtigen Preis für ihre Arbeit.",
        ),
        (
            "Bei dem Unfall wurden drei Menschen verletzt.",
            "Die Firma meldete Insolvenz an und entlässt hundert Beschäftigte.",
            "Kritik an dem Vorhaben kommt von allen Seiten.",
            "Nach dem Brand ist das Haus unbewohnbar.",
        ),
    ),
    "fr": (
        (
            "Le film a connu un immense succès auprès du public.",
            "Les deux pays ont signé un accord de paix.",
            "La ville a inauguré un magnifique musée.",
            "L'entreprise annonce une croissance record.",
        ),
        (
            "L'accident a fait cinq morts et dix blessés.",
            "Les salariés dénoncent la fermeture de l'usine.",
            "La sécheresse menace les récoltes de la région.",
            "Le maire a été condamné pour fraude.",
        ),
    ),
    "es": (
        (
            "El equipo ganó el campeonato por primera vez.",
            "La economía crece más de lo esperado.",
            "Los médicos celebran el éxito de la operación.",
            "El proyecto recibió un premio internacional.",
        ),
        (
            "El incendio destruyó cientos de viviendas.",
            "La empresa despide a trescientos trabajadores.",
            "Aumenta la preocupación por la falta de agua.",
            "Dos personas murieron en el ataque.",
        ),
    ),
    "it": (
        (
            "La squadra ha vinto con una prestazione eccellente.",
            "I due governi hanno raggiunto un accordo.",
            "Il turismo è in forte crescita.",
            "Tutti i passeggeri sono stati salvati.",
        ),
        (
            "Il terremoto ha provocato gravi danni.",
            "L'azienda è fallita e i dipendenti protestano.",
            "Tre persone sono rimaste ferite nello scontro.",
            "Cresce la paura per la nuova malattia.",
        ),
    ),
    "pt": (
        (
            "O filme foi um grande sucesso de público.",
            "A equipa venceu o jogo e celebrou com os adeptos.",
            "Os lucros da empresa cresceram este ano.",
            "O hospital conseguiu salvar todas as crianças.",
        ),
        (
            "O acidente causou dois mortos e vários feridos.",
            "A fábrica fechou e centenas perderam o emprego.",
            "O incêndio destruiu parte da floresta.",
            "O antigo ministro foi condenado por corrupção.",
        ),
    ),
    "nl": (
        (
            "De ploeg behaalde een mooie overwinning.",
            "De winst van het bedrijf groeit sterk.",
            "Alle opvarenden zijn veilig gered.",
            "De gemeente is trots op het nieuwe park.",
        ),
        (
            "Bij de aanval vielen drie slachtoffers.",
            "Het bedrijf is failliet en ontslaat iedereen.",
            "De brand richtte grote schade aan.",
            "Patiënten klagen over slechte zorg.",
        ),
    ),
    "ru": (
        (
            "Команда одержала уверенную победу.",
            "Прибыль компании выросла на треть.",
            "Врачи спасли жизнь ребенку.",
            "Город получил престижную награду.",
        ),
        (
            "При крушении поезда погибли два человека.",
            "Пожар разрушил несколько домов.",
            "Чиновника обвинили в коррупции.",
            "Жители жалуются на плохие дороги.",
        ),
    ),
}
#: Right of all, as measured; a change of the words may not fall below.
FLOORS = {
    "en": (17, 24),
    "de": (7, 8),
    "fr": (7, 8),
    "es": (7, 8),
    "it": (7, 8),
    "pt": (7, 8),
    "nl": (7, 8),
    "ru": (6, 8),
}


@pytest.mark.covers("R-240")
@pytest.mark.parametrize("lang", LABELLED)
def test_the_tone_of_labelled_sentences_is_right_as_often_as_the_documentation_says(lang: str) -> None:
    good, bad = LABELLED[lang]
    cases = [*((text, "positive") for text in good), *((text, "negative") for text in bad)]
    wrong = [(text, said) for text, said in cases if tone_word(tone("", text, lang) or 0) != said]
    right, total = FLOORS[lang]
    assert len(cases) == total
    assert len(cases) - len(wrong) >= right, wrong


def test_a_negation_turns_the_next_words_and_a_title_counts_twice() -> None:
    assert (tone("", "The result was good.", "en") or 0) > 0
    assert (tone("", "The result was not good.", "en") or 0) < 0
    assert (tone("A disaster", "The result was good.", "en") or 0) < 0


def test_a_language_without_a_lexicon_has_no_tone() -> None:
    assert tone("", "Ez egy nagyon jó hír.", "hu") is None
    assert tone("", "", "en") == 0
