"""The connection of a process to the hub of this machine."""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import AsyncIterator
from concurrent.futures import TimeoutError as FutureTimeout
from types import TracebackType
from typing import Any, Callable, List, Mapping, Optional, Type

from ._catalog import EventInfo, resolve_event
from ._connection import Connection
from ._deciding import Call, Deciding, Steps, drive, drive_async, withheld
from ._effects import HubEffects
from ._exit import follow_signals
from ._forking import renew_lock
from ._ids import IdSource
from ._machine import hub_folder, is_switched_off
from ._sighting import this_host
from ._streams import Collector, is_stream
from .errors import Blocked, HookError
from .options import Options, read_options
from .types import Counters, Decision, Json, ToolRun, Transformed, session_ref

_LINGER_S = 0.2
_MAX_SESSIONS = 1_000
_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()


class Client:
    """Sends events to the hub and asks its guards. Safe to use from any thread and from asyncio. Made by `connect`."""

    def __init__(self, **options: Any) -> None:
        self.options: Options = read_options(options)
        self.is_off = is_switched_off(os.environ)
        self._default_session = session_ref(self.options.session)
        self._context: "OrderedDict[str, List[str]]" = OrderedDict()
        self._context_lock = threading.Lock()
        if self.is_off:
            return
        if sys.platform == "win32":
            fix = "Ask the hub over HTTP: docs/protocol.md."
            raise HookError("HL_BAD_OPTION", "The Python package needs Unix sockets, which Python does not have on Windows.", fix=fix)
        self._folder = os.path.abspath(self.options.folder or hub_folder(os.environ))
        self._open()
        _clients.add(self)
        if self.options.flush_on_signals:
            follow_signals(self._leave)

    def _open(self) -> None:
        ids = IdSource()
        effects = HubEffects(self.options.reminders)
        source = {"app": self.options.source, "host": this_host(), "pid": os.getpid(), "instance": ids.instance}
        self._connection = Connection(self.options, source, self._folder, effects.hear)
        self._deciding = Deciding(self._connection, ids, self.options, effects)

    # State

    @property
    def state(self) -> str:
        """`off`, `waiting` (there is no hub), `connecting`, `attached` or `closed`."""
        return "off" if self.is_off else self._connection.state

    @property
    def counters(self) -> Counters:
        return Counters() if self.is_off else self._connection.counters

    @property
    def instance(self) -> str:
        """Names this process among the sources of events."""
        return "" if self.is_off else str(self._connection.source["instance"])

    # Events

    def emit(self, event: str, payload: Optional[Mapping[str, Any]] = None, *, session: Any = None) -> None:
        """Tells the hub of an event. Never waits for the hub; an unknown name is reported, not raised."""
        if self.is_off:
            return
        try:
            info = resolve_event(event)
        except HookError as error:
            return self._connection.report(error)
        given = {} if payload is None else payload
        event_id = self._deciding.ids.next()
        place = self._session(session, given)
        self._connection.take(info.rank, id=event_id, at=time.time(), event=info.name, payload=given, session=place)

    def decide(self, event: str, payload: Mapping[str, Any], *, session: Any = None) -> Decision:
        """Asks the hub's guards, and a person where a guard asks for one. Go on with the decision's `payload`."""
        return drive(self._decide(event, payload, session))

    async def decide_async(self, event: str, payload: Mapping[str, Any], *, session: Any = None) -> Decision:
        return await drive_async(self._decide(event, payload, session))

    def transform(self, event: str, value: Any, context: Optional[Mapping[str, Any]] = None, *, session: Any = None) -> Transformed:
        """Passes a value through the hub's handlers. Go on with the `value` of the result."""
        return drive(self._transform(event, value, context or {}, session))

    async def transform_async(
        self, event: str, value: Any, context: Optional[Mapping[str, Any]] = None, *, session: Any = None
    ) -> Transformed:
        return await drive_async(self._transform(event, value, context or {}, session))

    def run_tool(
        self,
        name: str,
        input: Mapping[str, Any],
        run: Callable[[Json], Any],
        *,
        call_id: Optional[str] = None,
        session: Any = None,
        stream: str = "collect",
    ) -> ToolRun:
        """Decides, runs, transforms the result and tells of it, on every exit path. Exceptions of the tool are in `error`.

        A generator that the tool returns is read, so that guards see the result whole; `stream="pass"` hands it on unguarded, and that is recorded.
        """
        return drive(self._run_tool(name, input, run, call_id, session, _Streams(stream, False)))

    async def run_tool_async(
        self,
        name: str,
        input: Mapping[str, Any],
        run: Callable[[Json], Any],
        *,
        call_id: Optional[str] = None,
        session: Any = None,
        stream: str = "collect",
    ) -> ToolRun:
        """The same; `run` may be a coroutine function, or return an asynchronous generator."""
        return await drive_async(self._run_tool(name, input, run, call_id, session, _Streams(stream, True)))

    def take_context(self, session: Any = None) -> List[str]:
        """The texts for the model that guarded tools have brought since the last call. Add them to the next message."""
        place = self._session(session, {})
        with self._context_lock:
            return self._context.pop("" if place is None else place["id"], [])

    # The end

    def flush(self, timeout_s: float = 5.0) -> bool:
        """True once all that happened before is acknowledged or dropped; false when the time is up."""
        if self.is_off:
            return True
        future = self._connection.settled()
        try:
            return future.result(timeout_s)
        except FutureTimeout:
            future.cancel()
            return False

    async def flush_async(self, timeout_s: float = 5.0) -> bool:
        if self.is_off:
            return True
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._connection.settled()), timeout_s)
        except asyncio.TimeoutError:
            return False

    def close(self, deadline_s: float = _LINGER_S) -> Counters:
        """Sends what it can within the deadline, and leaves the rest in the spool for the hub to collect."""
        if not self.is_off and self._connection.state != "closed":
            if self._connection.is_sending():
                self.flush(deadline_s)
            self._connection.leave()
            self._connection.join(1.0)
            _clients.discard(self)
        return self.counters

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    # What is shared

    def _decide(self, event: str, payload: Mapping[str, Any], session: Any) -> Steps:
        info = self._known(event, "gate", payload)
        if self.is_off:
            return Decision("pass", payload)
        return (yield from self._deciding.decide(info, payload, self._session(session, payload)))

    def _transform(self, event: str, value: Any, context: Mapping[str, Any], session: Any) -> Steps:
        info = self._known(event, "transform", context)
        if self.is_off:
            return Transformed(value)
        return (yield from self._deciding.transform(info, value, context, self._session(session, context)))

    def _run_tool(
        self,
        name: str,
        input: Mapping[str, Any],
        run: Callable[[Json], Any],
        call_id: Optional[str],
        session: Any,
        streams: "_Streams",
    ) -> Steps:
        call: Json = {"tool": {"name": name, **({} if call_id is None else {"callId": call_id}), "input": dict(input)}}
        try:
            decision: Decision = yield from self._decide("tool:before", call, session)
        except HookError as error:
            # A gate that aborts: the tool does not run.
            decision = Decision("deny", call, reason=str(error), cause=error.code)
        run_of = ToolRun("blocked", decision, injections=list(decision.injections), reminders=list(decision.reminders))
        tool = decision.payload.get("tool") if isinstance(decision.payload, Mapping) else None
        if not decision.allowed:
            run_of.error = Blocked(decision)
        elif not isinstance(tool, Mapping) or not isinstance(tool.get("input"), Mapping):
            decision.verdict, decision.reason = "deny", "A guard rewrote the call into one without a tool and an input."
            run_of.error = Blocked(decision)
        else:
            yield from self._execute(run_of, run, tool["input"], session, streams)
        self._after(run_of, call, session)
        if run_of.status == "cancelled" and run_of.error is not None:
            raise run_of.error
        return run_of

    def _execute(self, run_of: ToolRun, run: Callable[[Json], Any], input: Any, session: Any, streams: "_Streams") -> Steps:
        started = time.perf_counter()
        try:
            run_of.output = yield Call(lambda: run(input))
            if not self.is_off and is_stream(run_of.output) and (streams.is_passed or self._deciding.is_watched()):
                yield from self._collect(run_of, streams)
            run_of.status = "ok"
        except Exception as error:
            run_of.status, run_of.error = "error", error
        except BaseException as error:
            # The caller was cancelled or interrupted, which goes on after the record.
            run_of.status, run_of.error = "cancelled", error
        run_of.duration_ms = (time.perf_counter() - started) * 1_000
        if run_of.status == "ok" and not run_of.is_unguarded:
            result: Transformed = yield from self._transform("tool:result", run_of.output, _with_outcome(run_of, {}), session)
            run_of.output = result.value
            run_of.injections += result.injections
            run_of.reminders += result.reminders

    def _collect(self, run_of: ToolRun, streams: "_Streams") -> Steps:
        """The result as one value. Of a stream that is too long, a closed guard of results withholds all; without one, it is an error."""
        source = run_of.output
        if streams.is_passed:
            run_of.is_unguarded = True
            return
        collector = Collector()
        if not streams.is_async and isinstance(source, AsyncIterator):
            # Nothing can wait for it here. A closed guard withholds it, because it cannot be sent.
            return
        run_of.output = None
        try:
            run_of.output = yield Call(lambda: collector.read_async(source) if streams.is_async else collector.read(source))
        except HookError as error:
            if error.code != "HL_STREAM_LIMIT" or not self._deciding.is_closed("tool:result"):
                raise
            self._connection.report(error)
            run_of.output = withheld("tool:result", error.message)

    def _after(self, run_of: ToolRun, call: Json, session: Any) -> None:
        payload = {**_with_outcome(run_of, call), "status": run_of.status}
        if run_of.error is not None:
            payload["error"] = str(run_of.error)
        self.emit("tool:after", payload, session=session)

    def _keep_context(self, texts: List[str], session: Any) -> None:
        if not texts:
            return
        place = self._session(session, {})
        key = "" if place is None else place["id"]
        with self._context_lock:
            self._context.setdefault(key, []).extend(texts)
            while len(self._context) > _MAX_SESSIONS:
                self._context.popitem(last=False)

    def _known(self, event: str, kind: str, payload: Any) -> EventInfo:
        info = resolve_event(event)
        if info.kind != kind:
            call = "decide" if kind == "gate" else "transform"
            raise HookError("HL_WRONG_KIND", f'"{info.name}" is not a {kind}, so {call} cannot be called with it.', event=info.name)
        if not isinstance(payload, Mapping):
            raise HookError("HL_BAD_PAYLOAD", f'The payload of "{info.name}" must be a dict.', event=info.name)
        return info

    def _session(self, given: Any, payload: Mapping[str, Any]) -> Optional[Json]:
        if given is not None:
            return session_ref(given)
        named = session_ref(payload.get("session")) if isinstance(payload, Mapping) else None
        return named or self._default_session

    def _leave(self) -> None:
        if self._connection.is_sending() and threading.current_thread() is threading.main_thread():
            self.flush(_LINGER_S)
        self._connection.leave()

    def _after_fork(self) -> None:
        """The child is a process of its own: it has a number series, a queue and a connection of its own."""
        if self._connection.has_left:
            return
        self._connection.abandon()
        self._context_lock = threading.Lock()
        self._open()
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            # A child of multiprocessing runs no atexit functions.
            util.register_after_fork(self, lambda client: util.Finalize(None, client._leave, exitpriority=100))


