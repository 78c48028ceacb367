"""veille in Python: open a data folder, watch, check, and read what was found.

>>> import veille
>>> with veille.open("/srv/veille") as data:
...     shop = data.dossier("shop")
...     tea = shop.add("https://shop.example/tea", name="tea", every="1h", selectors=[".price"])
...     report = shop.check()
...     for change in shop.changes():
...         print(change.change, change.title)
new Smoked tea

Everything comes back as dataclasses, in lists that can be made into tables (`to_pandas()`, `to_arrow()`). Times are
milliseconds since 1970, in UTC. `veille.open_async` is the same for programs that must not wait in their event loop.
What fails raises a `veille.VeilleError`, whose `code` is stable.
"""

from __future__ import annotations

from veille.library.dossier import WatchedDossier
from veille.library.folder import AsyncDataFolder, DataFolder, open_async, open_folder
from veille.library.later import AsyncDossier
from veille.library.rows import ChangeRows, Rows

__all__ = [
    "AsyncDataFolder",
    "AsyncDossier",
    "ChangeRows",
    "DataFolder",
    "Rows",
    "WatchedDossier",
    "open_async",
    "open_folder",
]
