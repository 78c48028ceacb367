"""The audit log in the file of the SQLite store."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from contract.stores import ON_SQLITE
from desk import Program
from samples import NOW
from veille.core.access.accounts import AuditLine


@ON_SQLITE
@pytest.mark.parametrize(
    "statement", ["DELETE FROM audit", "UPDATE audit SET who = 'bob'", "DELETE FROM audit WHERE seq = 1"]
)
def test_the_file_itself_refuses_to_change_a_line(program: Program, tmp_path: Path, statement: str) -> None:
    program.accounts.audit.add(AuditLine(at=NOW, user_id="id", who="ada", way="local", action="act", detail={}))
    connection = apsw.Connection(str(tmp_path / "catalog.db"))
    with pytest.raises(apsw.ConstraintError):
        connection.execute(statement)
    connection.close()
