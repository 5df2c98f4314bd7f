"""What a state folder says of a hub: `hub.json` (where it is) and `gates.json` (what it guards)."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Dict, Optional, Tuple, Union

from ._machine import Untrusted, read_private

HUB_FILE = "hub.json"
GATES_FILE = "gates.json"
_MODES = ("open", "closed", "abort")
_ORIGIN = re.compile(r"http://(\[::1\]|127(?:\.\d{1,3}){3})(?::([1-9]\d{0,4}))?/?", re.ASCII)
_TOKEN = re.compile(r"[\w.~+/-]{16,1024}={0,2}", re.ASCII)
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z", re.ASCII)
_INSTANCE = re.compile(r"[\w.:-]{1,128}", re.ASCII)


@dataclass(frozen=True)
class HubFile:
    line: str
    token: str
    instance: str


@dataclass(frozen=True)
class Gate:
    event: str
    timeout_ms: float
    on_failure: str


@dataclass(frozen=True)
class Sighting:
    #: Nothing where the folder has no such file.
    hub: Union[None, HubFile, Untrusted]
    gates: Union[None, Tuple[Gate, ...], Untrusted]


def sight_hub(folder: str) -> Sighting:
    """Looks at both files. Never raises."""
    found = Sighting(read_hub_file(folder), _read_gates(folder))
    if isinstance(found.hub, HubFile) and found.gates is None:
        # A hub writes its gates first and removes them last: it may have gone between the two looks.
        return Sighting(read_hub_file(folder), _read_gates(folder))
    return found


def signature(folder: str) -> Tuple[Any, ...]:
    """Differs when either file may have changed."""
    return tuple(_stamp(path) for path in (folder, os.path.join(folder, HUB_FILE), os.path.join(folder, GATES_FILE)))


def read_hub_file(folder: str) -> Union[None, HubFile, Untrusted]:
    data = read_private(folder, HUB_FILE, 65_536)
    if data is None or isinstance(data, Untrusted):
        return data
    try:
        row = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return Untrusted("broken", "it is not JSON in UTF-8")
    if not isinstance(row, dict):
        return Untrusted("broken", "it is not a JSON object")
    for name, test in _FIELDS.items():
        if name not in row:
            return Untrusted("broken", f'"{name}" is missing')
        if not test(row[name]):
            # Without the value: a token may stand in the wrong place.
            return Untrusted("broken", f'"{name}" is not what a hub writes')
    return HubFile(row["line"], row["token"], row["instance"])


def _read_gates(folder: str) -> Union[None, Tuple[Gate, ...], Untrusted]:
    data = read_private(folder, GATES_FILE, 1024 * 1024)
    if data is None or isinstance(data, Untrusted):
        return data
    try:
        row = json.loads(data.decode("utf-8"))
        if row["v"] != 1 or not isinstance(row["instance"], str) or not isinstance(row["gates"], list):
            raise ValueError
        gates = [read_gate(entry) for entry in row["gates"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return Untrusted("broken", "it is not what a hub writes")
    if any(gate is None for gate in gates):
        return Untrusted("broken", "it is not what a hub writes")
    return tuple(gate for gate in gates if gate is not None)


def read_gate(value: Any) -> Optional[Gate]:
    if not isinstance(value, dict):
        return None
    event, limit, mode = value.get("event"), value.get("timeoutMs"), value.get("onFailure")
    is_limit = isinstance(limit, (int, float)) and not isinstance(limit, bool) and limit > 0
    if not isinstance(event, str) or not is_limit or mode not in _MODES:
        return None
    return Gate(event, float(limit), str(mode))  # type: ignore[arg-type]


def _is_origin(value: Any) -> bool:
    found = _matches(_ORIGIN, value)
    if found is None or int(found.group(2) or 80) > 65_535:
        return False
    try:
        ipaddress.ip_address(found.group(1).strip("[]"))
        return True
    except ValueError:
        return False


def _is_socket_path(value: Any) -> bool:
    return isinstance(value, str) and os.path.isabs(value) and len(value) <= 4_096 and value.isprintable()


def _is_time(value: Any) -> bool:
    found = _matches(_TIME, value)
    try:
        return found is not None and datetime.strptime(found.group(1), "%Y-%m-%dT%H:%M:%S") is not None
    except ValueError:
        return False


def _is_pid(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31


def _matches(pattern: "re.Pattern[str]", value: Any) -> "Optional[re.Match[str]]":
    return pattern.fullmatch(value) if isinstance(value, str) else None


_FIELDS: Dict[str, Callable[[Any], bool]] = {
    "url": _is_origin,
    "line": _is_socket_path,
    "http": _is_socket_path,
    "token": lambda value: _matches(_TOKEN, value) is not None,
    "pid": _is_pid,
    "startedAt": _is_time,
    "instance": lambda value: _matches(_INSTANCE, value) is not None,
}


def _stamp(path: str) -> Tuple[int, ...]:
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    return (found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_mode, found.st_uid)


def this_host() -> str:
    try:
        return os.uname().nodename
    except AttributeError:
        return sys.platform
