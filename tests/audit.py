"""What we depend on: its licences, and holes that are known. `make audit` runs it.

Licences have to be permissive, or LGPL or MPL, which bind only their own code. Known holes are those that pip-audit
finds, where it reaches a list of them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

#: In the names of licences, spelled in many ways.
_FINE = re.compile(
    r"apache|\bmit\b|bsd|isc|psf|python software|zlib|unlicense|public domain|hpnd|mpl|mozilla|lgpl|lesser general|"
    r"0bsd|cnri|boost|bsl-1|blueoak|cc0|wtfpl",
    re.IGNORECASE,
)
_BAD = re.compile(r"\bagpl|affero|(?<!l)(?<!lesser )\bgpl|(?<!lesser )general public", re.IGNORECASE)
#: What packages say in words of their own. apsw: any licence that the OSI approved, of which we choose this one.
KNOWN = {"apsw": "MIT"}


def dependencies(name: str = "veille", extras: tuple[str, ...] = ("all",)) -> dict[str, Distribution]:
    """Every installed package that the program needs, by its name, itself left out."""
    found: dict[str, Distribution] = {}
    asked = [(canonicalize_name(name), extra) for extra in ("", *extras)]
    seen = set(asked)
    while asked:
        one, extra = asked.pop()
        try:
            package = distribution(one)
        except PackageNotFoundError:
            continue  # an extra that is not installed here
        found[one] = package
        for line in package.requires or ():
            wish = Requirement(line)
            if wish.marker is None or wish.marker.evaluate({"extra": extra}):
                more = [(canonicalize_name(wish.name), each) for each in ("", *wish.extras)]
                asked += [each for each in more if each not in seen]
                seen.update(more)
    found.pop(canonicalize_name(name))
    return found


def licence(package: Distribution) -> str:
    """What a package says of its licence."""
    about: Any = package.metadata
    classes = [one.rpartition(" :: ")[2] for one in about.get_all("Classifier", ()) if one.startswith("License ::")]
    said = about.get("License-Expression") or ", ".join(classes) or (about.get("License") or "").partition("\n")[0]
    return KNOWN.get(canonicalize_name(about["Name"]), str(said).strip())


def unfit(packages: dict[str, Distribution]) -> Iterator[tuple[str, str]]:
    """The packages whose licence is not known to be fine, with what they say."""
    for name, package in sorted(packages.items()):
        said = licence(package)
        # Of several to choose from, one that is fine is enough.
        parts = re.split(r"\bOR\b|,", said)
        if not any(_FINE.search(part) and not _BAD.search(part) for part in parts):
            yield name, said or "says nothing"


def holes() -> list[str] | None:
    """The known holes in what is installed, as pip-audit finds them; None if nobody answered it."""
    asked = [sys.executable, "-m", "pip_audit", "--skip-editable", "--format", "json", "--progress-spinner", "off"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    if not answer.startswith("{"):
        return None
    return [
        f"{one['name']} {one['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no version yet'}"
        for one in json.loads(answer)["dependencies"]
        for hole in one.get("vulns", ())
    ]


def main() -> int:
    """Print what is wrong; 1 if something is."""
    packages = dependencies()
    known = holes()
    wrong = [f"{name}: licence: {said}" for name, said in unfit(packages)] + (known or [])
    print(f"{len(packages)} packages; {len(wrong)} to look at.")
    if known is None:
        print("No list of known holes could be reached: they were not asked for.")
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
