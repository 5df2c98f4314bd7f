"""The registry API of Hermes, as a drop-in module, with a connection to the hub.

    from hookline.hermes import get_default_registry, forward

    forward(get_default_registry(), source="hermes")

Handlers match as in Hermes: those of the exact event first, then those of `<namespace>:*`, in the order of their registration. A handler that
raises is reported and the others go on. Unlike Hermes, scheduled handlers are held until they are done, and what is forwarded waits for no one.
Hook folders are not loaded here: the hub runs them (docs/extensions.md).
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from typing import Any, Awaitable, Callable, Dict, List, Optional, Set, Tuple, Union

from ._catalog import find_event
from ._forking import renew_lock
from .client import Client, connect
from .errors import HookError
from .types import Decision, Json

Context = Dict[str, Any]
Handler = Callable[[str, Context], Union[Any, Awaitable[Any]]]


class _Registration:
    def __init__(self, event_type: str, handler: Handler, name: str) -> None:
        self.event_type = event_type
        self.handler = handler
        self.name = name
        self.has_warned = False


class HookRegistry:
    def __init__(self) -> None:
        self._handlers: Dict[str, List[_Registration]] = {}
        self._lock = threading.Lock()
        renew_lock(self)
        self._tasks: Set["asyncio.Future[Any]"] = set()
        self._client: Optional[Client] = None

    @property
    def loaded_hooks(self) -> List[Json]:
        with self._lock:
            rows = [row for rows in self._handlers.values() for row in rows]
        about = {"description": "(registered programmatically)", "path": "<programmatic>"}
        return [{"name": row.name, "events": [row.event_type], **about} for row in rows]

    def register(self, event_type: str, handler: Handler, *, name: Optional[str] = None) -> Callable[[], None]:
        """Returns how to unregister exactly this handler; calling that twice is fine."""
        row = _Registration(event_type, handler, name or getattr(handler, "__name__", "handler"))
        with self._lock:
            self._handlers.setdefault(event_type, []).append(row)

        def unregister() -> None:
            with self._lock:
                rows = self._handlers.get(event_type, [])
                if row in rows:
                    rows.remove(row)
                if not rows:
                    self._handlers.pop(event_type, None)

        return unregister

    async def emit(self, event_type: str, context: Optional[Context] = None) -> None:
        """Calls the handlers one after the other and discards what they return. Never raises."""
        given = {} if context is None else context
        for row in self._resolve(event_type):
            await self._call(row, event_type, given)
        self._forward(event_type, given)

    async def emit_collect(self, event_type: str, context: Optional[Context] = None) -> List[Any]:
        """What the handlers return, without `None`. With a hub, its guards of `command:*` and other gates decide first."""
        given = {} if context is None else context
        results: List[Any] = await self._ask_hub(event_type, given)
        for row in self._resolve(event_type):
            result = await self._call(row, event_type, given)
            if result is not None:
                results.append(result)
        if not self._is_gate(event_type):
            self._forward(event_type, given)
        return results

    def emit_sync(self, event_type: str, context: Optional[Context] = None) -> None:
        """From plain code: asynchronous handlers are scheduled on the running loop, or skipped with one warning each. Never raises."""
        given = {} if context is None else context
        for row in self._resolve(event_type):
            try:
                result = row.handler(event_type, given)
                if inspect.isawaitable(result):
                    self._schedule(row, result)
            except Exception as error:
                _complain(row, event_type, error)
        self._forward(event_type, given)

    def _resolve(self, event_type: str) -> Tuple[_Registration, ...]:
        exact = self._handlers.get(event_type, ())
        base, colon, _ = event_type.partition(":")
        wild = self._handlers.get(f"{base}:*", ()) if colon and event_type != f"{base}:*" else ()
        with self._lock:
            return (*exact, *wild)

    async def _call(self, row: _Registration, event_type: str, context: Context) -> Any:
        try:
            result = row.handler(event_type, context)
            return await result if inspect.isawaitable(result) else result
        except Exception as error:
            _complain(row, event_type, error)
            return None

    def _schedule(self, row: _Registration, result: Any) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            if inspect.iscoroutine(result):
                result.close()
            if not row.has_warned:
                row.has_warned = True
                print(f'[hooks] "{row.name}" is asynchronous and was skipped: no event loop runs here.', file=sys.stderr)
            return
        task = asyncio.ensure_future(result, loop=loop)
        # The loop itself holds a task only weakly.
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._ended(row, done))

    def _ended(self, row: _Registration, task: "asyncio.Future[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _complain(row, row.event_type, task.exception())

    def _is_gate(self, event_type: str) -> bool:
        info = find_event(event_type)
        return self._client is not None and info is not None and info.kind == "gate"

    async def _ask_hub(self, event_type: str, context: Context) -> List[Any]:
        client = self._client
        if client is None or not self._is_gate(event_type) or context.get("_forwarded") is True:
            return []
        try:
            decision = await client.decide_async(event_type, context, session=context.get("session_id"))
        except HookError as error:
            # Hermes goes on with a command whose hooks raise.
            return [{"decision": "deny", "message": str(error)}]
        return _answers(event_type, context, decision)

    def _forward(self, event_type: str, context: Context) -> None:
        if self._client is None or context.get("_forwarded") is True:
            return
        # The hub gives frames of Hermes with unknown names the same name.
        name = event_type if find_event(event_type) is not None else f"hermes:{event_type.replace(':', '.')}"
        self._client.emit(name, context, session=context.get("session_id"))

    def _rows(self) -> List[Json]:
        """For `hookline handlers`."""
        named = enumerate(self.loaded_hooks, 1)
        return [{"id": number, "event": row["events"][0], "name": row["name"], "stage": "observe", "onFailure": "open"} for number, row in named]


def forward(registry: Optional[HookRegistry] = None, *, client: Optional[Client] = None, source: str = "hermes", **options: Any) -> Client:
    """Sends what a registry emits to the hub, whenever there is one, except events that came from elsewhere (`_forwarded`)."""
    used = registry or get_default_registry()
    if client is None:
        client = connect(source, handlers=used._rows, **options)
    used._client = client
    return client


def _answers(event_type: str, context: Context, decision: Decision) -> List[Any]:
    """A decision of the hub as Hermes' own commands read it."""
    if not decision.allowed:
        command = event_type.partition(":")[2]
        return [{"decision": "deny", "message": decision.reason or f"Command `/{command}` was blocked by a hook."}]
    if not decision.modified:
        return []
    after = decision.payload
    changed = {key for key in {*context, *after} if context.get(key) != after.get(key)}
    words = {key: after[key] for key in ("command_name", "raw_args") if isinstance(after.get(key), str)}
    # Hermes takes these two, and would run the rest as it was.
    if changed <= set(words):
        return [{"decision": "rewrite", **words}]
    return [{"decision": "deny", "message": "The hub rewrote the command in a way that cannot be passed on."}]


def _complain(row: _Registration, event_type: str, error: Optional[BaseException]) -> None:
    print(f'[hooks] "{row.name}" failed on {event_type}: {error!r}', file=sys.stderr)


_default: Optional[HookRegistry] = None
_default_lock = threading.Lock()
renew_lock(sys.modules[__name__], "_default_lock")


def get_default_registry() -> HookRegistry:
    """The registry of this process. Call it at each use: it may be replaced."""
    with _default_lock:
        global _default
        if _default is None:
            _default = HookRegistry()
        return _default


def install_as_default(registry: HookRegistry) -> None:
    with _default_lock:
        global _default
        _default = registry
