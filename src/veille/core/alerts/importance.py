"""Which alerts come first in a digest."""

from __future__ import annotations

import math
from collections.abc import Iterable

from veille.core.alerts.models import Alert


def by_importance(alerts: Iterable[Alert]) -> list[Alert]:
    """The most important first; of two that are equally important, the one that fired first."""
    return sorted(alerts, key=lambda alert: (-importance(alert), alert.at, alert.id))


def importance(alert: Alert) -> float:
    """How much an alert matters: the weight of its rule first; then how many tell it, how much changed, what is new.

    A step of weight counts as much as all of the others together.
    """
    size = alert.words_added + alert.words_removed
    told = min(1.0, math.log2(max(alert.tellers, 1)) / 5)
    changed = min(1.0, math.log2(1 + size) / 12)
    news = {"health": 0.8, "run": 0.8, "silence": 0.4}.get(alert.occasion, 0.5 if alert.change == "new" else 0.2)
    return alert.weight * 3 + told + changed + max(news, 0.7 if alert.values else 0.0)
