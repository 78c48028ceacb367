"""Wires the accounts; the audit log names the system user at the command line."""

from __future__ import annotations

import getpass
import os
from typing import TYPE_CHECKING

from veille.adapters.link_file import OwnersLinkFile
from veille.adapters.passwords import Argon2Passwords
from veille.services.people.access import Gate
from veille.services.people.accounts import AccountService

if TYPE_CHECKING:
    from veille.ports import Clock, Store
    from veille.settings import Settings


def account_service(settings: Settings, store: Store, clock: Clock) -> AccountService:
    """The accounts of a data folder."""
    gate = Gate(store.dossiers, store.accounts, clock)
    return AccountService(gate, Argon2Passwords(), OwnersLinkFile(settings.data), _operator())


def _operator() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"
