"""The tools of the first veille, as its users know them: names, arguments, defaults and results."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from veille.interfaces.operations import OPERATIONS

TESTS = Path(__file__).parents[1]

#: The arguments that must be given, with a star, and those that may be, with their defaults.
TOOLS = {
    "add_source": "dossier_id* name* url* source_type fetch_interval",
    "list_sources": "dossier_id*",
    "update_source": "dossier_id* source_id* name url enabled fetch_interval",
    "delete_source": "dossier_id* source_id*",
    "fetch_now": "dossier_id* source_id*",
    "search": "dossier_id* query* limit=20",
    "list_extractions": "dossier_id* source_id limit=50",
    "stats": "dossier_id*",
    "fetch_history": "dossier_id* source_id* limit=50",
    "add_question": "dossier_id* text* keywords channels schedule_ms=86400000 max_results=20 follow_links=True",
    "list_questions": "dossier_id*",
    "update_question": "dossier_id* question_id* text keywords channels schedule_ms max_results follow_links enabled",
    "delete_question": "dossier_id* question_id*",
    "run_question": "dossier_id* question_id*",
    "question_results": "dossier_id* question_id* limit=50",
}
#: What it could not be told and we can.
OURS = {"add_source": {"config_json"}, "update_source": {"config_json"}, "search": {"mode", "order"}}
RESULTS = {
    "Source": "id name url source_type fetch_interval enabled config_json last_fetched_at? last_hash last_status "
    "last_error fail_count original_fetch_interval? created_at updated_at",
    "Extraction": "id source_id content_hash title extracted_text extracted_html url extracted_at metadata_json",
    "FetchLog": "id source_id status status_code content_hash error_message duration_ms fetched_at",
    "Question": "id text keywords channels schedule_ms max_results follow_links enabled last_run_at? "
    "last_result_count total_results created_at updated_at",
    "SearchHit": "extraction_id source_id title text rank",
    "Stats": "sources extractions fetch_logs",
    "Deleted": "status",
    "Fetched": "status",
    "Ran": "status new_results",
}
ANSWERS = {
    "add_source": "Source",
    "list_sources": "[Source]",
    "update_source": "Source",
    "delete_source": "Deleted",
    "fetch_now": "Fetched",
    "search": "[SearchHit]",
    "list_extractions": "[Extraction]",
    "stats": "Stats",
    "fetch_history": "[FetchLog]",
    "add_question": "Question",
    "list_questions": "[Question]",
    "update_question": "Question",
    "delete_question": "Deleted",
    "run_question": "Ran",
    "question_results": "[Extraction]",
}


@pytest.mark.covers("R-201", "R-202", "R-203", "R-204", "R-205", "R-206", "R-207")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_takes_what_it_took(tool: str) -> None:
    schema = OPERATIONS[f"veille_{tool}"].arguments_schema
    wanted = TOOLS[tool].split()
    names = {one.rstrip("*").partition("=")[0] for one in wanted}
    assert set(schema["properties"]) - OURS.get(tool, set()) == names
    assert set(schema["required"]) == {one[:-1] for one in wanted if one.endswith("*")}
    for name, _, default in (one.partition("=") for one in wanted if "=" in one):
        assert str(schema["properties"][name]["default"]) == default


@pytest.mark.parametrize("tool", ANSWERS)
def test_a_tool_answers_what_it_answered(tool: str) -> None:
    schema = OPERATIONS[f"veille_{tool}"].result_schema
    name, is_list = ANSWERS[tool].strip("[]"), ANSWERS[tool].startswith("[")
    assert (schema["type"] == "array") is is_list
    shape: dict[str, Any] = next(iter(schema["$defs"].values())) if is_list else schema
    assert shape["title"] == name
    fields = RESULTS[name].split()
    assert set(shape["properties"]) == {field.rstrip("?") for field in fields}
    # What may be left out when there is nothing to say.
    optional = {field for field, one in shape["properties"].items() if {"type": "null"} in one.get("anyOf", ())}
    assert optional == {field[:-1] for field in fields if field.endswith("?")}


def test_further_tools_are_those_that_documents_dossiers_the_catalogue_and_alerts_need() -> None:
    further = set(OPERATIONS) - {f"veille_{tool}" for tool in TOOLS}
    assert further == {
        "veille_ask",
        "veille_did_you_mean",
        "veille_search_facets",
        "veille_analyse",
        "veille_get_analysis",
        "veille_digest",
        "veille_set_brands",
        "veille_get_document",
        "veille_diff",
        "veille_changes_since",
        "veille_read_url",
        "veille_list_dossiers",
        "veille_list_categories",
        "veille_populate",
        "veille_list_engines",
        "veille_enable_engine",
        "veille_values",
        "veille_list_rules",
        "veille_add_rule",
        "veille_update_rule",
        "veille_delete_rule",
        "veille_try_rule",
        "veille_list_channels",
        "veille_add_channel",
        "veille_update_channel",
        "veille_delete_channel",
        "veille_test_channel",
        "veille_list_alerts",
        "veille_resend_alert",
        "veille_restore_source",
        "veille_restore_rule",
        "veille_restore_channel",
        "veille_tag_sources",
        "veille_mute_source",
        "veille_move_sources",
        "veille_share_document",
        "veille_list_shares",
        "veille_revoke_share",
    }


SCENARIOS = (
    "full_cycle", "tenant_isolation", "duplicate_rejected", "invalid_input_rejected", "rss_cycle", "api_cycle",
    "bridge", "github", "question_lifecycle",
)  # fmt: skip


@pytest.mark.parametrize("page", ["web/test_scenarios.py", "e2e/test_agents.py"])
def test_every_scenario_is_played_over_rest_and_over_mcp(page: str) -> None:
    played = {node.name for node in ast.parse((TESTS / page).read_text()).body if isinstance(node, ast.FunctionDef)}
    assert {f"test_{name}" for name in SCENARIOS} <= played
