"""Pydantic AI. Not tried here: written by the documentation of `WrapperToolset`.

    from hookline.adapters.pydantic_ai import guard_toolset

    agent = Agent(model, toolsets=[guard_toolset(FunctionToolset([send_mail]))])

A call that is blocked returns the reason to the model in the place of the tool's output.
"""

from __future__ import annotations

import importlib
from typing import Any, Dict, Optional

from ..client import Client, get_client
from ._refusal import output_of, refusal_of


def guard_toolset(toolset: Any, *, client: Optional[Client] = None, session: Any = None) -> Any:
    """The same tools; each call asks the hub first. Wrap the outermost toolset: its names are those that rules see."""
    base: Any = importlib.import_module("pydantic_ai.toolsets").WrapperToolset

    class HooklineToolset(base):  # type: ignore[misc]
        async def call_tool(self, name: str, tool_args: Dict[str, Any], ctx: Any, tool: Any) -> Any:
            inner = super().call_tool
            run = await (client or get_client()).run_tool_async(
                name,
                tool_args,
                lambda input: inner(name, dict(input), ctx, tool),
                call_id=getattr(ctx, "tool_call_id", None),
                session=session,
            )
            if run.status != "ok":
                return refusal_of(run)
            return output_of(run) if run.injections else run.output

    return HooklineToolset(toolset)
