"""Runs the handler.py of a hook folder in one long-lived process. Started by the host: python3 hookline_runner.py <folder> [dialect]

A handler is `handle(event_type, context)`, a plain function or an `async def`. Plain functions run one after the other in the
main thread, as the hooks of such folders always have; asynchronous ones run side by side.
"""

import hashlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import sys

from hookline_extension import run_extension

# All that Hermes reads of an answer. Of the first two only text counts; it makes text of the others.
HERMES_TEXTS = ("message", "reason")
HERMES_WORDS = ("decision", "command_name", "raw_args", "session_id")


def checked_loaders(checked):
    """Loaders that take a file of the hook only with the hash that was accepted. A file that was exchanged after the check never runs."""
    root = os.path.realpath(checked["root"])
    hashes = {}
    for name, digest in checked["hashes"].items():
        path = os.path.join(root, name)
        hashes[path] = hashes[os.path.realpath(path)] = digest

    class Checked:
        def get_data(self, path):
            data = super().get_data(path)
            real = os.path.realpath(path)
            if real not in hashes and not real.startswith(root + os.sep):
                return data
            if hashes.get(real) != hashlib.sha256(data).hexdigest():
                raise OSError('The file "%s" is not as it was when it was accepted, so it was not loaded.' % path)
            return data

    class Source(Checked, importlib.machinery.SourceFileLoader):
        pass

    class Sourceless(Checked, importlib.machinery.SourcelessFileLoader):
        pass

    return Source, Sourceless


def load(folder, checked):
    path = os.path.join(folder, "handler.py")
    loader = None
    if "hashes" in checked:
        source, sourceless = checked_loaders(checked)
        loader = source("hookline_handler", path)
        finder = importlib.machinery.FileFinder.path_hook(
            (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
            (source, importlib.machinery.SOURCE_SUFFIXES),
            (sourceless, importlib.machinery.BYTECODE_SUFFIXES),
        )
        sys.path_hooks.insert(0, finder)
        sys.path_importer_cache.clear()
    spec = importlib.util.spec_from_file_location("hookline_handler", path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["hookline_handler"] = module
    spec.loader.exec_module(module)
    handle = getattr(module, "handle", None)
    if not callable(handle):
        raise AttributeError("handler.py has no function handle(event_type, context)")
    return handle


def main(folder, dialect="own"):
    state = {}

    def start(params):
        # Here and not before: what goes wrong in it is then the answer to initialize.
        state["handle"] = load(folder, params["config"])

    def answer(event):
        result = state["handle"](event["name"], context_of(event))
        if dialect != "hermes":
            return result
        return hermes_later(result) if inspect.isawaitable(result) else hermes_answer(result)

    run_extension(os.path.basename(os.path.abspath(folder)), {"*": answer}, on_start=start, threads=0)


def context_of(event):
    payload = event.get("payload")
    context = dict(payload) if isinstance(payload, dict) else {"value": payload}
    session = event.get("session")
    if isinstance(session, dict) and "id" in session:
        context.setdefault("session_id", session["id"])
    if event.get("value") is not None:
        context.setdefault("value", event["value"])
    return context


async def hermes_later(pending):
    return hermes_answer(await pending)


def hermes_answer(result):
    """What Hermes would look at, as it would see it, and the rest for the host to judge if the hook is closed."""
    if not isinstance(result, dict):
        return {"no answer in Hermes": True} if isinstance(result, (list, tuple)) else result
    texts = {key: result[key] for key in HERMES_TEXTS if isinstance(result.get(key), str)}
    words = {key: str(result[key]) for key in HERMES_WORDS if result.get(key) is not None}
    return {**json_in(result), **texts, **words}


def json_in(result):
    try:
        # With a kind, it would be an outcome of ours.
        rest = {key: value for key, value in result.items() if key not in (*HERMES_TEXTS, *HERMES_WORDS, "kind")}
        return json.loads(json.dumps(rest, default=str, skipkeys=True, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return {"no JSON": True}


main(*sys.argv[1:])
