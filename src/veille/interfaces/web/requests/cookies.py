"""Setting and deleting the session cookie."""

from __future__ import annotations

from fastapi import Request, Response

from veille.core.access.logins import SESSION_LIFE
from veille.interfaces.web.requests.calls import SAFE_COOKIE, cookie_name


def hand_out(request: Request, response: Response, cookie: str) -> None:
    """Set the session cookie."""
    name = cookie_name(request)
    life, is_safe = SESSION_LIFE // 1000, name == SAFE_COOKIE
    response.set_cookie(name, cookie, life, path="/", secure=is_safe, httponly=True, samesite="lax")


def take_back(request: Request, response: Response) -> None:
    """Delete the session cookie."""
    name = cookie_name(request)
    response.delete_cookie(name, path="/", secure=name == SAFE_COOKIE, httponly=True, samesite="lax")