class _Streams:
    def __init__(self, mode: str, is_async: bool) -> None:
        if mode not in ("collect", "pass"):
            raise HookError("HL_BAD_OPTION", '"stream" must be "collect" or "pass".')
        self.is_passed = mode == "pass"
        self.is_async = is_async


def _with_outcome(run_of: ToolRun, call: Json) -> Json:
    payload = run_of.decision.payload if isinstance(run_of.decision.payload, Mapping) else call
    tool = payload.get("tool")
    outcome: Json = {"isError": run_of.status != "ok", "durationMs": round(run_of.duration_ms, 3)}
    if run_of.is_unguarded:
        # Without the stream: to read it would take it from the caller.
        outcome["isUnguarded"] = True
    elif run_of.status == "ok":
        outcome["output"] = run_of.output
    return {**payload, "tool": {**(tool if isinstance(tool, Mapping) else {"name": "", "input": {}}), **outcome}}


@atexit.register
def _at_exit() -> None:
    for client in list(_clients):
        client._leave()


def _after_fork_in_child() -> None:
    for client in list(_clients):
        client._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


_default: Optional[Client] = None
_default_lock = threading.Lock()
renew_lock(sys.modules[__name__], "_default_lock")


def connect(source: str = "", **options: Any) -> Client:
    """Connects this process to the hub, whether or not one is running yet. The first client is the one that `guard` uses.

        client = hookline.connect("my-agent")
    """
    client = Client(source=source or _program_name(), **options)
    with _default_lock:
        global _default
        if _default is None or _default.state == "closed":
            _default = client
    return client


def get_client() -> Client:
    """The client of this process; makes one, named after the program, if there is none."""
    with _default_lock:
        if _default is not None and _default.state != "closed":
            return _default
    return connect()


def set_client(client: Client) -> None:
    """Makes another client the one that `guard` and the adapters use."""
    with _default_lock:
        global _default
        _default = client


def _program_name() -> str:
    name = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    return os.path.splitext(name)[0] or "python"


