"""Messages of every kind, for pictures and tests."""

from __future__ import annotations

from dataclasses import replace

from veille.core.alerts.models import Alert, Message, MessageKind
from veille.core.compare.diff import word_diff
from veille.core.rules.facts import Evidence
from veille.core.values.value import Value, ValueChange, ValueType

#: Monday 16 November 2026, 08:30 UTC.
AT = 1_794_817_800_000
BASE = "https://veille.example.org"


def price(before: float, after: float) -> ValueChange:
    values = [
        Value(name="price", type=ValueType.PRICE, text=f"{number:.2f} EUR", number=number, unit="EUR")
        for number in (before, after)
    ]
    return ValueChange(name="price", before=values[0], after=values[1])


TEA = Alert(
    id="0192-tea",
    rule_id="r1",
    rule="Tea below 12",
    expression="price < 12",
    at=AT,
    occasion="change",
    evidence=(Evidence(condition="price < 12", found="price fell from 12.90 EUR to 11.50 EUR"),),
    weight=4,
    source_id="s1",
    source_name="Leaf & Pot",
    change="changed",
    document_id="d1",
    revision_id="v2",
    rev_n=2,
    url="https://tea.example.org/sencha",
    title="Sencha Fukamushi, 100 g",
    lang="en",
    seq=41,
    excerpt=tuple(
        word_diff(
            "First flush from Shizuoka, deep steamed. Price 12.90 EUR, ships within two weeks. Free samples.",
            "First flush from Shizuoka, deep steamed. Price 11.50 EUR, ships tomorrow. Free samples.",
        )
    ),
    words_added=2,
    words_removed=4,
    values=(price(12.9, 11.5),),
)
NEWS = Alert(
    id="0192-news",
    rule_id="r2",
    rule="Harbour bridge",
    expression='"harbour bridge" appears',
    at=AT - 600_000,
    occasion="change",
    evidence=(Evidence(condition='"harbour bridge" appears', found="“harbour bridge” is new in the text"),),
    source_id="s2",
    source_name="The Estuary Gazette",
    change="new",
    document_id="d2",
    revision_id="v9",
    rev_n=1,
    url="https://gazette.example.org/bridge",
    title="Harbour bridge opens to traffic after two years",
    lang="en",
    seq=42,
    excerpt=tuple(
        word_diff("", "The old harbour bridge, closed after the flood, carried its first cars on Sunday morning.")
    ),
    story_id="story-1",
    tellers=3,
)
GONE = replace(
    NEWS,
    id="0192-gone",
    rule="Tenders",
    change="removed",
    document_id="d3",
    title="Tender 2026/114: dredging of the north channel",
    source_id="s3",
    source_name="Port authority",
    url="https://port.example.org/114",
    story_id="",
    seq=44,
    evidence=(Evidence(condition="removed", found="the page is gone (410)"),),
    excerpt=(),
)
BROKEN = Alert(
    id="0192-broken",
    rule_id="r3",
    rule="Sources that break",
    expression="source broken",
    at=AT,
    occasion="health",
    evidence=(Evidence(condition="source broken", found="no answer for 3 days (http.503)"),),
    source_id="s4",
    source_name="City council minutes",
    url="https://council.example.org/minutes",
)
TOLD = replace(NEWS, id="0192-told", source_id="s5", source_name="Coast Radio", document_id="d5", seq=45)


def numbered(count: int) -> tuple[Alert, ...]:
    """Many alerts of a few sources."""
    return tuple(
        replace(
            TEA,
            id=f"0192-{number}",
            title=f"Tea number {number}, 100 g",
            source_name=f"Shop {number % 3 + 1}",
            document_id=f"d{number}",
            seq=100 + number,
            rule="Prices that fall",
            expression="price falls",
            evidence=(
                Evidence(
                    condition="price falls",
                    found=f"price fell from {20 + number}.00 EUR to {19 + number}.00 EUR",
                ),
            ),
            values=(price(20 + number, 19 + number),),
        )
        for number in range(count)
    )


def sample(kind: MessageKind, *alerts: Alert, left_out: int = 0, notice: str = "") -> Message:
    """A message as it would be sent."""
    return Message(
        id="0192f7c1-0000-7000-8000-000000000001",
        kind=kind,
        at=AT,
        dossier_id="0190aaaa-0000-7000-8000-000000000000",
        dossier="Tea and harbours",
        channel_id="c1",
        channel="Mail to Anna",
        alerts=alerts,
        left_out=left_out,
        notice=notice,
        base_url=BASE,
        unsubscribe_url=f"{BASE}/unsubscribe/abc123",
        zone="Europe/Paris",
    )


NOTICE = (
    "The channel “Team chat” is switched off: it refused 12 messages in a row (status 404). "
    "Nothing is lost: 14 alerts wait for it. Correct the channel and switch it on again."
)

#: One message of each kind.
SAMPLES = {
    MessageKind.ALERT: sample(MessageKind.ALERT, TEA),
    MessageKind.GATHERED: sample(MessageKind.GATHERED, TEA, NEWS, TOLD, BROKEN),
    MessageKind.DIGEST: sample(MessageKind.DIGEST, TEA, NEWS, TOLD, GONE, BROKEN, *numbered(4), left_out=23),
    MessageKind.STORM: sample(MessageKind.STORM, *numbered(40), left_out=310),
    MessageKind.NOTICE: sample(MessageKind.NOTICE, notice=NOTICE),
    MessageKind.TEST: sample(MessageKind.TEST),
}
