"""The rules of a dossier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pydantic import TypeAdapter

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite.beginnings import id_beginning
from veille.core.alerts.models import Rule, RuleActions, RuleScope
from veille.errors import ConfigError, NotFoundError

_SCOPE: Final = TypeAdapter(RuleScope)
_ACTIONS: Final = TypeAdapter(RuleActions)
_RULE: Final = Columns(
    Rule,
    "id, name, expression, scope, actions, weight, enabled, user_id, created_at, since_seq, since_at",
    scope=_SCOPE.validate_json,
    actions=_ACTIONS.validate_json,
    enabled=bool,
)
_LAST_SEQ: Final = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outbox'), 0)"


class SqliteRules(Part):
    """The port `Rules`."""

    def all(self) -> list[Rule]:
        return self._all(_RULE, "FROM rules ORDER BY name")

    def find(self, name_or_id: str) -> Rule:
        found = self._first(_RULE, "FROM rules WHERE id = ?1 OR name = ?1 ORDER BY id = ?1 DESC", (name_or_id,))
        if found is None and (begun := id_beginning(self._db, "rules", name_or_id, code="ambiguous_rule")):
            found = self._first(_RULE, "FROM rules WHERE id = ?", (begun,))
        if found is None:
            raise NotFoundError(
                f"There is no rule called {name_or_id[:100]!r} in this dossier; `veille rules` lists them.",
                code="no_rule",
            )
        return found

    def add(self, rule: Rule) -> Rule:
        with self._db.write():
            self._refuse_twin(rule)
            rule = replace(rule, since_seq=self._db.value(_LAST_SEQ))
            self._db.execute(f"INSERT INTO rules ({_RULE}) VALUES ({_RULE.places})", _row(rule))
        return rule

    def update(self, rule: Rule) -> None:
        with self._db.write():
            self._refuse_twin(rule)
            self._db.execute(
                "UPDATE rules SET name = :name, expression = :expression, scope = :scope, actions = :actions, "
                "weight = :weight, enabled = :enabled, since_seq = :since_seq, since_at = :since_at WHERE id = :id",
                _row(rule),
            )

    def _refuse_twin(self, rule: Rule) -> None:
        if self._db.value("SELECT 1 FROM rules WHERE name = ? AND id <> ?", (rule.name, rule.id)):
            raise ConfigError(f"There is a rule called {rule.name!r} already.", code="rule_exists")


def _row(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.name,
        "expression": rule.expression,
        "scope": _SCOPE.dump_json(rule.scope).decode(),
        "actions": _ACTIONS.dump_json(rule.actions).decode(),
        "weight": rule.weight,
        "enabled": int(rule.enabled),
        "user_id": rule.user_id,
        "created_at": rule.created_at,
        "since_seq": rule.since_seq,
        "since_at": rule.since_at,
    }
