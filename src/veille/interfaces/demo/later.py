"""The events in the small web while the demo runs: one after the other, in a cycle."""

from __future__ import annotations

#: Articles that appear one by one.
FURTHER: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "/news/ferry",
        (
            "The evening ferry waits for the opera",
            "On nights when the opera plays, the last ferry will leave twenty minutes later, the harbour board said.",
            "The change follows a winter in which forty people in evening dress had to walk home along the old weir.",
        ),
    ),
    (
        "/news/bees",
        (
            "Bees on the town hall roof fill their first jar",
            "The four hives above the council chamber gave eleven jars of honey, most of it from the lime trees below.",
            "One jar goes to every school; the mayor, who was stung twice, asked for none.",
        ),
    ),
    (
        "/news/bridge",
        (
            "Harbour bridge to be painted in two colours",
            "As grey paint is sold out, the bridge will be grey to the middle and green from there, until spring.",
            "Sailors have begun to use the border as a mark, and ask the harbour board to leave it as it is.",
        ),
    ),
    (
        "/news/choir",
        (
            "Choir of the deaf sings to a full square",
            "Two hundred people watched the choir sign three songs by lantern light, and asked for a fourth.",
            "The next evening is in a month; lanterns can be borrowed at the library.",
        ),
    ),
)
PRICES = ("14.20", "13.60", "12.90", "13.90")
LEVELS = ("4.3 metres and rising", "4.6 metres and rising", "4.4 metres and falling", "4.1 metres and falling")
#: Notes added to articles as corrections, once all have appeared.
NOTES = (
    "Correction: an earlier version of this article named the wrong day.",
    "Correction: the number in the second paragraph was too high by one.",
)


def nth(things: tuple[str, ...], turn: int) -> str:
    """The item for the Nth change, in a cycle."""
    return things[(turn - 1) % len(things)]
