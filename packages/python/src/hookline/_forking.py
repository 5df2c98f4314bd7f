"""What a forked child must do: a thread that held a lock is not there to release it."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

_owners: "weakref.WeakKeyDictionary[Any, str]" = weakref.WeakKeyDictionary()


def renew_lock(owner: Any, name: str = "_lock") -> None:
    """Gives the object or module another lock in each child. For what a child does not make again."""
    _owners[owner] = name


def _in_child() -> None:
    for owner, name in list(_owners.items()):
        setattr(owner, name, threading.Lock())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
