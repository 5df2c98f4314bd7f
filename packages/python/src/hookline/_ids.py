"""Ids that are unique and, within one instance, sort as text in the order they were made."""

from __future__ import annotations

import secrets
import threading
import time

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
#: Without letters that look alike: it is typed in a terminal.
_TYPED = "0123456789abcdefghjkmnpqrstvwxyz"
_LIMIT = 36**4


def base36(number: int, width: int) -> str:
    text = ""
    while number > 0:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text.rjust(width, "0")


class IdSource:
    def __init__(self) -> None:
        self.instance = "".join(secrets.choice(_DIGITS) for _ in range(10))
        self._last = 0
        self._count = 0
        self._lock = threading.Lock()

    def next(self) -> str:
        now = int(time.time() * 1_000)
        with self._lock:
            # If the clock goes back, the last time is kept.
            if now > self._last:
                self._last, self._count = now, 0
            elif self._count == _LIMIT:
                self._last, self._count = self._last + 1, 0
            count = self._count
            self._count += 1
            return base36(self._last, 9) + self.instance + base36(count, 4)


def new_approval_id() -> str:
    return "".join(secrets.choice(_TYPED) for _ in range(10))
