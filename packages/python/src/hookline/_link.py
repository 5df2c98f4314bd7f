"""One connection to a hub: the socket, its lines, and the handshake.

Nothing but a random number goes to a peer that has not proved itself.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import os
import secrets
import socket
import time
from typing import Any, Dict, List, Optional

from ._json import dumps
from ._machine import check_socket_path
from ._sighting import HubFile
from .errors import HookError

CONNECTION_VERSION = 1
MAX_LINE_BYTES = 4 * 1024 * 1024
#: How long the other side has to prove itself, and then to take us.
STEP_S = 5.0
_MAX_DEPTH = 72


def prove(token: str, who: str, instance: str, nonce: str) -> str:
    """Shows that one knows the token without saying it."""
    text = f"hookline {CONNECTION_VERSION} {who} {instance} {nonce}"
    return hmac.new(token.encode(), text.encode(), hashlib.sha256).hexdigest()


class LinkLost(Exception):
    """`why` is without a full stop; `error` is what to report."""

    def __init__(self, error: HookError, why: str) -> None:
        super().__init__(why)
        self.error = error
        self.why = why


def unreachable(where: str, why: str) -> LinkLost:
    message = f'No connection to the hub on "{where}": {why}. Events wait.'
    return LinkLost(HookError("HL_HUB_UNREACHABLE", message, fix="Run: hookline status", failure="crash"), why)


class Link:
    """Used by one thread; only `write` may be called by others, under the lock of the connection."""

    def __init__(self, file: HubFile, login: Dict[str, Any]) -> None:
        self.file = file
        self.bye: Optional[str] = None
        self.is_up = False
        self.dialled_at = time.monotonic()
        self._login = login
        self._nonce = secrets.token_hex(24)
        self._step = "hello"
        self.step_ends_at = self.dialled_at + STEP_S
        self._held = bytearray()
        self._out = bytearray()
        self._taken = -1
        self._sent = 0
        check_socket_path(file.line)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.setblocking(False)
            self.socket.connect(file.line)
        except OSError as error:
            self.socket.close()
            raise unreachable(file.line, _why_lost(file.line, error)) from error
        self._say({"type": "hello", "v": CONNECTION_VERSION, "nonce": self._nonce})

    @property
    def unwritten(self) -> int:
        """Bytes that the kernel has not taken yet."""
        return len(self._out)

    def is_stuck(self) -> bool:
        """Whether the kernel has taken nothing since the last look, though something waits."""
        is_stuck = len(self._out) > 0 and self._taken == self._sent
        self._taken = self._sent
        return is_stuck

    def write(self, data: bytes) -> None:
        """Sends at once what the kernel takes, and keeps the rest. A lost connection shows when it is read."""
        self._out += data
        self.drain()

    def drain(self) -> None:
        while self._out:
            try:
                count = self.socket.send(self._out[:262_144])
            except BlockingIOError:
                return
            except OSError:
                self._out.clear()
                return
            self._sent += count
            del self._out[:count]

    def read(self) -> List[Dict[str, Any]]:
        """The frames that have come since the handshake. Raises `LinkLost`."""
        try:
            data = self.socket.recv(262_144)
        except BlockingIOError:
            return []
        except OSError as error:
            raise unreachable(self.file.line, error.strerror or str(error)) from error
        if not data:
            raise unreachable(self.file.line, "the hub closed the connection")
        frames = []
        self._held += data
        while True:
            end = self._held.find(b"\n")
            if end < 0:
                break
            line = bytes(self._held[:end])
            del self._held[: end + 1]
            frame = self._parse(line)
            if self._step == "up":
                frames.append(frame)
            else:
                self._shake(frame)
                if self.is_up:
                    # The first frame of an open line says what the hub guards.
                    frames.append(frame)
        if len(self._held) > MAX_LINE_BYTES:
            raise self._strange("sent a line that is not a frame (oversize)")
        return frames

    def check_step(self, now: float) -> None:
        if self.is_up or now < self.step_ends_at:
            return
        if self._step == "hello":
            raise self._unproven(f"has not proved itself for {int(STEP_S * 1000)} ms")
        raise unreachable(self.file.line, f"the hub did not take us within {int(STEP_S * 1000)} ms")

    def close(self) -> None:
        self.is_up = False
        self.socket.close()

    def _say(self, frame: Dict[str, Any]) -> None:
        self.write(dumps(frame).encode() + b"\n")

    def _parse(self, line: bytes) -> Dict[str, Any]:
        try:
            frame = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            raise self._strange("sent a line that is not a frame (not_json)") from None
        if not isinstance(frame, dict):
            raise self._strange("sent a line that is not a frame (not_object)")
        if not _is_within(frame, _MAX_DEPTH):
            raise self._strange("sent a line that is not a frame (too_deep)")
        if frame.get("type") == "bye":
            self.bye = str(frame.get("reason"))[:40]
            if self.bye == "name":
                raise unreachable(
                    self.file.line,
                    "the hub refuses this name, which looks like that of an agent or of the hub, or has invisible characters",
                )
            raise unreachable(self.file.line, f"the hub said goodbye ({self.bye})")
        return frame

    def _shake(self, frame: Dict[str, Any]) -> None:
        file = self.file
        if self._step == "hello":
            nonce, proof = frame.get("nonce"), frame.get("proof")
            is_proof = frame.get("type") == "proof" and frame.get("instance") == file.instance
            if not is_proof or not isinstance(nonce, str) or len(nonce) > 256 or not isinstance(proof, str):
                raise self._unproven("gave no proof")
            expected = prove(file.token, "hub", file.instance, self._nonce)
            if not hmac.compare_digest(proof.encode("utf-8", "replace"), expected.encode()):
                raise self._unproven("gave a wrong proof")
            self._step = "login"
            self.step_ends_at = time.monotonic() + STEP_S
            self._say({"type": "login", "proof": prove(file.token, "client", file.instance, nonce), **self._login, **_working_folder()})
            return
        if frame.get("type") != "welcome" or frame.get("instance") != file.instance:
            raise unreachable(file.line, "the hub answered the login with something else")
        self._step = "up"
        self.is_up = True

    def _strange(self, how: str) -> LinkLost:
        return self._unproven(how) if self._step == "hello" else unreachable(self.file.line, f"the hub {how}")

    def _unproven(self, how: str) -> LinkLost:
        why = f'the process that listens on "{self.file.line}" {how}'
        message = f"No event goes to the hub, because {why}."
        return LinkLost(HookError("HL_HUB_UNPROVEN", message, fix="Run: hookline status", failure="untrusted"), why)


def _is_within(value: Any, depth: int) -> bool:
    if isinstance(value, dict):
        members = list(value.values())
    elif isinstance(value, list):
        members = value
    else:
        return True
    return depth > 0 and all(_is_within(member, depth - 1) for member in members)


def _working_folder() -> Dict[str, str]:
    try:
        return {"cwd": os.getcwd()}
    except OSError:
        return {}


def _why_lost(path: str, error: OSError) -> str:
    if error.errno == errno.ECONNREFUSED:
        return f'no process listens on "{path}"'
    if error.errno in (errno.EACCES, errno.EPERM):
        return f'this user may not open "{path}"'
    if error.errno == errno.ENOENT:
        where = os.path.dirname(path)
        return f'"{path}" does not exist. In a container, mount the folder "{where}" at the same path; elsewhere the hub was killed'
    return error.strerror or str(error)
