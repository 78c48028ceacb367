"""Write docs/reference from the code: settings, kinds, sinks, commands. `make docs` runs it, a test compares."""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel

import veille
from python_reference import python_page
from veille.core.crawler.config import CrawlConfig
from veille.core.crawler.events import LogEvent
from veille.core.crawler.items import MESSAGES
from veille.core.crawler.report import Report
from veille.core.crawler.views import ConfigTest, ConfigView, DryRun, ScheduleView, Status
from veille.core.kinds import PACKAGE, Kind
from veille.core.outcomes import OUTCOMES
from veille.core.repair import RepairRule, rules
from veille.core.rules.condition import Condition, EventCondition, StateCondition, WindowCondition
from veille.core.rules.parser import conditions
from veille.interfaces.cli import app
from veille.interfaces.cli._app import GROUPS
from veille.interfaces.cli.manual import catalogue
from veille.interfaces.cli.manual.describe import described
from veille.interfaces.cli.manual.roff import man_page
from veille.interfaces.operations import OPERATIONS
from veille.interfaces.web import make_api, openapi
from veille.ports import Embedder, Sink
from veille.ports.channels import Channel
from veille.ports.models import Model
from veille.registry import load_all
from veille.settings import NEWS_VARIABLES, Settings

#: The shapes of what the crawler's commands print with --json.
SCHEMAS: dict[str, type[BaseModel]] = {
    "config": ConfigView,
    "config-test": ConfigTest,
    "dry-run": DryRun,
    "log-event": LogEvent,
    "report": Report,
    "schedule": ScheduleView,
    "status": Status,
}

FOLDER = Path(__file__).parent / "reference"
MAN = FOLDER.parent / "veille.1"
HEAD = "<!-- Written by docs/generate.py: change the code, then run `make docs`. -->\n\n"


def pages() -> dict[str, str]:
    """Every generated page by file name."""
    return {
        "settings.md": HEAD + settings_page(),
        "kinds.md": HEAD + extensions_page("Kinds of sources", load_all(PACKAGE, Kind)),
        "sinks.md": HEAD + extensions_page("Sinks", load_all("veille.adapters.sinks", Sink)),
        "channels.md": HEAD + extensions_page("Channels", load_all("veille.adapters.channels", Channel)),
        "embedders.md": HEAD + extensions_page("Embedders", load_all("veille.adapters.embedders", Embedder)),
        "models.md": HEAD + extensions_page("Models", load_all("veille.adapters.models", Model)),
        "cli.md": HEAD + cli_page(),
        "rest.md": HEAD + rest_page(),
        "schemas/openapi.json": json.dumps(_openapi(), indent=1, ensure_ascii=False) + "\n",
        "outcomes.md": HEAD + outcomes_page(),
        "repairs.md": HEAD + repairs_page(),
        "rules.md": HEAD + rules_page(),
        "crawler.md": HEAD + crawler_page(),
        "operations.md": HEAD + operations_page(),
        "python.md": HEAD + python_page(),
        "rooms.md": HEAD + rooms_page(),
        **{f"schemas/operations/{name}.json": json_text(one.result_schema) for name, one in OPERATIONS.items()},
        **{f"schemas/crawler-{name}.json": schema(model) for name, model in SCHEMAS.items()},
    }


def commands_text() -> str:
    """All commands as data, for help, man page and completion."""
    groups = {title: list(names) for title, names in GROUPS.items()}
    return json.dumps(described(typer.main.get_command(app), groups), indent=1, ensure_ascii=False) + "\n"


def rooms_page() -> str:
    """Every package with what it is for, and its modules."""
    package = Path(veille.__file__).parent
    rows = []
    for folder in sorted({path.parent for path in package.rglob("*.py")} - {package}):
        said = (ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or "").splitlines()[0]
        modules = [path.stem for path in sorted(folder.glob("*.py")) if path.stem not in {"__init__", "__main__"}]
        rows.append(f"| `{folder.relative_to(package).as_posix()}` | {said} | {', '.join(modules)} |")
    head = (
        "# Rooms\n\nWhat lies where in `src/veille`. [Architecture](../architecture.md) says how it works together.\n\n"
    )
    return head + "| room | what it is for | modules |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def schema(model: type[BaseModel]) -> str:
    return json_text(model.model_json_schema(mode="serialization"))


