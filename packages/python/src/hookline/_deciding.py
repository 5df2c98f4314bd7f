"""One decision, one transform: written once as generators, and driven by plain calls or by asyncio.

A generator yields a `Future` of an answer or a `Call` of the caller's own function, and gets its result or its exception back.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from concurrent.futures import Future
from typing import Any, Callable, Dict, Generator, List, Mapping, Optional, Tuple

from ._catalog import EventInfo, resolve_event
from ._connection import Connection
from ._effects import HubEffects
from ._ids import IdSource, new_approval_id
from ._json import dumps
from ._questions import Question, question_text
from ._rewrite import rewritten
from ._sighting import Gate
from ._verdict import MISSING, Answer
from ._whole import Loss, encode, loss_text, read_markers
from .errors import HookError
from .options import Options
from .types import Decision, Json, Transformed

#: A person may edit a call, and a guard may rewrite the edit; so often, and no more.
_MAX_ROUNDS = 8
_HUB = {"kind": "hub", "name": "hub"}
_BUS = {"kind": "policy", "name": "bus"}
_OPERATOR = {"kind": "guard", "name": "operator"}


class Call:
    """A function of the caller's: what it returns is awaited under asyncio."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function


Steps = Generator[Any, Any, Any]


def drive(steps: Steps) -> Any:
    """Runs a generator in this thread."""
    return _drive_with(steps, lambda due: due.function() if isinstance(due, Call) else due.result())


def _drive_with(steps: Steps, settle: Callable[[Any], Any]) -> Any:
    try:
        due = next(steps)
        while True:
            try:
                result = settle(due)
            except BaseException as error:
                due = steps.throw(error)
            else:
                due = steps.send(result)
    except StopIteration as stop:
        return stop.value


async def drive_async(steps: Steps) -> Any:
    """Runs a generator in this task; the event loop goes on meanwhile."""
    try:
        due = next(steps)
        while True:
            try:
                if isinstance(due, Call):
                    result = due.function()
                    result = await result if inspect.isawaitable(result) else result
                else:
                    result = await asyncio.wrap_future(due)
            except BaseException as error:
                due = steps.throw(error)
            else:
                due = steps.send(result)
    except StopIteration as stop:
        return stop.value


class Deciding:
    """What a decision needs: the connection, the options, and what waits for the model."""

    def __init__(self, connection: Connection, ids: IdSource, options: Options, effects: HubEffects) -> None:
        self.connection = connection
        self.ids = ids
        self.options = options
        self.effects = effects

    def decide(self, info: EventInfo, payload: Mapping[str, Any], session: Optional[Json]) -> Steps:
        state = _Gate(self, info, dict(payload), session)
        return (yield from state.run())

    def transform(self, info: EventInfo, value: Any, context: Mapping[str, Any], session: Optional[Json]) -> Steps:
        event_id, at = self.ids.next(), time.time()
        result = Transformed(value)
        found = self._gate(info)
        if found is not None:
            yield from self._ask_transform(info, found, result, context, session, event_id)
        _, effects, told = self.effects.take(info.name, session)
        self.delivered(told)
        result.injections += effects.injections
        result.reminders += effects.reminders
        record = _recorded(info.name, dict(context), result)
        self.connection.take(info.rank, id=event_id, at=at, event=info.name, payload=record, session=session)
        self._book(result, session)
        return result

    def _ask_transform(
        self, info: EventInfo, found: Tuple[Gate, bool], result: Transformed, context: Any, session: Optional[Json], event_id: str
    ) -> Steps:
        gate, ends_with_files = found
        started = time.perf_counter()
        try:
            carried = _value_text(info.name, result.value)
            answer: Answer = yield self._ask("transform", info, gate, ends_with_files, event_id, dict(context), session, carried)
        except HookError as error:
            result.trail += _failed_steps(error, 0, started)
            if gate.on_failure == "abort":
                raise HookError("HL_ABORTED", error.message, fix=error.fix, event=info.name, failure=error.failure) from error
            if gate.on_failure == "closed":
                result.value, result.withheld, result.replaced = withheld(info.name, str(error)), True, True
            return
        is_replaced = answer.value is not MISSING
        result.trail += [_step(_HUB, 0, "replace" if is_replaced else _effect_of(answer), started), *answer.steps]
        if is_replaced:
            result.value, result.replaced = read_markers(answer.value), True
        result.injections += answer.injections
        result.reminders += answer.reminders

    def ask_gate(self, info: EventInfo, found: Tuple[Gate, bool], event_id: str, payload: Any, session: Optional[Json]) -> "Future[Any]":
        return self._ask("gate", info, found[0], found[1], event_id, payload, session, None)

    def is_watched(self) -> bool:
        """Whether anybody looks at the results of tools: a guard, or the hub's record."""
        return self.connection.is_begun or self._gate(resolve_event("tool:result")) is not None

    def is_closed(self, event: str) -> bool:
        found = self._gate(resolve_event(event))
        return found is not None and found[0].on_failure != "open"

    def _gate(self, info: EventInfo) -> Optional[Tuple[Gate, bool]]:
        gates = self.connection.gates
        return None if gates is None else gates.find(info.name)

    def _ask(
        self,
        kind: str,
        info: EventInfo,
        gate: Gate,
        ends_with_files: bool,
        event_id: str,
        payload: Any,
        session: Optional[Json],
        value: Optional[str],
    ) -> "Future[Any]":
        text, lost = encode(payload)
        if lost:
            raise _not_whole(info.name, lost)
        key = self.ids.next()
        line = question_text(kind, key, event_id, info.name, text, session, value)
        return self.connection.ask(Question(key, kind, info.name, line, gate.timeout_ms, ends_with_files))

    def delivered(self, ids: List[str]) -> None:
        if ids:
            self.connection.say({"type": "delivered", "ids": ids})

    def _book(self, result: Any, session: Optional[Json]) -> None:
        """With a book of reminders, they go there."""
        if self.options.reminders is not None:
            for spec in result.reminders:
                self.options.reminders.add(spec, session)
            result.reminders = []


