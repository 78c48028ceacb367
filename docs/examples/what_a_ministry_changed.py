"""What changed on a site since the last time, word by word: `python what_a_ministry_changed.py URL [FOLDER]`."""

import sys
from pathlib import Path

import veille

SIGNS = {"equal": "{}", "delete": "[-{}-]", "insert": "{{+{}+}}"}

url, *folder = sys.argv[1:]
noted = Path(*folder, "last-cursor.txt")

with veille.open(*folder) as data:
    ministry = data.dossier("ministry")
    if not ministry.sources():
        ministry.add(url, kind="site", every="1d")
    ministry.check()

    changes = ministry.changes(noted.read_text() if noted.exists() else "")
    for change in changes:
        print(f"{change.change:8} {change.title}  <{change.url}>")
        print("        ", "".join(SIGNS[edit.kind].format(edit.text) for edit in change.told.excerpt))
    noted.write_text(changes.cursor)