def json_text(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def operations_page() -> str:
    head = (
        "# Operations\n\nWhat can be done from outside: each is a tool over MCP and a service at "
        "`POST /connectivity/NAME`, with the same arguments as a JSON object and the same answer. How to let somebody "
        "in: [give an agent access](../howto/give-an-agent-access.md). Times are milliseconds since 1970; fields that "
        "a schema does not require are left out when there is nothing to tell.\n"
    )
    parts = [head]
    for name, one in OPERATIONS.items():
        rows = "\n".join(
            f"| `{argument}` | {'required' if field.is_required() else f'`{_default(field)}`'} | {field.description} |"
            for argument, field in one.arguments.model_fields.items()
        )
        table = f"\n| argument | default | meaning |\n|---|---|---|\n{rows}\n" if rows else "\nNo arguments.\n"
        notes = " Its answer holds words of others: data, never instructions." if one.untrusted else ""
        parts.append(
            f"## `{name}`\n\n{one.summary}{notes} Scope: `{one.scope}`. "
            f"Answer: [schema](schemas/operations/{name}.json).\n{table}"
        )
    return "\n".join(parts)


def crawler_page() -> str:
    keys = "\n".join(
        f"| `{name}` | `{_default(field)}` | {field.description} |" for name, field in CrawlConfig.model_fields.items()
    )
    messages = "\n".join(f"| `{code}` | {texts['en']} | {texts['es']} |" for code, texts in MESSAGES.items())
    schemas = "\n".join(f"- [{name}](schemas/crawler-{name}.json)" for name in SCHEMAS)
    return (
        "# The crawler\n\nHow to use it: [crawl an intranet](../howto/crawl-an-intranet.md).\n\n## Configuration\n\n"
        f"| key | default | meaning |\n|---|---|---|\n{keys}\n\n## Standard messages\n\n"
        f"| code | English | Spanish |\n|---|---|---|\n{messages}\n\n## Schemas of the JSON\n\n{schemas}\n"
    )


def outcomes_page() -> str:
    rows = "\n".join(
        f"| `{code}` | {row.meaning} | {'yes' if row.retryable else 'no'} | {row.advice} |"
        for code, row in OUTCOMES.items()
    )
    return (
        "# Outcomes of a fetch\n\nEvery way a fetch can end without content. None of them touches what is stored; a "
        "status without a row of its own has that of its class. What brings them about: [faults](faults.md).\n\n"
        f"| code | meaning | tried again soon | what to do |\n|---|---|---|---|\n{rows}\n"
    )


def repairs_page() -> str:
    rows = "\n".join(f"| `{_module(rule)}` | {rule.when} | {rule.does} |" for rule in rules())
    return (
        "# Repair rules\n\nAfter a check of a source's own address that failed, and after the first good one that "
        "follows, the first of these that has something to say decides. See [when a source "
        f"breaks](../howto/when-a-source-breaks.md).\n\n| rule | when | what it does |\n|---|---|---|\n{rows}\n"
    )


def _module(rule: RepairRule) -> str:
    return type(rule).__module__.rpartition(".")[2]


#: What the conditions of rules have in common.
RULES = """# Rules

A rule is a line of conditions, joined by `and`, `or` and `not`, with parentheses where needed; `and` comes before `or`:

    price < 12 or availability = in stock
    "smoked tea" appears and not title contains "sale"
    source is broken and on mon-fri Europe/Paris

- Texts stand in "double quotes", names of values with several words in `` `backticks` ``, patterns between /slashes/.
- Words are found without regard to case, line breaks and repeated spaces. They are whole words where a script separates
  them; in Chinese, Japanese and Thai any part of the text. The text includes the title.
- `"sold out" is not there` is the same as `not "sold out" is there`; `not (a or b)` as `not a and not b`.
- Numbers are written with a point, and may have a unit or a currency: `12`, `12.90 EUR`, `€12`, `10k`, `30 °C`. A
  number without unit is compared with any.
- A rule has at most 2,000 letters and 50 conditions, and parentheses 20 deep. A wrong one is refused with the place and
  what was expected there ([`bad_rule`, `bad_pattern`](errors.md)).

## When a rule fires

A rule fires if it holds, and if something about it is news:

| | holds | is news |
|---|---|---|
| a *state*, like `price < 12` | if it is so now | if it was not so before the change, or the other way round |
| an *event*, like `price falls by 10%` | if it happens | whenever it holds |
| a *time*, like `on mon-fri` | at that time | never by itself |
| `not a` | if `a` does not | if `a` is |
| `a and b` | if both do | if one of them is |
| `a or b` | if one does | if one that holds is |

- What the first check of a source finds was there before: events do not hold for it, and states that hold are news.
- Of a document that is new later, everything that holds is news.
- Of a removed document there is no text and no value any more: `is removed`, `disappears` and `is gone` can hold, and
  what is denied, as `"sold out" is not there`.
- Prices in different currencies are neither less nor more than one another, nor the same.

## Conditions

To add one: [add a condition](../howto/add-a-condition.md).

| condition | kind | written | what it asks |
|---|---|---|---|
"""


def rules_page() -> str:
    kinds: dict[type[Condition], str] = {StateCondition: "state", EventCondition: "event", WindowCondition: "time"}
    rows = []
    for one in sorted(conditions(), key=lambda one: one.__module__):
        kind = next(name for base, name in kinds.items() if issubclass(one, base))
        written = "<br>".join(f"`` {example} ``" if "`" in example else f"`{example}`" for example in one.examples)
        name = one.__module__.rpartition(".")[2]
        rows.append(f"| `{name}` | {kind} | {written.replace('|', chr(92) + '|')} | {one.help} |")
    return RULES + "\n".join(rows) + "\n"


def settings_page() -> str:
    rows = "\n".join(_settings(Settings, "", "VEILLE_"))
    return (
        "# Settings\n\nIn `veille.toml` in the user's configuration folder (or the file that `--config` or "
        "`VEILLE_CONFIG` names), or as variables; variables win. Lists and tables in variables are JSON. A key or a "
        "`VEILLE_…` variable that is no setting, and a value that cannot be used, end every command at once with exit "
        "status 78 and one line that names the file and the key.\n\n`veille config init` writes the file, with every "
        "setting in a comment. `veille config` shows every setting as it is now, and where it comes from.\n\n"
        f"| setting | variable | default | meaning |\n|---|---|---|---|\n{rows}\n"
    )


def _settings(model: type[BaseModel], prefix: str, variable: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if inspect.isclass(inner) and issubclass(inner, BaseModel):
            yield from _settings(inner, f"{prefix}{name}.", f"{variable}{name.upper()}__")
        else:
            default = (
                "the platform's data folder"
                if name == "data"
                else f"`{field.get_default(call_default_factory=True)!r}`"
            )
            bare = f", `{name.upper()}`" if prefix == "news." and name.upper() in NEWS_VARIABLES else ""
            yield f"| `{prefix}{name}` | `{variable}{name.upper()}`{bare} | {default} | {field.description} |"


def extensions_page(title: str, extensions: dict[str, Any]) -> str:
    parts = [f"# {title}\n"]
    for name, extension in extensions.items():
        module = inspect.getdoc(inspect.getmodule(extension)) or ""
        rows = [
            f"| `{option}` | `{_default(field)}` | {field.description} |"
            for option, field in extension.Config.model_fields.items()
        ]
        table = "\n\n| option | default | meaning |\n|---|---|---|\n" + "\n".join(rows) if rows else ""
        parts.append(f"## `{name}`\n\n{module}{table}\n")
    return "\n".join(parts)


def _default(field: Any) -> str:
    return "required" if field.is_required() else repr(field.get_default(call_default_factory=True))


def cli_page() -> str:
    command: Any = typer.main.get_command(app)
    parts = ["# Command line\n", inspect.cleandoc(command.help or ""), ""]
    parts += _commands("veille", command)
    return "\n".join(parts).rstrip() + "\n"


def _commands(path: str, group: Any) -> Iterator[str]:
    for name, command in sorted(group.commands.items()):
        yield from _command(f"{path} {name}", command)
        if hasattr(command, "commands"):
            yield from _commands(f"{path} {name}", command)


def _command(path: str, command: Any) -> Iterator[str]:
    text, _, examples = inspect.cleandoc(command.help or "").partition("Example")
    yield f"## `{path}`\n"
    yield text.strip() + "\n"
    lines = [line.strip() for line in examples.partition(":")[2].splitlines() if line.strip()]
    if lines:
        yield "```console\n" + "\n".join(f"$ {line}" for line in lines) + "\n```\n"
    rows = [row for parameter in command.params if (row := _parameter(parameter))]
    if rows:
        yield "| option | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"


def _parameter(parameter: Any) -> str:
    if parameter.name == "help":
        return ""
    names = ", ".join(f"`{name}`" for name in parameter.opts) if parameter.param_type_name == "option" else ""
    return f"| {names or f'`{parameter.name}`'} | {getattr(parameter, 'help', '') or ''} |"


def rest_page() -> str:
    document = _openapi()
    parts = [f"# REST\n\n{document['info']['description']}\nThe whole in [OpenAPI](schemas/openapi.json).\n"]
    rows: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for method, one in operations.items():
            asked = one["x-auth"]
            who = f"`{asked['scope']}`" if "scope" in asked and asked["who"] != "admin" else asked["who"]
            good = next(status for status in one["responses"] if status.startswith("2"))
            text = one.get("description") or one["summary"]
            row = f"| `{method.upper()} {path}` | {who} | {_sent(one)} | {good} | {' '.join(text.split())} |"
            rows.setdefault(one["tags"][0], []).append(row)
    for topic, lines in rows.items():
        table = "| route | for | takes | status | what it does |\n|---|---|---|---|---|\n" + "\n".join(sorted(lines))
        parts.append(f"## {topic}\n\n{table}\n")
    return "\n".join(parts)


def _sent(operation: dict[str, Any]) -> str:
    query = [f"`{one['name']}`" for one in operation.get("parameters", []) if one["in"] == "query"]
    body = [
        f"`{content['schema'].get('$ref', media).rpartition('/')[2]}`"
        for media, content in operation.get("requestBody", {}).get("content", {}).items()
    ]
    return ", ".join(body + query)


def _openapi() -> dict[str, Any]:
    document = openapi(make_api(Settings(data=Path("unused"))))
    # A service says which version it is; what is promised here holds for all of this first number.
    document["info"]["version"] = "1"
    return document


def main() -> None:
    (FOLDER / "schemas" / "operations").mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    catalogue.FILE.write_text(commands_text(), encoding="utf-8")
    MAN.write_text(man_page(json.loads(commands_text())), encoding="utf-8")
    sys.stderr.write(f"Wrote {FOLDER}.\n")


if __name__ == "__main__":
    main()
