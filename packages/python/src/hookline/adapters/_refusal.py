"""What a model is told in the place of a tool's output."""

from __future__ import annotations

from ..errors import Blocked
from ..types import ToolRun


def refusal_of(run: ToolRun) -> str:
    """The text for the model. Raises `Blocked` where the agent's loop is to end, and what the tool itself raised."""
    if isinstance(run.error, Blocked):
        if run.decision.end_loop:
            raise run.error
        by = "" if run.decision.by is None else f" ({run.decision.by})"
        return f"Blocked: {run.error.reason}{by}"
    assert run.error is not None
    raise run.error


def output_of(run: ToolRun) -> str:
    """A tool's output as text, with what guards add for the model."""
    return "\n\n".join([str(run.output), *run.injections])
