"""A workbook in Google Sheets (extra `sheets`). What people add to it (sheets, columns at the end, order) stays.

Saving takes one call to read the existing rows and one for each batch of rows to write: far below the quota of 60 per
minute. Rows are written at places of our choosing, never "appended" by the server: a call that is repeated because its
response was lost writes the same rows to the same places.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veille.adapters.workbook._book import check_columns, exclusive, fitting
from veille.core.news.sheets import CONFIG, Cell, Row, Sheet
from veille.errors import ConfigError, SinkError

#: Google's limit of characters in a cell.
MAX_CELL = 50_000
#: Bytes in one call; Google recommends at most 2 MB.
MAX_CALL = 1_500_000
_SCOPE = "https://www.googleapis.com/auth/"
#: Finding a spreadsheet by its title, or creating it, needs more rights than writing one that is known by its id.
SCOPES_BY_ID = (f"{_SCOPE}spreadsheets",)
SCOPES_BY_TITLE = (*SCOPES_BY_ID, f"{_SCOPE}drive.metadata.readonly", f"{_SCOPE}drive.file")
#: Waits after a response that says "too many" or "not now"; the quota is per minute.
WAITS_S = (2, 5, 15, 30, 60)
#: The longest single wait, whatever `Retry-After` says.
MAX_WAIT_S = 120
_TOO_MANY, _SERVER_ERROR = 429, 500
_FORBIDDEN, _MISSING = 403, 404
#: Part of Google's message if a spreadsheet would exceed ten million cells.
_FULL = "limit of 10000000 cells"
_LATER = "Nothing is lost: a later command writes what is missing."


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleAccount:
    """The account and its spreadsheet."""

    key_file: Path
    spreadsheet_id: str
    title: str
    #: Who may edit a spreadsheet that we created: it belongs to the service account, which nobody can log in to.
    share_with: str = ""
    #: Replaces Google's own address.
    api_url: str = ""


class GoogleWorkbook:
    """The port `Workbook`. Raises ConfigError if there is no key."""

    def __init__(self, account: GoogleAccount, lock: Path, *, pause: Callable[[float], None] = time.sleep) -> None:
        self._account = account
        self._lock = lock
        self._credentials = _credentials(account)
        self._pause = pause
        self._patient = True
        self._opened: Any = None

    @property
    def name(self) -> str:
        return f"Google Sheets: {self._account.spreadsheet_id or self._account.title}"

    @contextmanager
    def editing(self, sheets: Sequence[Sheet], *, patient: bool = True) -> Iterator[GooglePage]:
        self._patient = patient
        with exclusive(self._lock, 300 if patient else 0, self.name), self._explained():
            if self._opened is None:
                self._opened = self._open()
            page = GooglePage(self._opened, sheets, self.name)
            yield page
            page.flush()

    def _open(self) -> Any:
        from gspread import SpreadsheetNotFound  # noqa: PLC0415 - an extra

        client = _client(self._account, self._credentials, self._wait)
        if self._account.spreadsheet_id:
            return client.open_by_key(self._account.spreadsheet_id)
        try:
            return client.open(self._account.title)
        except SpreadsheetNotFound:
            made = client.create(self._account.title)
        if self._account.share_with:
            made.share(self._account.share_with, perm_type="user", role="writer", notify=False)
        return made

    def _wait(self, wait_s: float) -> bool:
        """Wait, and return True; return False at once if the caller is not patient."""
        if self._patient:
            self._pause(min(wait_s, MAX_WAIT_S))
        return self._patient

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Translates the library's exceptions into ours."""
        import requests  # noqa: PLC0415, TID251 - comes with the extra
        from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415 - an extra
        from gspread.exceptions import APIError, SpreadsheetNotFound  # noqa: PLC0415 - an extra

        try:
            yield
        except (SpreadsheetNotFound, PermissionError) as error:
            raise self._no_access() from error
        except (TransportError, requests.RequestException) as error:
            what = f"Google Sheets cannot be reached ({type(error).__name__}). {_LATER}"
            raise SinkError(what, code="sheets.unreachable") from error
        except GoogleAuthError as error:
            raise SinkError(
                f"Google does not accept the service account: {error}. Check GOOGLE_SERVICE_ACCOUNT_JSON.",
                code="sheets.account",
            ) from error
        except APIError as error:
            raise self._refused(error) from error

    def _refused(self, error: Any) -> SinkError:
        if error.code in {_FORBIDDEN, _MISSING}:
            return self._no_access()
        if error.code == _TOO_MANY:
            return SinkError(f"The quota of Google Sheets is used up. {_LATER}", code="sheets.quota")
        if _FULL in str(error):
            return SinkError(
                f"{self.name} has all the cells that Google allows. Begin a new one with a dossier of its own: "
                "`veille dossiers add NAME`, another SPREADSHEET_ID, then `veille news discovery --dossier NAME`.",
                code="sheets.full",
            )
        return SinkError(f"Google Sheets failed: {error}. {_LATER}", code="sheets.failed")

    def _no_access(self) -> SinkError:
        return SinkError(
            f"{self.name} is not there, or not shared with the service account: share it with "
            f"{self._credentials.service_account_email} as an editor, or correct SPREADSHEET_ID or SPREADSHEET_TITLE.",
            code="sheets.access",
        )


