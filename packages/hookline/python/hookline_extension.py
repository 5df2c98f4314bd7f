"""Write a Hookline extension in Python: one file, no dependencies, Python 3.8 and later.

    from hookline_extension import block, run_extension

    def guard(event):
        if "rm -rf" in event["payload"]["tool"]["input"].get("command", ""):
            return block("no")

    run_extension("guard", {"tool:before": guard})

Copy this file beside your script. A handler may be a plain function, which runs in a thread of its own, or an `async def`.
It is given a dict with name, payload, value, id, at, session, hook and config, and returns nothing, an outcome or a list of them.
"""

import asyncio
import inspect
import json
import os
import sys
import traceback
from asyncio import wrap_future
from concurrent.futures import Future, ThreadPoolExecutor

PROTOCOL_VERSION = 1
MAX_FRAME_BYTES = 4 * 1024 * 1024
METHOD_NOT_FOUND = -32601
HANDLER_FAILED = -32000


def block(reason=None, end_loop=False):
    """The call must not happen."""
    return _outcome("block", reason=reason, endLoop=end_loop or None)


def ask(reason=None):
    """A person must decide."""
    return _outcome("ask", reason=reason)


def allow(reason=None):
    """The call may happen, without the agent's own prompt. Saying nothing is not the same."""
    return _outcome("allow", reason=reason)


def modify(payload, reason=None):
    """Go on with another payload."""
    return _outcome("modify", value=payload, reason=reason)


def inject(text, keep=False):
    """Text for the model's context."""
    return _outcome("inject", value=text, keep=keep or None)


def remind(reminder, keep=False):
    """A reminder for the session's book: {"body": ..., "ttlTurns": ...}."""
    return _outcome("remind", value=reminder, keep=keep or None)


def replace(value):
    """Another value in a transform."""
    return {"kind": "replace", "value": value}


def again(reason=None):
    """finish:before only: the agent goes on instead of finishing."""
    return _outcome("again", reason=reason)


def handled(output=None):
    """command:* only: the command has been dealt with."""
    return _outcome("handled", value=output)


def run_extension(name, hooks, on_start=None, on_stop=None, threads=8):
    """Answers the host's events until it says shutdown or goes away. With threads=0 plain functions run one after the other."""
    output = _take_stdout()
    asyncio.run(_Conversation(name, hooks, on_start, on_stop, threads, output).run())
    sys.stderr.flush()
    # A thread that is stuck in a handler must not keep the process.
    os._exit(0)


def _outcome(kind, **parts):
    return {"kind": kind, **{key: value for key, value in parts.items() if value is not None}}


def _take_stdout():
    """Stdout carries the protocol: whatever is printed goes to stderr instead, also by processes a handler starts."""
    output = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    os.set_blocking(output, True)
    return output


