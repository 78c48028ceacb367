"""The standard messages, in English and Spanish, with codes that stay the same in every language."""

from __future__ import annotations

from typing import Literal

Language = Literal["en", "es"]

MESSAGES: dict[str, dict[Language, str]] = {
    "unreachable": {"en": "The resource could not be reached: {url}.", "es": "No se pudo acceder al recurso {url}."},
    "restricted": {"en": "Access to the resource is restricted: {url}.", "es": "Acceso restringido al recurso {url}."},
    "corrupt": {
        "en": "Corrupt document or unsupported format: {url}.",
        "es": "Documento corrupto o formato no soportado: {url}.",
    },
    "timeout": {"en": "Timed out fetching {url}.", "es": "Tiempo de espera excedido al obtener {url}."},
    "too_large": {
        "en": "The resource is larger than allowed and was given up: {url}.",
        "es": "El recurso supera el límite de tamaño y se abandonó: {url}.",
    },
    "redirect_loop": {
        "en": "The redirects do not end; the branch was given up: {url}.",
        "es": "Las redirecciones no terminan; se abandonó la rama: {url}.",
    },
    "left_out": {"en": "Left out: {url}.", "es": "Omitido: {url}."},
}

_RESTRICTED = frozenset(
    {"http.401", "http.403", "http.407", "robots", "refused_address", "needs_password", "secret", "secret_host"}
)
_TIMEOUT = frozenset({"timeout", "too_slow", "http.408", "http.504"})
_CORRUPT = frozenset({"corrupt", "unsupported", "hostile", "bad_encoding", "bomb", "empty", "needs_ocr"})
#: Causes that have their own message.
_OWN = frozenset({"too_large", "redirect_loop"})


def message_code(cause: str, *, failed: bool) -> str:
    """The code of the standard message for a failure or omission; `cause` is the code of the engine."""
    if cause in _OWN:
        return cause
    for code, causes in (("restricted", _RESTRICTED), ("timeout", _TIMEOUT), ("corrupt", _CORRUPT)):
        if cause in causes:
            return code
    return "unreachable" if failed else "left_out"


def message(code: str, language: Language, url: str) -> str:
    """The text of a standard message."""
    return MESSAGES[code][language].format(url=url)
