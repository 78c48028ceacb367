"""The answers of models that are kept, and the tokens that were used per day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.prompting.replies import StoredReply
from veille.core.schedule import DAY

_ANSWER = Columns(StoredReply, "key, model, prompt, answer, at")


class SqliteModelRecords(Part):
    """The port `ModelRecords`."""

    def kept(self, key: str, now: int) -> StoredReply | None:
        return self._first(_ANSWER, "FROM model_answers WHERE key = ? AND expires_at > ?", (key, now))

    def reserve(self, tokens: int, limit: int, now: int) -> bool:
        with self._db.write():
            if limit and self.used(now) + tokens > limit:
                return False
            self._add(tokens, now)
            return True

    def settle(self, reserved: int, used: int, reserved_at: int) -> None:
        with self._db.write():
            self._add(used - reserved, reserved_at)

    def keep(self, answer: StoredReply, document_ids: Sequence[str], until: int) -> None:
        with self._db.write():
            self._db.execute("DELETE FROM model_answers WHERE key = ? OR expires_at <= ?", (answer.key, answer.at))
            self._db.execute(
                f"INSERT INTO model_answers ({_ANSWER}, expires_at) VALUES ({_ANSWER.places}, :until)",
                asdict(answer) | {"until": until},
            )
            # Without those that were deleted while the model was asked; then the answer is not kept at all.
            self._db.many(
                "INSERT INTO model_answer_documents SELECT ?, id FROM documents WHERE id = ?",
                [(answer.key, document_id) for document_id in document_ids],
            )
            found = self._db.value("SELECT count(*) FROM model_answer_documents WHERE key = ?", (answer.key,))
            if found < len(document_ids):
                self._db.execute("DELETE FROM model_answers WHERE key = ?", (answer.key,))

    def used(self, now: int) -> int:
        return self._db.value("SELECT tokens FROM model_days WHERE day = ?", (now // DAY,)) or 0

    def _add(self, tokens: int, at: int) -> None:
        self._db.execute(
            "INSERT INTO model_days VALUES (?1, max(?2, 0)) "
            "ON CONFLICT DO UPDATE SET tokens = max(model_days.tokens + ?2, 0)",
            (at // DAY, tokens),
        )
