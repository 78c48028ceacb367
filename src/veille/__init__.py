"""Watch anything on the web or on disk, keep every version, find it again, hand it to people and machines."""

import gc
from importlib import import_module
from typing import TYPE_CHECKING, Any

from veille.errors import ConfigError, NotFoundError, ReadError, SinkError, StoreError, VeilleError
from veille.version import VERSION

if TYPE_CHECKING:
    # Here for our own programs; not promised to others, so not in `__all__`.
    from veille.bootstrap import App as App
    from veille.bootstrap import open_app as open_app
    from veille.library import open_async
    from veille.library import open_folder as open  # noqa: A004 - `veille.open` reads as it should
    from veille.settings import load_settings as load_settings

__version__ = VERSION

__all__ = [
    "ConfigError",
    "NotFoundError",
    "ReadError",
    "SinkError",
    "StoreError",
    "VeilleError",
    "__version__",
    "open",
    "open_async",
]

#: Loaded on first use: a child process that reads one document needs none of it.
_LATER = {
    "open": "veille.library",
    "open_async": "veille.library",
    "App": "veille.bootstrap",
    "open_app": "veille.bootstrap",
    "load_settings": "veille.settings",
}

#: What would hide one of Python's own names in its module has another name there.
_CALLED = {"open": "open_folder"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Collecting while modules are loaded takes a tenth of the start, and finds hardly anything.
    collects = gc.isenabled()
    gc.disable()
    try:
        return getattr(import_module(_LATER[name]), _CALLED.get(name, name))
    finally:
        if collects:
            gc.enable()
