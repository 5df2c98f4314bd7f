"""LangChain 1 and LangGraph. Not tried here: written by the documentation of `AgentMiddleware.wrap_tool_call`.

    from hookline.adapters.langgraph import middleware

    agent = create_agent(model, tools=[…], middleware=[middleware()])

A graph of your own gives the same function to its node: `ToolNode(tools, wrap_tool_call=wrap_tool_call, awrap_tool_call=awrap_tool_call)`.
"""

from __future__ import annotations

import importlib
from typing import Any, Awaitable, Callable, Optional

from ..client import Client, get_client
from ..types import Json, ToolRun
from ._refusal import output_of, refusal_of


def middleware(*, client: Optional[Client] = None, session: Any = None) -> Any:
    base: Any = importlib.import_module("langchain.agents.middleware").AgentMiddleware

    class HooklineMiddleware(base):  # type: ignore[misc]
        def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            return wrap_tool_call(request, handler, client=client, session=session)

        async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            return await awrap_tool_call(request, handler, client=client, session=session)

    return HooklineMiddleware()


def wrap_tool_call(request: Any, handler: Callable[[Any], Any], *, client: Optional[Client] = None, session: Any = None) -> Any:
    call = _Call(request)
    run = (client or get_client()).run_tool(
        call.name, call.args, lambda input: call.keep(handler(call.with_args(input))), call_id=call.id, session=session
    )
    return call.answer(run)


async def awrap_tool_call(
    request: Any, handler: Callable[[Any], Awaitable[Any]], *, client: Optional[Client] = None, session: Any = None
) -> Any:
    call = _Call(request)

    async def invoke(input: Json) -> Any:
        return call.keep(await handler(call.with_args(input)))

    run = await (client or get_client()).run_tool_async(call.name, call.args, invoke, call_id=call.id, session=session)
    return call.answer(run)


class _Call:
    """A tool call, and the message that came of it."""

    def __init__(self, request: Any) -> None:
        self.request = request
        self.name: str = request.tool_call["name"]
        self.args: Json = request.tool_call["args"]
        self.id: Optional[str] = request.tool_call.get("id")
        self.message: Any = None
        self.shown: Any = None

    def with_args(self, args: Json) -> Any:
        if args == self.args:
            return self.request
        return self.request.override(tool_call={**self.request.tool_call, "args": args})

    def keep(self, message: Any) -> Any:
        """The text of a message. A `Command` changes the graph's state and has none: guards see its fields."""
        self.message = message
        self.shown = getattr(message, "content", message)
        return self.shown

    def answer(self, run: ToolRun) -> Any:
        if run.status != "ok":
            message: Any = importlib.import_module("langchain_core.messages").ToolMessage
            return message(content=refusal_of(run), tool_call_id=self.id, name=self.name, status="error")
        content = output_of(run) if run.injections else run.output
        if content is self.shown:
            return self.message
        if self.shown is self.message:
            message_of: Any = importlib.import_module("langchain_core.messages").ToolMessage
            return message_of(content=str(content), tool_call_id=self.id, name=self.name)
        # A guard may have taken the output away.
        return self.message.model_copy(update={"content": "" if content is None else content})