class _Gate:
    """One `decide`: the hub's guards, then a person, until what will run has been seen by all of them."""

    def __init__(self, parts: Deciding, info: EventInfo, payload: Json, session: Optional[Json]) -> None:
        self.parts = parts
        self.info = info
        self.asked = payload
        self.session = session
        self.event_id = parts.ids.next()
        self.at = time.time()
        self.decision = Decision("pass", payload)
        self.round = 0

    def run(self) -> Steps:
        approved: Optional[Json] = None
        for self.round in range(_MAX_ROUNDS + 1):
            answer = yield from self._ask_hub()
            if answer is None:
                return self._conclude()
            if answer.value is not MISSING and answer.value != self.decision.payload:
                fault = self._rewrite(answer.value)
                if fault is not None:
                    return self._deny(f"The hub rewrote the call badly: {fault}.", answer.actor or _HUB, cause=fault.code)
                # What a person approved is not what would run now.
                approved = None
            if answer.verdict == "deny":
                return self._deny(answer.reason, answer.actor or _HUB, cause=answer.cause, end_loop=answer.end_loop, effects=answer)
            interrupt = self._deliver(answer)
            if interrupt is not None:
                return self._deny(interrupt, _OPERATOR)
            if approved is not None:
                return self._allow(approved.get("reason"), approved["actor"])
            if answer.verdict != "ask":
                return self._allow(answer.reason, answer.actor) if answer.verdict == "allow" else self._conclude()
            if self.parts.options.on_ask == "return":
                self.decision.verdict, self.decision.reason = "ask", answer.reason
                self._name(answer.actor)
                return self._conclude()
            reply = yield from self._ask_person(answer)
            if reply is None:
                return self._conclude()
            edited = reply.get("payload", MISSING)
            if edited is MISSING or edited == self.decision.payload:
                return self._allow(reply.get("reason"), reply["actor"])
            fault = self._rewrite(edited)
            if fault is not None:
                return self._deny(f'The approver edited "{self.info.name}" badly: {fault}.', reply["actor"], cause=fault.code)
            approved = reply
        message = f'Guards and people kept rewriting "{self.info.name}" for {_MAX_ROUNDS} rounds.'
        return self._deny(message, _BUS, cause="HL_REWRITE_LOOP")

    def _ask_hub(self) -> Generator[Any, Any, Optional[Answer]]:
        """The hub's answer, an empty one where it has nothing to say, or nothing: the call was denied, because it failed."""
        found = self.parts._gate(self.info)
        if found is None:
            return Answer()
        started = time.perf_counter()
        try:
            answer: Answer = yield self.parts.ask_gate(self.info, found, self.event_id, self.decision.payload, self.session)
        except HookError as error:
            self.decision.trail += _failed_steps(error, self.round, started)
            mode = found[0].on_failure
            if mode == "abort":
                raise HookError("HL_ABORTED", error.message, fix=error.fix, event=self.info.name, failure=error.failure) from error
            if mode == "closed" and self.info.can_block:
                self._deny(str(error), _HUB, cause=error.code, is_last=False)
                return None
            return Answer()
        action = answer.verdict if answer.verdict != "pass" else "modify" if answer.value is not MISSING else _effect_of(answer)
        self.decision.trail += [_step(_HUB, self.round, action, started, answer.reason), *answer.steps]
        return answer

    def _ask_person(self, answer: Answer) -> Generator[Any, Any, Optional[Json]]:
        """The answer that allows; nothing if the call was denied."""
        parts = self.parts
        request = self._request(answer)
        self._tell("approval:requested", f"requested-{request['id']}", request)
        try:
            reply = yield from self._reply(request)
        except HookError as error:
            asked = f' ("{answer.reason}")' if answer.reason else ""
            reason = f'"{request["by"]}" asked for approval of "{self.info.name}"{asked}, but {error}'
            about = {"verdict": "deny", "reason": reason, "actor": _BUS, "cause": error.code}
            self.decision.trail.append(_approval_step(_BUS, self.round, "failed", reason, error.failure))
            self._tell("permission:replied", f"replied-{request['id']}", {**_about(request), **about})
            parts.connection.report(error)
            self._deny(reason, _BUS, cause=error.code, is_last=False)
            return None
        shown = {key: reply[key] for key in ("verdict", "reason", "by", "actor") if key in reply}
        self.decision.trail.append(_approval_step(reply["actor"], self.round, reply["verdict"], reply.get("reason")))
        self._tell("permission:replied", f"replied-{request['id']}", {**_about(request), **shown})
        if reply["verdict"] == "allow":
            return reply
        self._deny(reply.get("reason"), reply["actor"], is_last=False)
        return None

    def _reply(self, request: Json) -> Generator[Any, Any, Json]:
        parts = self.parts
        approver = parts.options.approver
        if approver is not None:
            try:
                return _read_reply((yield Call(lambda: approver(request))))
            except HookError:
                raise
            except Exception as error:
                raise HookError("HL_APPROVER_FAILED", f"the approver failed: {error}.", failure="crash") from error
        text, lost = encode(request["payload"])
        if lost:
            raise HookError("HL_NOT_WHOLE", f"it cannot be shown in full. {loss_text(lost)}.")
        head = dumps({"type": "approve", **{key: value for key, value in request.items() if key != "payload"}})
        line = f'{head[:-1]},"payload":{text}}}\n'.encode("utf-8")
        question = Question(request["id"], "approve", self.info.name, line, parts.options.ask_timeout_ms)
        try:
            return (yield parts.connection.ask(question))
        except HookError as error:
            if error.code == "HL_APPROVAL_TIMEOUT":
                parts.connection.give_up(question, error.code)
            raise
        except BaseException:
            # The caller was cancelled.
            parts.connection.give_up(question, None)
            raise

    def _request(self, answer: Answer) -> Json:
        first = answer.asks[0] if answer.asks else {"by": "hub", "actor": _HUB}
        return {
            "id": new_approval_id(),
            "event": self.info.name,
            "eventId": self.event_id,
            "payload": self.decision.payload,
            **({} if self.session is None else {"session": self.session}),
            **({"reason": first["reason"]} if "reason" in first else {}),
            "by": first["by"],
            "actor": first["actor"],
            "asks": answer.asks or [first],
            "expiresAt": int(time.time() * 1_000 + self.parts.options.ask_timeout_ms),
        }

    def _tell(self, event: str, event_id: str, approval: Json) -> None:
        payload = {"approval": approval, **({} if self.session is None else {"session": self.session})}
        # Both are vital.
        self.parts.connection.take(2, id=event_id, at=time.time(), event=event, payload=payload, session=self.session)

    def _deliver(self, answer: Answer) -> Optional[str]:
        """Adds what goes to the model; gives the reason of an operator who interrupts."""
        self.decision.injections = list(answer.injections)
        self.decision.reminders = list(answer.reminders)
        if self.round > 0:
            return None
        interrupt, effects, told = self.parts.effects.take(self.info.name, self.session)
        self.parts.delivered(told)
        self.decision.injections += effects.injections
        self.decision.reminders += effects.reminders
        return interrupt

    def _rewrite(self, payload: Any) -> Optional[HookError]:
        """What is wrong with the new payload, if anything is."""
        try:
            self.decision.payload = rewritten(self.decision.payload, payload)
        except HookError as error:
            return error
        self.decision.modified = True
        return None

    def _allow(self, reason: Optional[str], actor: Optional[Json]) -> Decision:
        self.decision.verdict, self.decision.reason = "allow", reason
        self._name(actor)
        return self._conclude()

    def _deny(
        self,
        reason: Optional[str],
        actor: Json,
        *,
        cause: Optional[str] = None,
        end_loop: bool = False,
        effects: Optional[Answer] = None,
        is_last: bool = True,
    ) -> Decision:
        decision = self.decision
        decision.verdict, decision.reason, decision.cause, decision.end_loop = "deny", reason, cause, end_loop
        if effects is not None:
            decision.injections, decision.reminders = list(effects.injections), list(effects.reminders)
        self._name(actor)
        return self._conclude() if is_last else decision

    def _name(self, actor: Optional[Json]) -> None:
        self.decision.actor = actor
        self.decision.by = None if actor is None else actor["name"]

    def _conclude(self) -> Decision:
        """Records the event with its decision."""
        decision, parts = self.decision, self.parts
        summary: Dict[str, Any] = {"verdict": decision.verdict}
        for key in ("reason", "by", "actor", "cause"):
            if getattr(decision, key) is not None:
                summary[key] = getattr(decision, key)
        summary.update(modified=decision.modified, endLoop=decision.end_loop)
        if decision.trail:
            summary["trail"] = decision.trail
        asked = self.asked if decision.modified else None
        event = {"id": self.event_id, "at": self.at, "event": self.info.name, "payload": decision.payload, "session": self.session}
        parts.connection.take(self.info.rank, decision=summary, asked=asked, **event)
        parts._book(decision, self.session)
        return decision


