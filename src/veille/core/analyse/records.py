"""An analysis as it is stored and shown: of which revision, by whom, and whether it is to be tried again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Final

from veille.core.analyse.analysis import Analysis
from veille.core.analyse.names import Name

#: Who made an analysis without a model.
RULES: Final = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnalysis:
    """An analysis of one revision by one version of the rules or of the prompt."""

    document_id: str
    revision_id: str
    #: The hash of the text that was read: a revision that is read again may have another.
    content_hash: str
    #: `rules-1`, or the name and version of a prompt.
    version: str
    #: `rules`, or the name of the model.
    made_by: str
    made_at: int
    analysis: Analysis
    #: The number of the revision, when it is read.
    rev_n: int = 0
    #: Why rules made it though a model was asked; empty otherwise.
    code: str = ""
    #: How often a model was asked in vain; with `is_open` it is asked again.
    attempts: int = 0
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisCounts:
    """How far the analysis of a dossier is, by one version."""

    analysed: int
    waiting: int


def packed_analysis(analysis: Analysis) -> str:
    """An analysis as JSON, as it is stored."""
    return json.dumps(asdict(analysis), ensure_ascii=False, separators=(",", ":"))


def analysis_from(text: str) -> Analysis:
    """What `packed_analysis` packed."""
    found: dict[str, Any] = json.loads(text)
    lists = {name: tuple(found[name]) for name in ("keywords", "topics", "tags")}
    names = tuple(Name(**one) for one in found["names"])
    return Analysis(summary=found["summary"], tone=found["tone"], names=names, **lists)
