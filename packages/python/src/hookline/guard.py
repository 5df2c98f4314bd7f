"""`@guard` around a tool: a plain function or an `async def`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any, Callable, Dict, Iterable, Optional, Sequence, TypeVar, Union, overload

from .client import Client, get_client
from .errors import HookError
from .types import Json, ToolRun

F = TypeVar("F", bound=Callable[..., Any])
Session = Union[None, str, Json, Callable[[], Any]]


@overload
def guard(function: F) -> F: ...


@overload
def guard(
    function: None = None,
    *,
    name: Optional[str] = None,
    client: Optional[Client] = None,
    session: Session = None,
    skip: Sequence[str] = ("self", "cls"),
    stream: str = "collect",
) -> Callable[[F], F]: ...


def guard(
    function: Optional[Callable[..., Any]] = None,
    *,
    name: Optional[str] = None,
    client: Optional[Client] = None,
    session: Session = None,
    skip: Sequence[str] = ("self", "cls"),
    stream: str = "collect",
) -> Any:
    """The tool runs only if the hub's guards and, where they ask, a person allow it; else `Blocked` is raised.

    `name` is the tool's name in rules, by default that of the function. The tool's input is its arguments by their names, without those in
    `skip`. A guard may rewrite the input and the result. Texts for the model wait in `client.take_context(session)`.

    A generator stays one: what it yields is read first, so that guards see it whole, and then yielded as they left it. `stream="pass"` hands
    it on unguarded.
    """
    if function is None:
        return functools.partial(guard, name=name, client=client, session=session, skip=skip, stream=stream)
    shape = inspect.signature(function)
    tool = name or function.__name__

    def begin(args: Any, kwargs: Any) -> "_Bound":
        bound = shape.bind(*args, **kwargs)
        bound.apply_defaults()
        return _Bound(shape, bound.arguments, skip)

    def place() -> Any:
        return session() if callable(session) else session

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def guarded_async(*args: Any, **kwargs: Any) -> Any:
            call, user, where = begin(args, kwargs), client or get_client(), place()
            run = await user.run_tool_async(tool, call.input, lambda given: call.run(function, given), session=where, stream=stream)
            return _outcome(user, run, where)

        return guarded_async

    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def guarded_pieces_async(*args: Any, **kwargs: Any) -> Any:
            call, user, where = begin(args, kwargs), client or get_client(), place()
            run = await user.run_tool_async(tool, call.input, lambda given: call.run(function, given), session=where, stream=stream)
            output = _outcome(user, run, where)
            if isinstance(output, AsyncIterator):
                async for piece in output:
                    yield piece
                return
            for piece in _pieces(output):
                yield piece

        return guarded_pieces_async

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        call, user, where = begin(args, kwargs), client or get_client(), place()
        run = user.run_tool(tool, call.input, lambda given: call.run(function, given), session=where, stream=stream)
        return _outcome(user, run, where)

    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def guarded_pieces(*args: Any, **kwargs: Any) -> Any:
            yield from _pieces(guarded(*args, **kwargs))

        return guarded_pieces

    return guarded


def _pieces(output: Any) -> Iterable[Any]:
    """What a generator yields again: the pieces that were read, or the one value that guards have left."""
    return output if isinstance(output, (list, Iterator)) else [output]


class _Bound:
    """The arguments of one call: those that guards see, and those that they do not."""

    def __init__(self, shape: inspect.Signature, arguments: Dict[str, Any], skip: Sequence[str]) -> None:
        self._shape = shape
        self._hidden = {key: value for key, value in arguments.items() if key in skip}
        self._rest = next((key for key, part in shape.parameters.items() if part.kind is part.VAR_KEYWORD), None)
        self.input: Json = {key: value for key, value in arguments.items() if key not in skip}
        if self._rest is not None:
            # `**kwargs` are arguments like the others.
            self.input.update(self.input.pop(self._rest, {}))

    def run(self, function: Callable[..., Any], given: Json) -> Any:
        """Calls the function with the input that was decided on."""
        bound = self._shape.bind_partial()
        rest: Json = {}
        for key, value in {**self._hidden, **given}.items():
            part = self._shape.parameters.get(key)
            if part is not None and part.kind is not part.VAR_KEYWORD:
                bound.arguments[key] = tuple(value) if part.kind is part.VAR_POSITIONAL else value
            elif self._rest is not None:
                rest[key] = value
            else:
                raise HookError("HL_BAD_MODIFY", f'A guard gave the tool an argument "{key}", which it does not have.')
        if self._rest is not None:
            bound.arguments[self._rest] = rest
        return function(*bound.args, **bound.kwargs)


def _outcome(client: Client, run: ToolRun, session: Any) -> Any:
    client._keep_context(run.injections, session)
    if run.error is not None:
        raise run.error
    return run.output
