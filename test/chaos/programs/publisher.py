"""Emits what the oracle says, durably, until it is told to stop: publisher.py <PublisherSettings as JSON>. Speaks the channel of Node's child processes."""

import json
import os
import socket
import sys
import threading
import time

import hookline

MASK = 0xFFFFFFFF
EVENTS = ["message:delta", "tool:progress", "agent:step", "agent:step", "myapp:noted", "session:start"]
WORDS = ["hook", "line", "sinker", "größer", "日本", "🪝", 'say "so"', "back\\slash", "tab\tstop", "line\nend", "\u2028", "null", "</script>"]


class Random:
    """The same numbers as `createRandom` of test/faults/oracle.ts. If they differ, the judge finds every payload changed."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x6D2B79F5) & MASK
        mixed = ((self.state ^ (self.state >> 15)) * (self.state | 1)) & MASK
        mixed ^= (mixed + (mixed ^ (mixed >> 7)) * (mixed | 61)) & MASK
        return (mixed ^ (mixed >> 14)) / 4294967296

    def between(self, low, high):
        return low + int(self.next() * (high - low + 1))

    def pick(self, values):
        return values[int(self.next() * len(values))]


def sending_at(name, seed, index):
    random = Random(seed ^ (((index + 1) * 0x9E3779B1) & MASK))
    text = " ".join([random.pick(WORDS) for _ in range(random.between(1, 24))])
    event = random.pick(EVENTS)
    payload = {"key": f"{name}#{index}", "session": {"id": f"{name}-{index % 3}"}, "text": text, "size": random.between(0, 2**31)}
    return event, payload


settings = json.loads(sys.argv[1])
channel = socket.socket(fileno=int(os.environ["NODE_CHANNEL_FD"]))
client = hookline.connect(settings["name"], durable=True, on_error=lambda error: None)
progress = os.open(settings["progress"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
random = Random(settings["seed"])
emitting = threading.Lock()
emitted = 0
is_going = False


def emit_one():
    global emitted
    with emitting:
        event, payload = sending_at(settings["name"], settings["seed"], emitted)
        client.emit(event, payload)
        emitted += 1
        # All that returned are owed: it is durable.
        os.pwrite(progress, str(emitted).ljust(12).encode() + b"0".ljust(12), 0)


def emit_on():
    while True:
        if is_going:
            for _ in range(random.between(1, settings["burst"] * 2)):
                emit_one()
        time.sleep(settings["everyMs"] / 1000)


def counters():
    found = client.counters
    row = {key: getattr(found, key) for key in ("accepted", "acked", "pending", "spooled", "seq", "reconnects")}
    return {**row, "dropped": dict(found.dropped)}


def answer(question, details):
    global is_going
    if question == "go":
        is_going = True
        return None
    if question == "counters":
        return {"emitted": emitted, "counters": counters()}
    is_going = False
    if question == "fresh":
        with emitting:
            index = emitted
        emit_one()
        return {"index": index, "isFlushed": client.flush(60)}
    if question == "stop":
        with emitting:
            pass
        client.flush(details["flushMs"] / 1000)
        return {"emitted": emitted, "counters": counters()}
    raise AssertionError(question)


def say(message):
    channel.sendall(json.dumps(message).encode() + b"\n")


threading.Thread(target=emit_on, daemon=True).start()
say({"id": 0, "result": {}})
for line in channel.makefile("r", encoding="utf-8"):
    message = json.loads(line)
    if "do" not in message:
        continue
    try:
        say({"id": message["id"], "result": answer(message["do"], message)})
    except Exception as error:
        say({"id": message["id"], "error": repr(error)})
os._exit(0)
