"""CrewAI. Not tried here: written by the documentation of its tool call hooks.

    from hookline.adapters.crewai import install

    install()

The hooks apply to every crew of the process. A call that is blocked does not run, and the agent is told so by CrewAI. CrewAI passes no reason on:
it is in the hub's record.
"""

from __future__ import annotations

import importlib
import threading
from typing import Any, Callable, Dict, Optional

from ..client import Client, get_client
from ..types import Json

#: Calls between their two hooks; more are forgotten, the oldest first.
_MAX_OPEN = 1_000


def install(*, client: Optional[Client] = None, session: Any = None) -> None:
    hooks: Any = importlib.import_module("crewai.hooks")
    before, after = tool_hooks(client=client, session=session)
    hooks.register_before_tool_call_hook(before)
    hooks.register_after_tool_call_hook(after)


def tool_hooks(*, client: Optional[Client] = None, session: Any = None) -> Any:
    """The two hooks, to register them for one crew only."""
    open_calls: Dict[int, Json] = {}
    lock = threading.Lock()

    def tool_of(context: Any) -> Json:
        return {"name": context.tool_name, "input": dict(context.tool_input or {})}

    def before(context: Any) -> Optional[bool]:
        payload = {"tool": tool_of(context), **_agent(context)}
        decision = (client or get_client()).decide("tool:before", payload, session=session)
        if not decision.allowed:
            _tell_after(decision.payload, "blocked")
            return False
        given = decision.payload["tool"]["input"]
        if decision.modified:
            # CrewAI reads the object that it passed.
            context.tool_input.clear()
            context.tool_input.update(given)
        with lock:
            open_calls[id(context.tool_input)] = decision.payload
            while len(open_calls) > _MAX_OPEN:
                open_calls.pop(next(iter(open_calls)))
        return None

    def after(context: Any) -> Optional[str]:
        with lock:
            payload = open_calls.pop(id(context.tool_input), None)
        if payload is None:
            # A call that was blocked, or that the first hook has not seen.
            return None
        told = {**payload, "tool": {**payload["tool"], "output": context.tool_result, "isError": False}}
        result = (client or get_client()).transform("tool:result", context.tool_result, told, session=session)
        _tell_after({**told, "tool": {**told["tool"], "output": result.value}}, "ok")
        if not result.replaced and not result.injections:
            return None
        return "\n\n".join([str(result.value), *result.injections])

    def _tell_after(payload: Json, status: str) -> None:
        (client or get_client()).emit("tool:after", {**payload, "status": status}, session=session)

    return _closed(before), after


def _closed(hook: Callable[[Any], Optional[bool]]) -> Callable[[Any], Optional[bool]]:
    """A hook that fails blocks the call, whatever CrewAI does with an exception."""

    def guarded(context: Any) -> Optional[bool]:
        try:
            return hook(context)
        except Exception:
            return False

    return guarded


def _agent(context: Any) -> Json:
    role = getattr(getattr(context, "agent", None), "role", None)
    return {"agent": {"name": role}} if isinstance(role, str) else {}