class GooglePage:
    """The port `Page`: rows are written in as few calls as possible when the editing ends, `Config` last."""

    def __init__(self, book: Any, sheets: Sequence[Sheet], name: str) -> None:
        self._book = book
        self._name = name
        self._rows: list[tuple[Sheet, int, Row]] = []
        self._grid = self._ensure(sheets)
        self._read(sheets)

    def config(self) -> dict[str, str]:
        return dict(self._config)

    def put(self, sheet: Sheet, rows: Sequence[Row]) -> None:
        places = self._places[sheet.name]
        for row in rows:
            key = str(row[sheet.key])
            if key not in places:
                places[key] = self._end[sheet.name]
                self._end[sheet.name] += 1
            self._rows.append((sheet, places[key], row))

    def flush(self) -> None:
        """Write everything. Config names the saving, so it is written after all the rest."""
        self._enlarge()
        data: list[dict[str, Any]] = []
        size = 0
        for sheet, line, row in sorted(self._rows, key=lambda one: (one[0] == CONFIG, one[0].name, one[1])):
            cells = [_cell(row[column]) for column in sheet.columns]
            length = len(json.dumps(cells)) + 50
            if data and size + length > MAX_CALL:
                self._write(data)
                data, size = [], 0
            data.append({"range": f"'{sheet.name}'!A{line}", "values": [cells]})
            size += length
        if data:
            self._write(data)
        self._rows.clear()

    def _write(self, data: list[dict[str, Any]]) -> None:
        self._book.values_batch_update({"valueInputOption": "RAW", "data": data})

    def _ensure(self, sheets: Sequence[Sheet]) -> dict[str, tuple[int, int, int]]:
        """The id and the numbers of lines and columns of every sheet; missing sheets are created."""
        grid = self._look()
        missing = [sheet for sheet in sheets if sheet.name not in grid]
        if missing:
            size = {"rowCount": 1000, "columnCount": max(len(sheet.columns) for sheet in missing), "frozenRowCount": 1}
            added = [{"addSheet": {"properties": {"title": one.name, "gridProperties": size}}} for one in missing]
            self._book.batch_update({"requests": added})
            grid = self._look()
        return grid

    def _look(self) -> dict[str, tuple[int, int, int]]:
        found = [sheet["properties"] for sheet in self._book.fetch_sheet_metadata()["sheets"]]
        # A chart sheet has no grid.
        grids = {one["title"]: (one["sheetId"], one.get("gridProperties", {})) for one in found}
        return {
            title: (sheet_id, grid.get("rowCount", 0), grid.get("columnCount", 0))
            for title, (sheet_id, grid) in grids.items()
        }

    def _read(self, sheets: Sequence[Sheet]) -> None:
        ranges = [f"'{CONFIG.name}'!A:B"]
        for sheet in sheets:
            letter = _letter(sheet.columns.index(sheet.key))
            ranges += [f"'{sheet.name}'!1:1", f"'{sheet.name}'!{letter}:{letter}"]
        # Raw values, not formatted ones: "1,000" is not a key.
        found = self._book.values_batch_get(ranges, params={"valueRenderOption": "UNFORMATTED_VALUE"})
        answers = [one.get("values", []) for one in found["valueRanges"]]
        self._config = {str(row[0]): str(row[1]) if len(row) > 1 else "" for row in answers[0][1:] if row}
        self._places: dict[str, dict[str, int]] = {}
        self._end: dict[str, int] = {}
        for sheet, head, keys in zip(sheets, answers[1::2], answers[2::2], strict=True):
            if not head and not keys:
                self._head(sheet)
            else:
                check_columns(self._name, sheet, list(map(str, head[0])) if head else [])
            lines = enumerate(keys[1:], 2)
            self._places[sheet.name] = {str(row[0]): line for line, row in lines if row and row[0] != ""}
            self._end[sheet.name] = max(len(keys), 1) + 1

    def _head(self, sheet: Sheet) -> None:
        """Name the columns of a new sheet, created by us or, empty, by somebody else."""
        sheet_id, _, width = self._grid[sheet.name]
        if width < len(sheet.columns):
            more = {"sheetId": sheet_id, "dimension": "COLUMNS", "length": len(sheet.columns) - width}
            self._book.batch_update({"requests": [{"appendDimension": more}]})
        self._write([{"range": f"'{sheet.name}'!A1", "values": [list(sheet.columns)]}])

    def _enlarge(self) -> None:
        """Add the lines that are about to be written."""
        requests = []
        for name, end in self._end.items():
            sheet_id, lines, _ = self._grid[name]
            if end - 1 > lines:
                length = max(end - 1 - lines, 1000)
                requests.append({"appendDimension": {"sheetId": sheet_id, "dimension": "ROWS", "length": length}})
        if requests:
            self._book.batch_update({"requests": requests})


