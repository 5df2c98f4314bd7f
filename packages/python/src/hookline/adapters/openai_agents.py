"""OpenAI Agents SDK. Not tried here: written by the documentation of `FunctionTool` and `RunHooks`.

    from hookline.adapters.openai_agents import guard_tools, run_hooks

    agent = Agent(name="Assistant", tools=guard_tools([send_mail]))
    await Runner.run(agent, "…", hooks=run_hooks())

`guard_tools` blocks, rewrites, asks and transforms. `run_hooks` only tells the hub of agents, models and handoffs.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from typing import Any, Iterable, List, Optional

from ..client import Client, get_client
from ._refusal import output_of, refusal_of


def guard_tools(tools: Iterable[Any], *, client: Optional[Client] = None, session: Any = None) -> List[Any]:
    """Copies of function tools that ask the hub first. A tool that has no `on_invoke_tool` (a hosted tool) cannot be guarded and is refused."""
    return [_guarded(tool, client, session) for tool in tools]


def _guarded(tool: Any, client: Optional[Client], session: Any) -> Any:
    invoke = getattr(tool, "on_invoke_tool", None)
    if not callable(invoke) or not dataclasses.is_dataclass(tool):
        raise TypeError(f"{tool!r} is not a function tool: it runs elsewhere, so its calls cannot be guarded here.")

    async def on_invoke_tool(context: Any, arguments: str) -> Any:
        given = json.loads(arguments) if arguments else {}
        call_id = getattr(context, "tool_call_id", None)
        run = await (client or get_client()).run_tool_async(
            tool.name, given, lambda input: invoke(context, json.dumps(input)), call_id=call_id, session=session
        )
        if run.status != "ok":
            return refusal_of(run)
        return output_of(run) if run.injections else run.output

    return dataclasses.replace(tool, on_invoke_tool=on_invoke_tool)  # type: ignore[type-var]


def run_hooks(*, client: Optional[Client] = None, session: Any = None) -> Any:
    """Hooks for `Runner.run(hooks=…)`."""
    base: Any = importlib.import_module("agents").RunHooks

    def tell(event: str, **payload: Any) -> None:
        (client or get_client()).emit(event, payload, session=session)

    class HooklineRunHooks(base):  # type: ignore[misc]
        async def on_agent_start(self, context: Any, agent: Any) -> None:
            tell("agent:start", agent={"name": agent.name})

        async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
            tell("agent:end", agent={"name": agent.name}, reason="finished", usage=_usage(context))

        async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
            tell("handoff:emitted", agent={"name": from_agent.name}, target=to_agent.name)

        async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
            tell("llm:after", agent={"name": agent.name}, usage=_usage(response))

    return HooklineRunHooks()


def _usage(holder: Any) -> Any:
    usage = getattr(holder, "usage", None)
    return {"inputTokens": getattr(usage, "input_tokens", 0), "outputTokens": getattr(usage, "output_tokens", 0)}
