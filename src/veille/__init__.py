"""Watch anything on the web or on disk, keep every version, find it again, hand it to people and machines."""

from veille.bootstrap import App, open_app
from veille.errors import ConfigError, NotFoundError, ReadError, SinkError, StoreError, VeilleError
from veille.settings import Settings, load_settings

__version__ = "0.1.0"

__all__ = [
    "App",
    "ConfigError",
    "NotFoundError",
    "ReadError",
    "Settings",
    "SinkError",
    "StoreError",
    "VeilleError",
    "__version__",
    "load_settings",
    "open_app",
]
