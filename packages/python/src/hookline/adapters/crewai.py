"""CrewAI. Not tried here: written by the documentation of its tool call hooks.

    from hookline.adapters.crewai import install

    install()

The hooks apply to every crew of the process. A call that is blocked does not run, and the agent is told so by CrewAI. CrewAI passes no reason on:
it is in the hub's record.
"""

from __future__ import annotations

import importlib
import threading
from typing import Any, Callable, List, NamedTuple, Optional

from .._deciding import withheld
from ..client import Client, get_client
from ..types import Json

#: Calls between their two hooks; more are forgotten, the oldest first.
_MAX_OPEN = 1_000


class _OpenCall(NamedTuple):
    name: str
    #: The object itself: while it is kept, no other object can be taken for it.
    input: Any
    #: As it was when the call began to run.
    values: Json
    #: None for a call that was blocked.
    payload: Optional[Json]


def install(*, client: Optional[Client] = None, session: Any = None) -> None:
    hooks: Any = importlib.import_module("crewai.hooks")
    before, after = tool_hooks(client=client, session=session)
    hooks.register_before_tool_call_hook(before)
    hooks.register_after_tool_call_hook(after)


def tool_hooks(*, client: Optional[Client] = None, session: Any = None) -> Any:
    """The two hooks, to register them for one crew only."""
    open_calls: List[_OpenCall] = []
    lock = threading.Lock()

    def opened(context: Any, payload: Optional[Json]) -> None:
        with lock:
            open_calls.append(_OpenCall(context.tool_name, context.tool_input, dict(context.tool_input or {}), payload))
            del open_calls[:-_MAX_OPEN]

    def closed(context: Any) -> Optional[_OpenCall]:
        """The call that has ended: the same input, or an equal one if CrewAI has copied it."""
        with lock:
            same = [call for call in open_calls if call.input is not None and call.input is context.tool_input]
            equal = [call for call in open_calls if call.name == context.tool_name and call.values == (context.tool_input or {})]
            found = next(iter([*same[-1:], *equal[:1]]), None)
            if found is not None:
                open_calls[:] = [call for call in open_calls if call is not found]
            return found

    def payload_of(context: Any) -> Json:
        return {"tool": {"name": context.tool_name, "input": dict(context.tool_input or {})}, **_agent(context)}

    def before(context: Any) -> Optional[bool]:
        decision = (client or get_client()).decide("tool:before", payload_of(context), session=session)
        if not decision.allowed:
            _tell_after(decision.payload, "blocked")
            opened(context, None)
            return False
        given = decision.payload["tool"]["input"]
        if decision.modified:
            # CrewAI reads the object that it passed.
            context.tool_input.clear()
            context.tool_input.update(given)
        opened(context, decision.payload)
        return None

    def after(context: Any) -> Optional[str]:
        call = closed(context)
        if call is not None and call.payload is None:
            # It was blocked, and that was told.
            return None
        # The output of a call that the first hook has not seen, or has forgotten, is transformed too.
        payload = payload_of(context) if call is None or call.payload is None else call.payload
        told = {**payload, "tool": {**payload["tool"], "output": context.tool_result, "isError": False}}
        result = (client or get_client()).transform("tool:result", context.tool_result, told, session=session)
        _tell_after({**told, "tool": {**told["tool"], "output": result.value}}, "ok")
        if not result.replaced and not result.injections:
            return None
        return "\n\n".join([str(result.value), *result.injections])

    def _tell_after(payload: Json, status: str) -> None:
        (client or get_client()).emit("tool:after", {**payload, "status": status}, session=session)

    return _closed(before), _withholding(after)


def _closed(hook: Callable[[Any], Optional[bool]]) -> Callable[[Any], Optional[bool]]:
    """A hook that fails blocks the call, whatever CrewAI does with an exception."""

    def guarded(context: Any) -> Optional[bool]:
        try:
            return hook(context)
        except Exception:
            return False

    return guarded


def _withholding(hook: Callable[[Any], Optional[str]]) -> Callable[[Any], Optional[str]]:
    """CrewAI goes on with the tool's own output where a hook raises. What no guard has seen does not reach the model."""

    def guarded(context: Any) -> Optional[str]:
        try:
            return hook(context)
        except Exception as error:
            return str(withheld("tool:result", str(error)))

    return guarded


def _agent(context: Any) -> Json:
    role = getattr(getattr(context, "agent", None), "role", None)
    return {"agent": {"name": role}} if isinstance(role, str) else {}
