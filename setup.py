"""What pyproject.toml cannot say: the version, which Git's tags have, and C code that may be missing."""

import os
import re
import subprocess
from pathlib import Path

from setuptools import Extension, setup

ROOT = Path(__file__).parent
#: Of sources that say nothing of their version: no tag, no heading of a release, no file of a source distribution.
UNTOLD = "0.1.dev0"
#: The heading of a release in the changelog.
RELEASE = re.compile(r"^## (\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?) \([0-9-]+\)$", re.MULTILINE)
#: What `git describe --always` says without tags. Digits alone are a number, such as a date: that of a version.
COMMIT = re.compile(r"(?=[0-9]*[a-f])[0-9a-f]{7,40}")


def version() -> str:
    """`BUILD_VERSION` if it is set, else that of a source distribution, else what Git says of this checkout."""
    if given := os.environ.get("BUILD_VERSION", "").strip():
        return _released(given) if COMMIT.fullmatch(given) else _numbered(given) or given
    if (ROOT / "PKG-INFO").exists():
        found = re.search(r"^Version: (\S+)$", (ROOT / "PKG-INFO").read_text("utf-8"), re.MULTILINE)
        return found[1] if found else UNTOLD
    # A folder in somebody else's repository is not asked for the tags of that.
    return _described() if (ROOT / ".git").exists() else _released()


def _described() -> str:
    """As Git's tags have it; a clone may come without them."""
    return _numbered(_git("describe", "--tags", "--match", "v[0-9]*")) or _released(
        _git("rev-parse", "--short", "HEAD"), counts=True
    )


def _released(commit: str = "", *, counts: bool = False) -> str:
    """The last release of the changelog, and a commit that has it; `counts`: with the commits since its heading."""
    changelog = ROOT / "CHANGELOG.md"
    release = RELEASE.search(changelog.read_text("utf-8")) if changelog.exists() else None
    if release is None:
        return UNTOLD
    if counts and (since := _git("log", "-1", "--format=%H", f"-S{release[0]}", "--", changelog.name)):
        distance = _git("rev-list", "--count", f"{since}..HEAD")
        # A clone without its history does not know when the heading came: it seems to be as old as what was cloned.
        if distance != "0" or _git("rev-parse", "--is-shallow-repository") == "true":
            return _numbered(f"v{release[1]}-{distance}-g{commit}")
    return f"{release[1]}+{f'g{commit}' if commit else 'copy'}"


def _numbered(said: str) -> str:
    """`1.2.0` of `v1.2.0`, and `1.2.1.dev5+gabcdef1` of what `git describe` says 5 commits later; else nothing."""
    found = re.fullmatch(r"v(\d+(?:\.\d+)*)((?:a|b|rc)\d+)?(?:-(\d+)-(g[0-9a-f]+))?", said)
    if not found:
        return ""
    numbers, draft, distance, commit = found.groups()
    if not distance:
        return f"{numbers}{draft or ''}"
    *first, last = numbers.split(".")
    coming = numbers if draft else ".".join([*first, str(int(last) + 1)])
    return f"{coming}.dev{distance}+{commit}"


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _written(number: str) -> str:
    """The number, which is also put where the program looks for it."""
    (ROOT / "src" / "veille" / "version.txt").write_text(f"{number}\n", encoding="ascii")
    return number


#: For a wheel that fits any machine, in which Python does the work of the compiled part.
IS_PURE = os.environ.get("BUILD_PURE") == "1"

if __name__ == "__main__":
    setup(
        version=_written(version()),
        ext_modules=[]
        if IS_PURE
        else [
            Extension(
                "veille.core._native",
                sorted(map(str, Path("src/native").glob("*.c"))),
                depends=["src/native/native.h"],
                # Without a compiler the package installs all the same, and the Python code does the work.
                optional=True,
                # Both give the same numbers to the last bit, so no two operations may be fused into one.
                extra_compile_args=["-O3", "-ffp-contract=off"],
            )
        ],
    )