def withheld(event: str, reason: str) -> Any:
    text = f"[withheld: {reason}]"
    # A process is started with an environment, so that stays one.
    return {"HOOKLINE_WITHHELD": text} if event == "tool:env" else text


def _recorded(event: str, payload: Json, result: Transformed) -> Json:
    """Says what became of the value. The output of a tool is recorded as it went on."""
    if not result.trail:
        return payload
    what = {"isReplaced": result.replaced, **({"isWithheld": True} if result.withheld else {}), "trail": result.trail}
    record = {**payload, "transform": what}
    if result.replaced and event == "tool:result" and isinstance(payload.get("tool"), dict):
        record["tool"] = {**payload["tool"], "output": result.value}
    return record


def _value_text(event: str, value: Any) -> str:
    if isinstance(value, (bytes, bytearray)):
        try:
            # A rule can put another text in its place.
            value = bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            pass
    text, lost = encode(value)
    if lost:
        raise _not_whole(event, lost)
    return text


def _not_whole(event: str, lost: List[Loss]) -> HookError:
    why = f'The hub cannot be asked about "{event}", because it would not see all of it. {loss_text(lost)}.'
    fix = "Pass dicts, lists, texts and numbers; @guard(skip=…) leaves an argument out."
    return HookError("HL_NOT_WHOLE", why, fix=fix, event=event, failure="invalid_verdict")