def _credentials(account: GoogleAccount) -> Any:
    from google.oauth2.service_account import Credentials  # noqa: PLC0415 - an extra

    if str(account.key_file).lstrip().startswith("{"):
        # The message must not show the value: this is the key itself.
        raise ConfigError(
            "GOOGLE_SERVICE_ACCOUNT_JSON holds the key itself; save it as a file that only you can read, and give the "
            "name of that file.",
            code="sheets.key_file",
        )

    class Elsewhere(Credentials):  # type: ignore[misc]  # its types are not read
        def _is_regional_access_boundary_lookup_required(self) -> bool:
            # Google would be asked, which knows nothing of other servers.
            return False

    kind = Elsewhere if account.api_url else Credentials
    scopes = SCOPES_BY_ID if account.spreadsheet_id else SCOPES_BY_TITLE
    try:
        return kind.from_service_account_file(str(account.key_file), scopes=scopes)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"GOOGLE_SERVICE_ACCOUNT_JSON names {account.key_file}, which is no key file of a service account: {error}",
            code="sheets.key_file",
        ) from error


def _client(account: GoogleAccount, credentials: Any, wait_for: Callable[[float], bool]) -> Any:
    """A client of the library that waits and retries on request, and uses the configured address."""
    import gspread  # noqa: PLC0415 - an extra
    from gspread.exceptions import APIError  # noqa: PLC0415 - an extra

    class Patient(gspread.HTTPClient):  # type: ignore[misc]  # its types are not read
        def request(self, method: str, endpoint: str, *rest: Any, **more: Any) -> Any:
            for host in ("https://sheets.googleapis.com", "https://www.googleapis.com") if account.api_url else ():
                endpoint = endpoint.replace(host, account.api_url)
            for wait in WAITS_S:
                try:
                    return super().request(method, endpoint, *rest, **more)
                except APIError as error:
                    if error.code != _TOO_MANY and error.code < _SERVER_ERROR:
                        raise
                    asked = error.response.headers.get("Retry-After", "")
                    if not wait_for(float(asked) if asked.isdigit() else wait):
                        raise
            return super().request(method, endpoint, *rest, **more)

    client = gspread.Client(auth=credentials, http_client=Patient)
    client.set_timeout(60)
    return client


def _cell(value: Cell) -> Cell:
    return fitting(value, MAX_CELL) if isinstance(value, str) else value


def _letter(index: int) -> str:
    """The name of a column among the first 26."""
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index]
