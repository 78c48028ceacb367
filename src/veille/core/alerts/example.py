"""A message to try channels with."""

from __future__ import annotations

from typing import Final

from veille.core.alerts.models import Alert, Message, MessageKind
from veille.core.rules.facts import Evidence
from veille.core.told import EditKind, TextEdit
from veille.core.values.value import Value, ValueChange, ValueType

_BEFORE, _AFTER = (
    Value(name="price", type=ValueType.PRICE, text=f"{number:.2f} EUR", number=number, unit="EUR")
    for number in (12.9, 11.5)
)

#: One alert about a price.
EXAMPLE: Final = Message(
    id="00000000-0000-7000-8000-000000000000",
    kind=MessageKind.ALERT,
    at=1_767_225_600_000,
    dossier_id="00000000-0000-7000-8000-000000000001",
    dossier="Tea",
    channel_id="00000000-0000-7000-8000-000000000002",
    channel="Example",
    alerts=(
        Alert(
            id="00000000-0000-7000-8000-000000000003",
            rule_id="00000000-0000-7000-8000-000000000004",
            rule="Tea below 12",
            expression="price < 12",
            at=1_767_225_600_000,
            occasion="change",
            evidence=(Evidence(condition="price < 12", found="price fell from 12.90 EUR to 11.50 EUR"),),
            source_name="A shop",
            change="changed",
            url="https://example.org/tea",
            title="Sencha",
            lang="en",
            excerpt=(
                TextEdit(EditKind.EQUAL, "It costs "),
                TextEdit(EditKind.DELETE, "12.90"),
                TextEdit(EditKind.INSERT, "11.50"),
                TextEdit(EditKind.EQUAL, " EUR."),
            ),
            words_added=1,
            words_removed=1,
            values=(ValueChange(name="price", before=_BEFORE, after=_AFTER),),
        ),
    ),
)
