"""What the hub's observers and operators leave for the model. It is told at the session's next boundary."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

from ._catalog import resolve_event
from ._verdict import Effects, read_effects
from .reminders import ReminderBook
from .types import Json, session_ref

#: Where an agent takes text for its model.
BOUNDARIES = frozenset(
    ["session:start", "turn:before", "loop:checkpoint", "prompt:submit", "prompt:build", "llm:before", "tool:before", "tool:result"]
)
#: Where a block stops the agent before it does what comes next.
INTERRUPTIBLE = frozenset(["loop:checkpoint", "tool:before"])
#: At the start of a turn nothing can be interrupted, so an interrupt is delivered as ordinary text.
_BEGINNINGS = frozenset(["session:start", "prompt:submit"])
_MAX_WAITING = 1_000
_MAX_KNOWN = 10_000


@dataclass
class _Waiting:
    id: str
    session: Optional[str]
    injections: List[str]
    reminders: List[Json]
    interrupt: bool


class HubEffects:
    def __init__(self, book: Optional[ReminderBook]) -> None:
        self._book = book
        self._waiting: List[_Waiting] = []
        self._known: "OrderedDict[str, None]" = OrderedDict()
        self._lock = threading.Lock()

    def hear(self, frame: Json) -> List[str]:
        """Takes a frame; gives the ids that have reached the agent already."""
        effects, key = read_effects(frame), frame.get("id")
        session = frame.get("session")
        ref = session_ref(session)
        if effects is None or not isinstance(key, str) or (session is not None and ref is None):
            return []
        with self._lock:
            if key in self._known:
                # The hub has not heard that it was told: the connection was lost meanwhile.
                return [] if any(waiting.id == key for waiting in self._waiting) else [key]
            self._known[key] = None
            if len(self._known) > _MAX_KNOWN:
                self._known.popitem(last=False)
            reminders = effects.reminders
            if self._book is not None:
                for spec in reminders:
                    self._book.add(spec, ref)
                reminders = []
            if not effects.injections and not reminders:
                return [key]
            place = None if ref is None else ref["id"]
            self._waiting.append(_Waiting(key, place, effects.injections, reminders, frame.get("interrupt") is True))
            del self._waiting[:-_MAX_WAITING]
            return []

    def take(self, event: str, session: Optional[Json]) -> Tuple[Optional[str], Effects, List[str]]:
        """At a boundary: the reason of an operator's interrupt, the effects for the model, and the ids of all that is told now."""
        told = Effects()
        if event not in BOUNDARIES:
            return None, told, []
        place = None if session is None else session["id"]
        outcomes = resolve_event(event).outcomes
        interrupts: List[str] = []
        done: List[str] = []
        with self._lock:
            left = []
            for waiting in self._waiting:
                is_interrupt = waiting.interrupt and event not in _BEGINNINGS
                if waiting.session != place or (is_interrupt and event not in INTERRUPTIBLE):
                    left.append(waiting)
                    continue
                if is_interrupt:
                    interrupts += waiting.injections
                    waiting.injections, waiting.interrupt = [], False
                else:
                    self._say(waiting, outcomes, told)
                if waiting.reminders:
                    left.append(waiting)
                else:
                    done.append(waiting.id)
            self._waiting = left
        return ("\n\n".join(interrupts) if interrupts else None), told, done

    @staticmethod
    def _say(waiting: _Waiting, outcomes: Any, told: Effects) -> None:
        # An event may take text and no reminders.
        told.injections += waiting.injections
        waiting.injections = []
        if "remind" in outcomes:
            told.reminders += waiting.reminders
            waiting.reminders = []
