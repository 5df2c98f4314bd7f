"""Does what the conformance suite tells it, with the Python client: a JSON command a line on stdin, a JSON answer a line on stdout."""

import json
import math
import os
import signal
import sys
import threading

import hookline

output = threading.Lock()
errors = []
client = None

NAMES = {
    "durable": "durable",
    "queueCount": "queue_count",
    "maxPayloadBytes": "max_payload_bytes",
    "maxSpoolBytes": "max_spool_bytes",
    "gateEvents": "gate_events",
    "gateTimeoutMs": "gate_timeout_ms",
    "redact": "redact",
    "events": "events",
    "askTimeoutMs": "ask_timeout_ms",
    "folder": "folder",
}


def say(answer):
    with output:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def special(kind):
    """Values that JSON cannot name."""
    if kind == "cycle":
        value = {}
        value["self"] = value
        return value
    if kind == "deep":
        value = "end"
        for _ in range(70):
            value = [value]
        return value
    return {
        "nan": math.nan,
        "bytes": b"abc",
        "big": 2**60,
        "surrogate": "a\ud800b",
        "function": special,
        "long": "x" * 400_000,
        "huge": "x" * 5_000_000,
        "wide": {str(n): n for n in range(200)},
    }[kind]


def built(value, index=0):
    if isinstance(value, dict):
        if "$special" in value:
            return special(value["$special"])
        return {key: built(member, index) for key, member in value.items()}
    if isinstance(value, list):
        return [built(member, index) for member in value]
    return index if value == "$n" else value


def decision(found):
    row = {"verdict": found.verdict, "allowed": found.allowed, "modified": found.modified, "payload": found.payload}
    row.update(injections=found.injections, reminders=found.reminders, endLoop=found.end_loop)
    row.update({key: getattr(found, key) for key in ("reason", "by", "cause") if getattr(found, key) is not None})
    return row


def do(command):
    global client
    what = command["do"]
    if what == "start":
        options = {NAMES[key]: value for key, value in command.get("options", {}).items()}
        client = hookline.connect(command["source"], on_error=lambda error: errors.append(error.code), **options)
        return {"instance": client.instance, "state": client.state}
    if what == "emit":
        for index in range(command.get("times", 1)):
            payload = built(command.get("payload", {}), index)
            client.emit(command["event"], payload, session=command.get("session"))
        return {}
    if what == "decide":
        return decision(client.decide(command["event"], built(command.get("payload")), session=command.get("session")))
    if what == "transform":
        context = built(command.get("context", {}))
        found = client.transform(command["event"], built(command["value"]), context, session=command.get("session"))
        return {"value": found.value, "injections": found.injections}
    if what == "flush":
        return {"isSettled": client.flush(command.get("seconds", 20))}
    if what == "look":
        counters = client.counters
        row = {key: getattr(counters, key) for key in ("accepted", "acked", "pending", "spooled", "seq", "reconnects")}
        gates = {key: getattr(counters.gates, key) for key in ("asked", "answered", "failed", "stray")}
        return {"state": client.state, "errors": errors, "counters": {**row, "dropped": dict(counters.dropped), "gates": gates}}
    if what == "close":
        client.close()
        return {}
    raise AssertionError(what)


def handle(command):
    try:
        say({"id": command["id"], "result": do(command)})
    except hookline.HookError as error:
        say({"id": command["id"], "error": error.code})
    except Exception as error:
        say({"id": command["id"], "error": repr(error)})


for line in sys.stdin:
    command = json.loads(line)
    if command["do"] == "end":
        how = command["how"]
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif how == "term":
            os.kill(os.getpid(), signal.SIGTERM)
            threading.Event().wait(10)
        elif how == "exception":
            raise RuntimeError("nobody catches this")
        sys.exit(7 if how == "exit" else 0)
    if command["do"] in ("decide", "transform", "flush"):
        threading.Thread(target=handle, args=(command,), daemon=True).start()
    else:
        handle(command)
