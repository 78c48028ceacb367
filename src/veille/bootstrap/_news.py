"""Wires the news workflow with its workbook: a local file, or Google Sheets."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from veille.adapters.texts import FolderTexts
from veille.errors import ConfigError
from veille.services.news.news import NewsDesk, NewsTools
from veille.services.news.newsbook import Newsbook

if TYPE_CHECKING:
    from veille.ports import Workbook
    from veille.settings import Settings


def news_desk(dossier_id: str, settings: Settings, tools: NewsTools) -> NewsDesk:
    """The news workflow of a dossier."""
    news = settings.news
    texts = FolderTexts(news.fulltext_dir or settings.data / "articles")
    book = Newsbook(dossier_id, tools.dossiers, _workbook(settings), texts, limit=news.clean_text_sheets_limit)
    return NewsDesk(dossier_id, news, tools, book)


def _workbook(settings: Settings) -> Workbook:
    news, data = settings.news, settings.data
    if not news.google_service_account_json and not news.spreadsheet_id:
        from veille.adapters.workbook.xlsx import XlsxWorkbook  # noqa: PLC0415 - slow to import

        return XlsxWorkbook(news.workbook or data / f"{news.spreadsheet_title}.xlsx")
    if news.google_service_account_json is None:
        raise ConfigError(
            "SPREADSHEET_ID needs a service account: set GOOGLE_SERVICE_ACCOUNT_JSON to its key file, or unset "
            "SPREADSHEET_ID to get the same workbook as a local file.",
            code="sheets.key_file",
        )
    if not find_spec("gspread"):
        raise ConfigError("Google Sheets need an extra: pip install 'veille[sheets]'.", code="sheets.extra")
    from veille.adapters.workbook.google import GoogleAccount, GoogleWorkbook  # noqa: PLC0415 - slow to import

    account = GoogleAccount(
        key_file=news.google_service_account_json,
        spreadsheet_id=news.spreadsheet_id,
        title=news.spreadsheet_title,
        share_with=news.spreadsheet_share_with,
        api_url=news.google_api_url,
    )
    return GoogleWorkbook(account, data / ".sheets.lock")