class _Conversation:
    def __init__(self, name, hooks, on_start, on_stop, threads, output):
        self.name, self.hooks, self.on_start, self.on_stop, self.output = name, hooks, on_start, on_stop, output
        self.pool = ThreadPoolExecutor(threads) if threads else None
        self.config = {}
        self.held = b""
        self.framing = None
        self.running = {}

    async def run(self):
        self.loop = asyncio.get_running_loop()
        self.over = self.loop.create_future()
        os.set_blocking(0, False)
        self.loop.add_reader(0, self._readable)
        await self.over
        if self.on_stop is not None:
            await _call(self.on_stop)

    def _readable(self):
        try:
            chunk = os.read(0, 1 << 18)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            return self._finish()
        self.held += chunk
        for frame in self._frames():
            self._read(frame)

    def _frames(self):
        while self.held:
            if self.framing is None:
                self.framing = "newline" if self.held.lstrip().startswith(b"{") else "content-length"
            if self.framing == "newline":
                line, newline, rest = self.held.partition(b"\n")
                if not newline:
                    return
                self.held = rest
                if line.strip():
                    yield line
            else:
                header, end, rest = self.held.partition(b"\r\n\r\n")
                if not end:
                    return
                size = _content_length(header)
                if len(rest) < size:
                    return
                self.held = rest[size:]
                yield rest[:size]

    def _read(self, frame):
        message = json.loads(frame)
        method, request, params = message.get("method"), message.get("id"), message.get("params") or {}
        if method == "hook.handle":
            self._begin(request, params)
        elif method == "initialize":
            self.loop.create_task(self._start(request, params))
        elif method == "cancel":
            task = self.running.pop(params.get("id"), None)
            if task is not None:
                task.cancel()
        elif method == "shutdown":
            self._answer(request, None)
            self._finish()
        elif method is not None and request is not None:
            self._fail(request, METHOD_NOT_FOUND, 'There is no method "%s".' % method)

    async def _start(self, request, params):
        self.config = params.get("config") or {}
        try:
            if self.on_start is not None:
                await _call(self.on_start, {"name": params.get("name"), "config": self.config})
            self._answer(request, {"protocolVersion": PROTOCOL_VERSION, "name": self.name})
        except Exception as error:
            traceback.print_exc()
            self._fail(request, HANDLER_FAILED, _words(error))

    def _begin(self, request, params):
        handler = self._find(params.get("event", ""))
        if handler is None:
            return self._fail(request, METHOD_NOT_FOUND, '"%s" has no handler for "%s".' % (self.name, params.get("event")))
        event = {"value": None, "session": None, "hook": None, **params, "name": params.get("event"), "config": self.config}
        self.running[request] = self.loop.create_task(self._handle(request, handler, event))

    async def _handle(self, request, handler, event):
        try:
            if self.pool is None or inspect.iscoroutinefunction(handler):
                result = handler(event)
            else:
                result = await self.loop.run_in_executor(self.pool, handler, event)
            while inspect.isawaitable(result) or isinstance(result, Future):
                result = await (wrap_future(result) if isinstance(result, Future) else result)
            # An answer the host no longer waits for would count as a failure.
            if self.running.pop(request, None) is not None:
                self._answer(request, result)
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            self.running.pop(request, None)
            traceback.print_exc()
            self._fail(request, HANDLER_FAILED, _words(error))

    def _find(self, event):
        if event in self.hooks:
            return self.hooks[event]
        namespace = event.partition(":")[0] + ":*"
        return self.hooks.get(namespace) or self.hooks.get("*")

    def _answer(self, request, result):
        try:
            text = json.dumps({"jsonrpc": "2.0", "id": request, "result": result}, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            text = json.dumps({"jsonrpc": "2.0", "id": request, "result": _without_json(result, error)})
        self._send(text)

    def _fail(self, request, code, message):
        self._send(json.dumps({"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}}))

    def _send(self, text):
        data = text.encode("utf-8")
        data = data + b"\n" if self.framing != "content-length" else b"Content-Length: %d\r\n\r\n%s" % (len(data), data)
        try:
            while data:
                data = data[os.write(self.output, data):]
        except OSError:
            self._finish()

    def _finish(self):
        self.loop.remove_reader(0)
        for task in self.running.values():
            task.cancel()
        if not self.over.done():
            self.over.set_result(None)


def _without_json(result, error):
    """What the host is told in place of an answer that is no JSON: sent as nothing, it would let the call run."""
    if isinstance(result, BaseException):
        return _unread("it returned an exception instead of raising it: " + _words(result))
    if isinstance(result, (dict, list, tuple)):
        return _unread("it is no JSON: " + _words(error))
    return {"kind": "unread", "code": "HL_OUTCOME_NOT_ALLOWED", "what": "a " + type(result).__name__}


def _unread(reason):
    return {"kind": "unread", "code": "HL_INVALID_VERDICT", "failure": "invalid_verdict", "reason": reason}


def _content_length(header):
    for line in header.split(b"\r\n"):
        key, _, value = line.partition(b":")
        if key.strip().lower() == b"content-length":
            return int(value)
    raise ValueError("a header without Content-Length")


async def _call(function, *arguments):
    result = function(*arguments)
    if inspect.isawaitable(result):
        await result


def _words(error):
    return "%s: %s" % (type(error).__name__, error)
