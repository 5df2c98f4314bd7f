"""Reminders: texts that the model is told again at each turn, until they expire."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

from ._forking import renew_lock
from .errors import HookError
from .types import Json, session_ref

_PROPAGATE = ("all", "session", "none")
_ROLES = ("system", "developer", "user_block", "ephemeral_cache")
_MAX_PER_SESSION = 100
_MAX_SESSIONS = 1_000
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


_RULES: Dict[str, Callable[[Any], bool]] = {
    "body": _is_text,
    "tags": lambda value: isinstance(value, list) and all(map(_is_text, value)),
    "dedupeKey": _is_text,
    "ttlTurns": lambda value: type(value) is int and value > 0,
    "preserveOnCompact": lambda value: isinstance(value, bool),
    "propagate": lambda value: value in _PROPAGATE,
    "roleHint": lambda value: value in _ROLES,
    "authority": _is_text,
    "auditOnly": lambda value: isinstance(value, bool),
}


def check_reminder(reminder: Any) -> Json:
    """The reminder with `None` taken as absent and its `dedupeKey` trimmed. Raises `HL_BAD_REMINDER` for unknown keys or a bad value."""
    if not isinstance(reminder, dict):
        raise HookError("HL_BAD_REMINDER", "A reminder is a dict with a body.")
    given = {key: value for key, value in reminder.items() if value is not None}
    unknown = [f'A reminder has no key "{key}".' for key in reminder if key not in _RULES]
    if unknown:
        raise HookError("HL_BAD_REMINDER", " ".join(unknown), fix=f"Its keys are: {', '.join(_RULES)}.")
    for key, value in given.items():
        if not _RULES[key](value):
            raise HookError("HL_BAD_REMINDER", f'The reminder\'s "{key}" has a bad value.')
    if "body" not in given:
        raise HookError("HL_BAD_REMINDER", 'A reminder needs a "body".')
    if "dedupeKey" in given:
        given["dedupeKey"] = given["dedupeKey"].strip()
    return given


@dataclass
class _Entry:
    spec: Json
    turns_left: Optional[int]


class ReminderBook:
    """The reminders of each session. Pass it to `connect(reminders=book)`, end turns, and put `render` at the end of the prompt."""

    def __init__(self) -> None:
        self._sessions: "OrderedDict[str, List[_Entry]]" = OrderedDict()
        self._lock = threading.Lock()
        renew_lock(self)

    def add(self, reminder: Json, session: Any = None) -> None:
        """A second reminder with the same `dedupeKey` replaces the first."""
        spec = check_reminder(reminder)
        entry = _Entry(spec, spec.get("ttlTurns"))
        key = _key(session)
        with self._lock:
            held = self._sessions.setdefault(key, [])
            self._sessions.move_to_end(key)
            same = spec.get("dedupeKey")
            place = next((i for i, old in enumerate(held) if same is not None and old.spec.get("dedupeKey") == same), None)
            if place is None:
                held.append(entry)
            else:
                held[place] = entry
            del held[:-_MAX_PER_SESSION]
            while len(self._sessions) > _MAX_SESSIONS:
                self._sessions.popitem(last=False)

    def turn_ended(self, session: Any = None) -> None:
        def kept(entry: _Entry) -> bool:
            if entry.turns_left is not None:
                entry.turns_left -= 1
            return entry.turns_left is None or entry.turns_left > 0

        self._keep(session, kept)

    def compacted(self, session: Any = None) -> None:
        """Only reminders with `preserveOnCompact` stay."""
        self._keep(session, lambda entry: entry.spec.get("preserveOnCompact") is True)

    def inherit(self, parent: Any, child: Any) -> None:
        """Gives a child session what `propagate` allows."""
        for spec in self.list(parent):
            if spec.get("propagate") == "all":
                self.add(spec, child)
            elif spec.get("propagate") == "session":
                self.add({**spec, "propagate": "none"}, child)

    def list(self, session: Any = None) -> List[Json]:
        with self._lock:
            return [entry.spec for entry in self._sessions.get(_key(session), [])]

    def render(self, session: Any = None) -> str:
        """One block, oldest reminder first, so that a prompt cache keeps everything before a new one."""
        shown = [spec for spec in self.list(session) if spec.get("auditOnly") is not True]
        if not shown:
            return ""
        lines = "\n".join(_render(spec) for spec in shown)
        return f"<reminders>\n{lines}\n</reminders>"

    def _keep(self, session: Any, kept: Callable[[_Entry], bool]) -> None:
        with self._lock:
            key = _key(session)
            if key in self._sessions:
                self._sessions[key] = [entry for entry in self._sessions[key] if kept(entry)]


def _key(session: Any) -> str:
    ref = session_ref(session)
    return "" if ref is None else ref["id"]


def _render(spec: Json) -> str:
    authority = ""
    if "authority" in spec:
        shown = re.sub(r"[\n\t]", " ", _escaped(spec["authority"]).replace('"', "&quot;"))
        authority = f' authority="{shown}"'
    return f'<reminder role="{spec.get("roleHint", "user_block")}"{authority}>{_escaped(spec["body"])}</reminder>'


def _escaped(text: str) -> str:
    plain = _UNPRINTABLE.sub("\ufffd", re.sub(r"\r\n?", "\n", text))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
