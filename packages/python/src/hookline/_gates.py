"""Which events the hub is asked about: what it announces, what it left beside its `hub.json`, and what the caller named."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._catalog import EVERY_GATE, EVERY_TRANSFORM, find_event, resolve_event
from ._sighting import Gate, Sighting
from .errors import HookError

DEFAULT_TIMEOUT_MS = 5_000.0
_MODES = ("open", "closed", "abort")


class RemoteGates:
    def __init__(self, events: Sequence[str], timeout_ms: Optional[float], on_failure: Optional[str], is_required: bool = False) -> None:
        if on_failure is not None and on_failure not in _MODES:
            raise HookError("HL_BAD_OPTION", f'"gate_on_failure" must be one of {", ".join(_MODES)}.')
        if timeout_ms is not None and not timeout_ms > 0:
            raise HookError("HL_BAD_OPTION", '"gate_timeout_ms" must be above 0.')
        self._timeout_ms = timeout_ms
        self._on_failure = on_failure
        self._always = [self._named(event) for event in events]
        #: No hub has been there, and the program wants one: nothing passes.
        self._is_missing = is_required
        self._announced: List[Gate] = []
        self._kept: List[Gate] = []
        self._lock = threading.Lock()
        self._table: Dict[str, Gate] = {}
        self._update()

    def find(self, event: str) -> Optional[Tuple[Gate, bool]]:
        """How to ask about an event, and whether the gate is closed by the files alone, so that it opens when they go."""
        with self._lock:
            key = event if event in self._table else f"{event.partition(':')[0]}:*"
            gate = self._table.get(key)
            if gate is None:
                return None
            is_only_kept = not self._is_missing and key not in self._always and all(known.event != key for known in self._announced)
            return gate, is_only_kept

    def announce(self, given: Any) -> None:
        """What the hub says now; anything that it cannot be asked about is left out."""
        gates = (_read(entry) for entry in given) if isinstance(given, list) else ()
        with self._lock:
            self._is_missing = False
            self._announced = [gate for gate in gates if gate is not None]
            self._kept = []
            self._update()

    def keep(self, sighting: Sighting) -> None:
        """What the folder says, while no hub has proved itself. A `hub.json` without gates that can be believed closes every gate."""
        with self._lock:
            if isinstance(sighting.gates, tuple):
                known = ((gate, _name_of(gate.event)) for gate in sighting.gates)
                self._kept = [Gate(name, gate.timeout_ms, gate.on_failure) for gate, name in known if name is not None]
            elif sighting.hub is None and sighting.gates is None:
                self._kept = []
            else:
                self._kept = _everything()
            self._update()

    def _update(self) -> None:
        always = [Gate(event, DEFAULT_TIMEOUT_MS, "closed") for event in self._always]
        # The newest word last: files that are looked at now are those of a hub that came after the one that announced.
        self._table = {gate.event: self._settle(gate) for gate in (*always, *self._announced, *self._kept)}
        if self._is_missing:
            # Whatever the options say of a hub that does not answer: none has been there.
            self._table.update({gate.event: Gate(gate.event, self._settle(gate).timeout_ms, "closed") for gate in _everything()})

    def _settle(self, gate: Gate) -> Gate:
        return Gate(gate.event, self._timeout_ms or gate.timeout_ms, self._on_failure or gate.on_failure)

    @staticmethod
    def _named(event: str) -> str:
        info = resolve_event(event)
        if info.kind == "observe":
            raise HookError("HL_BAD_OPTION", f'"{event}" is neither a gate nor a transform, so the hub cannot be asked about it.')
        return info.name


def _everything() -> List[Gate]:
    return [Gate(event, DEFAULT_TIMEOUT_MS, "closed") for event in (*EVERY_GATE, *EVERY_TRANSFORM)]


def _read(value: Any) -> Optional[Gate]:
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        return None
    name = _name_of(value["event"])
    if name is None:
        return None
    limit, mode = value.get("timeoutMs"), value.get("onFailure")
    is_limit = isinstance(limit, (int, float)) and not isinstance(limit, bool) and 0 < limit < 2**31
    return Gate(name, float(limit) if is_limit else DEFAULT_TIMEOUT_MS, mode if mode in _MODES else "closed")  # type: ignore[arg-type]


def _name_of(event: str) -> Optional[str]:
    if event.endswith(":*"):
        return event if event in EVERY_GATE else None
    known = find_event(event)
    return None if known is None or known.kind == "observe" else known.name
