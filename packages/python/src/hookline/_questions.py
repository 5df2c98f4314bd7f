"""Questions to the hub and to people, each settled once. Those that a lost link leaves are asked again over the next."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, Optional

from ._json import dumps
from ._link import MAX_LINE_BYTES
from ._text import inert_text
from ._verdict import read_actor, read_steps, read_transformed, read_verdict
from .errors import HookError
from .types import GateCounters, Json

_MAX_PAST = 1_024


@dataclass
class Question:
    id: str
    kind: str
    event: str
    #: The frame up to its deadline.
    text: bytes
    timeout_ms: float
    ends_with_files: bool = False
    deadline: float = math.inf
    future: "Future[Any]" = field(default_factory=Future)

    def line(self) -> bytes:
        if self.kind == "approve":
            return self.text
        left = max(1, math.ceil((self.deadline - time.monotonic()) * 1_000))
        return self.text + f',"deadlineMs":{left}}}\n'.encode()


class Questions:
    """Used under the lock of the connection."""

    def __init__(self, unanswered: Callable[[Question, Optional[str]], HookError]) -> None:
        self._unanswered = unanswered
        self._open: "OrderedDict[str, Question]" = OrderedDict()
        self._past: "OrderedDict[str, None]" = OrderedDict()
        self._counts: Dict[str, int] = {"asked": 0, "answered": 0, "failed": 0, "stray": 0}

    @property
    def counters(self) -> GateCounters:
        return GateCounters(**self._counts)

    @property
    def next_deadline(self) -> float:
        return min((question.deadline for question in self._open.values()), default=math.inf)

    def open(self, question: Question) -> None:
        self._count(question, "asked")
        self._open[question.id] = question

    def waiting(self) -> Iterator[Question]:
        return iter(list(self._open.values()))

    def hear(self, frame: Json) -> None:
        key = frame.get("id")
        question = self._open.get(key) if isinstance(key, str) else None
        if question is None:
            if frame.get("type") != "approved":
                self._counts["stray"] += 1
            return
        if question.kind == "approve":
            return self._hear_person(question, frame)
        if frame.get("type") == "late":
            guard = frame.get("by")
            error = self._unanswered(question, inert_text(guard[:200]) if isinstance(guard, str) else None)
            error.steps = read_steps(frame.get("trail"))  # type: ignore[attr-defined]
            return self.fail(question, error)
        answer = read_transformed(frame) if question.kind == "transform" else read_verdict(frame)
        if answer is None:
            message = "The hub's answer could not be parsed. The hub may be a different version."
            return self.fail(question, HookError("HL_INVALID_VERDICT", message, fix="Run: hookline status", failure="protocol_error"))
        return self._settle(question, answer)

    def expire(self, now: float) -> None:
        for question in list(self._open.values()):
            if question.future.cancelled():
                self.forget(question)
            elif question.deadline <= now:
                self.fail(question, self._unanswered(question, None))

    def fail(self, question: Question, error: HookError) -> None:
        self._count(question, "failed")
        self.forget(question)
        if question.future.set_running_or_notify_cancel():
            question.future.set_exception(error)

    def fail_all(self, error_of: Callable[[Question], Optional[HookError]]) -> None:
        for question in list(self._open.values()):
            error = error_of(question)
            if error is not None:
                self.fail(question, error)

    def forget(self, question: Question) -> None:
        self._open.pop(question.id, None)
        self._past[question.id] = None
        if len(self._past) > _MAX_PAST:
            self._past.popitem(last=False)

    def _settle(self, question: Question, answer: Any) -> None:
        self._count(question, "answered")
        self.forget(question)
        if question.future.set_running_or_notify_cancel():
            question.future.set_result(answer)

    def _hear_person(self, question: Question, frame: Json) -> None:
        verdict, by = frame.get("verdict"), frame.get("by")
        if verdict not in ("allow", "deny"):
            message = f"The hub could not ask a person: {frame.get('error')}."
            return self.fail(question, HookError("HL_APPROVER_FAILED", message, failure="crash"))
        name = by if isinstance(by, str) else "approver"
        reply: Json = {"verdict": verdict, "by": name}
        reply["actor"] = read_actor(frame.get("actor")) or {"kind": "person", "name": name, "at": "hub"}
        if isinstance(frame.get("reason"), str):
            reply["reason"] = frame["reason"]
        if "payload" in frame:
            reply["payload"] = frame["payload"]
        return self._settle(question, reply)

    def _count(self, question: Question, what: str) -> None:
        if question.kind != "approve":
            self._counts[what] += 1


def question_text(
    kind: str, id: str, event_id: str, event: str, payload: str, session: Optional[Json], value: Optional[str] = None
) -> bytes:
    """Secrets stay in: the guard must see what will run, and the connection leads to a hub that has proved itself."""
    what = "" if value is None else f',"value":{value}'
    where = "" if session is None else f',"session":{dumps(session)}'
    head = f'{{"type":"{kind}","id":"{id}","eventId":"{event_id}","event":{dumps(event)},"payload":{payload}'
    return f"{head}{what}{where}".encode("utf-8")


def too_large(event: str) -> HookError:
    message = f'The payload of "{event}" is too large to ask the hub about: {MAX_LINE_BYTES} bytes at most.'
    return HookError("HL_FRAME_TOO_LARGE", message, event=event, failure="overloaded")


def closed() -> HookError:
    return HookError("HL_CANCELLED", "The connection to the hub was closed before it answered.", failure="cancelled")


def nobody() -> HookError:
    return HookError("HL_HUB_UNREACHABLE", "no hub is there to ask a person.", fix="Run: hookline up", failure="crash")


def overloaded() -> HookError:
    message = "The hub is not reading, and its send queue is full."
    return HookError("HL_LIMIT", message, fix="Run: hookline status", failure="overloaded")
