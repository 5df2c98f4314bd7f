"""The catalogue of events, generated from the one that TypeScript has."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Dict, FrozenSet, Iterable, Optional, Tuple, Union

from .errors import HookError


def load_data(name: str) -> Any:
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", name), encoding="utf-8") as file:
        return json.load(file)


_data = load_data("catalog.json")
_events: Dict[str, Dict[str, Any]] = _data["events"]
_spellings: Dict[str, str] = _data["spellings"]
_families: Dict[str, Dict[str, Any]] = _data["families"]
_family_aliases: Dict[str, str] = _data["familyAliases"]
ERROR_CODES: FrozenSet[str] = frozenset(_data["errors"])

_NAME = re.compile(r"[A-Za-z][\w.-]*(?::[^\s:*\x00-\x1f\x7f-\x9f]+)+", re.ASCII)
_RANKS = {"bulk": 0, "normal": 1, "vital": 2}
_namespaces = {name.partition(":")[0] for name in _events} | set(_families)


@dataclass(frozen=True)
class EventInfo:
    name: str
    kind: str
    rank: int
    outcomes: Tuple[str, ...]

    @property
    def can_block(self) -> bool:
        return self.kind == "gate" and "block" in self.outcomes


#: Every gate, and a pattern for each family of gates; then every transform.
EVERY_GATE = tuple(name for name, row in _events.items() if row["kind"] == "gate") + tuple(
    f"{name}:*" for name, row in _families.items() if row["kind"] == "gate"
)
EVERY_TRANSFORM = tuple(name for name, row in _events.items() if row["kind"] == "transform")


@lru_cache(maxsize=2_000)
def find_event(spelling: str) -> Optional[EventInfo]:
    """The event for any spelling of its name; nothing for a name that cannot be an event."""
    written = spelling.strip()
    written = _family_aliases.get(written, written)
    name = _spellings.get(written)
    if name is not None:
        return _info(name, _events[name])
    if _NAME.fullmatch(written) is None:
        return None
    namespace = written.partition(":")[0]
    if namespace in _families:
        row = _families[namespace]
        if namespace == "tui" and written.endswith((".delta", ".progress")):
            row = {**row, "class": "bulk"}
        return _info(written, row)
    if namespace.lower() in _namespaces:
        return None
    return EventInfo(written, "observe", _RANKS["normal"], ())


def resolve_event(spelling: Any) -> EventInfo:
    """As `find_event`; raises `HL_UNKNOWN_EVENT` for an unknown name."""
    info = find_event(spelling) if isinstance(spelling, str) else None
    if info is None:
        shown = repr(spelling)[:80]
        fix = 'Events of your own need a namespace of their own, such as "myapp:deployed".'
        raise HookError("HL_UNKNOWN_EVENT", f"Unknown event {shown}.", fix=fix, event=str(spelling)[:80])
    return info


def event_filter(events: Union[None, str, Iterable[str]]) -> Callable[[str], bool]:
    """Whether an event is one of these names (in any spelling) and patterns (`tool:*`, `*`)."""
    if events is None:
        return lambda name: True
    names, patterns = set(), []
    for entry in [events] if isinstance(events, str) else events:
        if entry == "*" or entry.endswith(":*"):
            patterns.append(entry)
        else:
            names.add(resolve_event(entry).name)
    return lambda name: name in names or any(pattern_matches(pattern, name) for pattern in patterns)


def pattern_matches(pattern: str, name: str) -> bool:
    """A pattern does not cross a colon, except `command:*`."""
    if pattern == "*":
        return True
    prefix = pattern[:-1]
    return name.startswith(prefix) and (prefix == "command:" or ":" not in name[len(prefix) :])


def _info(name: str, row: Dict[str, Any]) -> EventInfo:
    return EventInfo(name, row["kind"], _RANKS[row["class"]], tuple(row["outcomes"]))
