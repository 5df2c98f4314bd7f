"""What callers get back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional

Json = Dict[str, Any]


@dataclass
class Decision:
    """The answer of a gate. Run `payload`, not what you asked about: a guard may have rewritten it."""

    verdict: str
    payload: Any
    reason: Optional[str] = None
    #: The name of the guard, rule, hook or person that decided.
    by: Optional[str] = None
    actor: Optional[Json] = None
    #: The code of what failed, if the verdict is that of a failure.
    cause: Optional[str] = None
    modified: bool = False
    end_loop: bool = False
    #: Text for the model's context.
    injections: List[str] = field(default_factory=list)
    #: Reminders for the model, as dicts with a `body`. With a book of reminders they are in the book instead.
    reminders: List[Json] = field(default_factory=list)
    trail: List[Json] = field(default_factory=list)

    @property
    def allowed(self) -> bool:
        """True for `pass` (nobody had an opinion) and `allow`."""
        return self.verdict in ("pass", "allow")


@dataclass
class Transformed:
    """The value to go on with."""

    value: Any
    replaced: bool = False
    withheld: bool = False
    injections: List[str] = field(default_factory=list)
    reminders: List[Json] = field(default_factory=list)
    trail: List[Json] = field(default_factory=list)


@dataclass
class ToolRun:
    """What came of a tool call. `status` is ok, error, blocked or cancelled."""

    status: str
    decision: Decision
    output: Any = None
    error: Optional[BaseException] = None
    #: The output is a stream that no guard has seen, by `stream="pass"`.
    is_unguarded: bool = False
    injections: List[str] = field(default_factory=list)
    reminders: List[Json] = field(default_factory=list)
    duration_ms: float = 0.0


@dataclass(frozen=True)
class GateCounters:
    asked: int = 0
    answered: int = 0
    #: No answer in time, a lost hub, or an answer that cannot be understood.
    failed: int = 0
    #: Answers that no question waited for.
    stray: int = 0


@dataclass(frozen=True)
class Counters:
    """At all times `accepted` is `acked`, `spooled`, `pending` and everything in `dropped` together."""

    accepted: int = 0
    acked: int = 0
    pending: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    spooled: int = 0
    reconnects: int = 0
    #: The last number given.
    seq: int = 0
    gates: GateCounters = GateCounters()


def session_ref(given: Any) -> Optional[Json]:
    """A session as an id, as `{"id": …, "parentId": …}`, or as part of a payload."""
    if isinstance(given, str):
        return {"id": given}
    if not isinstance(given, Mapping):
        return None
    key, parent = given.get("id"), given.get("parentId")
    if not isinstance(key, str):
        return None
    return {"id": key, "parentId": parent} if isinstance(parent, str) else {"id": key}