def _read_reply(given: Any) -> Json:
    if not isinstance(given, Mapping) or given.get("verdict") not in ("allow", "deny"):
        raise HookError("HL_APPROVER_FAILED", 'the approver must return {"verdict": "allow"} or {"verdict": "deny"}.', failure="crash")
    by = str(given.get("by", "approver"))
    said = {key: given[key] for key in ("verdict", "reason", "payload") if key in given}
    return {**said, "by": by, "actor": {"kind": "person", "name": by}}


def _about(request: Json) -> Json:
    return {"id": request["id"], "event": request["event"], "eventId": request["eventId"]}


def _effect_of(answer: Answer) -> str:
    return "inject" if answer.injections else "remind" if answer.reminders else "pass"


def _step(actor: Json, number: int, action: str, started: float, reason: Optional[str] = None) -> Json:
    step: Json = {"actor": actor, "stage": "guard", "round": number, "action": action}
    if reason is not None:
        step["reason"] = reason[:500]
    step["durationMs"] = round((time.perf_counter() - started) * 1_000, 3)
    return step


def _failed_steps(error: HookError, number: int, started: float) -> List[Json]:
    step = _step(_HUB, number, "failed", started, str(error))
    if error.failure is not None:
        step["failure"] = error.failure
    return [step, *getattr(error, "steps", [])]


def _approval_step(actor: Json, number: int, action: str, reason: Optional[str], failure: Optional[str] = None) -> Json:
    step: Json = {"actor": actor, "stage": "approval", "round": number, "action": action}
    if reason is not None:
        step["reason"] = reason[:500]
    if failure is not None:
        step["failure"] = failure
    return step
