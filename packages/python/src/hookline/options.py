"""The options of `connect`, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Union

from ._redact import Redact
from .errors import HookError, Report
from .reminders import ReminderBook

_MAX_PAYLOAD_BYTES = 3 * 1024 * 1024
#: An approver gets the request and returns `{"verdict": "allow" | "deny", "reason"?, "by"?, "payload"?}`.
Approver = Callable[[Dict[str, Any]], Dict[str, Any]]


@dataclass
class Options:
    #: The name of the agent, as it is shown and recorded.
    source: str = "python"
    #: The session of every event and question that names no other.
    session: Union[None, str, Dict[str, Any]] = None
    #: Which events are sent: names in any spelling and patterns such as `tool:*`.
    events: Union[None, str, Iterable[str]] = None
    #: Writes each event to disk before `emit` returns, so that not even a kill loses it.
    durable: bool = False
    queue_count: int = 10_000
    queue_bytes: int = 16 * 1024 * 1024
    max_payload_bytes: int = 256 * 1024
    max_spool_bytes: int = 256 * 1024 * 1024
    redact: Redact = None
    redact_secrets: bool = True
    #: False: the hub's guards are not asked.
    gates: bool = True
    #: Gates and transforms that are asked about from the start, also before a hub was seen.
    gate_events: Sequence[str] = ()
    #: Instead of what the hub announces.
    gate_timeout_ms: Optional[float] = None
    gate_on_failure: Optional[str] = None
    #: Until a hub has been there, every gate denies and every value of a transform is withheld.
    required: bool = False
    #: Who is asked instead of a person at the hub.
    approver: Optional[Approver] = None
    ask_timeout_ms: float = 300_000.0
    #: `resolve` asks a person; `return` gives the verdict `ask` to the caller.
    on_ask: str = "resolve"
    reminders: Optional[ReminderBook] = None
    #: Also writes what is pending before SIGTERM and SIGHUP end the process.
    flush_on_signals: bool = True
    folder: Optional[str] = None
    on_error: Optional[Report] = None
    #: Rows for `hookline handlers`: what is registered in this process.
    handlers: Optional[Callable[[], List[Dict[str, Any]]]] = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, str) or self.source == "":
            raise HookError("HL_BAD_OPTION", '"source" must be a name.')
        for name in ("queue_count", "queue_bytes", "max_payload_bytes", "max_spool_bytes", "ask_timeout_ms"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                raise HookError("HL_BAD_OPTION", f'"{name}" must be a number above 0.')
        if self.max_payload_bytes > _MAX_PAYLOAD_BYTES:
            raise HookError("HL_BAD_OPTION", f'"max_payload_bytes" must be at most {_MAX_PAYLOAD_BYTES}.')
        if self.required and not self.gates:
            raise HookError("HL_BAD_OPTION", '"required" denies until a hub can be asked, but "gates" is False, so it never is.')
        if self.on_ask not in ("resolve", "return"):
            raise HookError("HL_BAD_OPTION", '"on_ask" must be "resolve" or "return".')


def read_options(given: Dict[str, Any]) -> Options:
    """Raises `HL_UNKNOWN_OPTION` for a name that is not an option."""
    known = Options.__dataclass_fields__
    for name in given:
        if name not in known:
            raise HookError("HL_UNKNOWN_OPTION", f'connect has no option "{name}".', fix=f"Its options are: {', '.join(known)}.")
    return Options(**given)
