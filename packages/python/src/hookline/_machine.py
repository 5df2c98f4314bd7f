"""What is private to this machine and user: the state folder, and whom its files may belong to."""

from __future__ import annotations

import json
import os
import stat
import sys
from dataclasses import dataclass
from typing import Iterator, Mapping, Optional, Tuple, Union

from .errors import HookError

MANAGED_FILE = "/etc/hookline/managed.json"
_OTHERS = 0o077
_OTHERS_WRITE = 0o022
_WORLD_WRITE = 0o002
_MAX_SOCKET_PATH = 107 if sys.platform == "linux" else 103


@dataclass(frozen=True)
class Managed:
    """A hub that runs as a user of its own, for all users of the machine."""

    user: int
    run: str


@dataclass(frozen=True)
class Untrusted:
    """`foreign`: other users can read or change it. `broken`: it cannot be read or understood."""

    state: str
    reason: str


def is_switched_off(env: Mapping[str, str]) -> bool:
    return any(env.get(name, "").strip().lower() in ("0", "false", "no", "off") for name in ("HOOKLINE", "HOOKLINE_FORWARD"))


def hub_folder(env: Mapping[str, str]) -> str:
    """Where the hub's files are: the folder of the managed hub, if this machine has one, else the user's state folder."""
    managed = read_managed()
    return state_folder(env) if managed is None else managed.run


def state_folder(env: Mapping[str, str]) -> str:
    state = env.get("XDG_STATE_HOME", "")
    if os.path.isabs(state) and "\0" not in state:
        return os.path.join(state, "hookline")
    home = env.get("HOME", "")
    if not os.path.isabs(home):
        home = os.path.expanduser("~")
    if not os.path.isabs(home):
        fix = "Set XDG_STATE_HOME to the full path of a folder of your own."
        raise HookError("HL_STATE_FOLDER", "This user has no home folder.", fix=fix)
    return os.path.join(home, ".local", "state", "hookline")


def read_managed() -> Optional[Managed]:
    """The managed hub of this machine. Raises `HL_STATE_FOLDER` if another user than root could have written its file."""
    if not os.path.lexists(MANAGED_FILE):
        return None
    fault = _root_fault(MANAGED_FILE)
    found = None
    if fault is None:
        try:
            with open(MANAGED_FILE, encoding="utf-8") as file:
                row = json.load(file)
            if row.get("v") == 1 and isinstance(row.get("user"), int) and str(row.get("run", "")).startswith("/"):
                found = Managed(row["user"], row["run"])
        except (OSError, ValueError, AttributeError):
            fault = "it cannot be understood"
    if found is not None:
        return found
    message = f'The managed hub is not used, because of "{MANAGED_FILE}": {fault or "it cannot be understood"}.'
    raise HookError("HL_STATE_FOLDER", message, fix="Run: sudo hookline service install --system", failure="untrusted")


def managed_at(folder: str) -> Optional[Managed]:
    """The managed hub, if this folder is its own or below it."""
    managed = read_managed()
    if managed is None:
        return None
    return managed if (os.path.abspath(folder) + os.sep).startswith(managed.run.rstrip("/") + os.sep) else None


def find_folder_fault(path: str) -> Optional[str]:
    """Why a folder must not be trusted."""
    folder = os.path.abspath(path)
    managed = managed_at(folder)
    if managed is not None:
        return _managed_fault(folder, managed)
    for parent in (*_parents(folder), *_parents(os.path.realpath(folder))):
        mode = _mode(parent)
        if mode & _WORLD_WRITE and not mode & stat.S_ISVTX:
            return f'every user can replace it, because every user can write to "{parent}"'
    try:
        found = os.lstat(folder)
    except OSError:
        return "it is not there, or cannot be seen"
    if stat.S_ISLNK(found.st_mode):
        return "it is a symbolic link"
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a folder"
    if found.st_uid != os.geteuid():
        return f"it belongs to user {found.st_uid}"
    return "other users can access it" if found.st_mode & _OTHERS else None


def open_folder(path: str) -> str:
    """Makes the folder for its owner alone if it is not there. Raises `HL_STATE_FOLDER` for one that other users can access."""
    folder = os.path.abspath(path)
    if not os.path.lexists(folder):
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
        except OSError as error:
            raise HookError("HL_STATE_FOLDER", f'The folder "{folder}" cannot be made: {error}.') from error
    fault = find_folder_fault(folder)
    if fault is not None:
        raise HookError("HL_STATE_FOLDER", f'Refused to keep files in "{folder}": {fault}.', failure="untrusted")
    return folder


def read_private(folder: str, name: str, max_bytes: int) -> Union[None, bytes, Untrusted]:
    """A file that only this user (or the managed hub's) can have written; nothing where there is none. No reason quotes the file."""
    path = os.path.join(folder, name)
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):
            return Untrusted("foreign", "it is a symbolic link")
        fault = find_folder_fault(folder)
        if fault is not None:
            return Untrusted("foreign", f'the folder "{folder}" is not to be trusted: {fault}')
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except PermissionError:
        return Untrusted("foreign", "this user may not read it")
    except OSError as error:
        return Untrusted("broken", f"it cannot be read ({error.strerror})")
    try:
        return _read_from(fd, folder, max_bytes)
    except OSError as error:
        return Untrusted("broken", f"it cannot be read ({error.strerror})")
    finally:
        os.close(fd)


def _read_from(fd: int, folder: str, max_bytes: int) -> Union[bytes, Untrusted]:
    found = os.fstat(fd)
    managed = managed_at(folder)
    if not stat.S_ISREG(found.st_mode):
        return Untrusted("broken", "it is not a regular file")
    if found.st_uid != (os.geteuid() if managed is None else managed.user):
        return Untrusted("foreign", f"it belongs to user {found.st_uid}")
    if found.st_mode & (_OTHERS if managed is None else 0o027):
        return Untrusted("foreign", "other users can access it")
    data = b""
    while len(data) <= max_bytes:
        part = os.read(fd, max_bytes + 1 - len(data))
        if not part:
            return data
        data += part
    return Untrusted("broken", f"it is larger than {max_bytes} bytes")


def check_socket_path(path: str) -> None:
    """Raises `HL_UNSAFE_SOCKET` where another user could listen in the hub's place. A path that does not exist yet is safe."""
    folder = os.path.dirname(path)
    managed = managed_at(folder)
    owner = os.getuid() if managed is None else managed.user
    if managed is not None:
        fault = find_folder_fault(folder)
        if fault is not None:
            raise _unsafe(fault)
    else:
        mode, uid = _mode_and_owner(os.path.realpath(folder))
        if mode & _WORLD_WRITE and not mode & stat.S_ISVTX:
            raise _unsafe(f'every user may write to the folder "{folder}"')
        if uid not in (None, owner, 0):
            raise _unsafe(f'the folder "{folder}" belongs to user {uid}')
    try:
        found = os.lstat(path)
    except OSError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise _unsafe(f'"{path}" is not a socket')
    if found.st_uid != owner:
        raise _unsafe(f'"{path}" belongs to user {found.st_uid}')


def is_long_socket_path(path: str) -> bool:
    return len(os.fsencode(path)) > _MAX_SOCKET_PATH


def _managed_fault(folder: str, managed: Managed) -> Optional[str]:
    fault = _root_fault(os.path.dirname(managed.run))
    if fault is not None:
        return fault
    for path in {managed.run, folder}:
        try:
            found = os.lstat(path)
        except OSError:
            return "it is not there, or cannot be seen"
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != managed.user or found.st_mode & (_OTHERS_WRITE | 0o007):
            return f'"{path}" is not a folder that only the hub\'s user ({managed.user}) can write to'
    return None


def _root_fault(path: str) -> Optional[str]:
    """Why a user other than root could change what is at this path."""
    for at in (path, *_parents(path)):
        try:
            found = os.lstat(at)
        except OSError:
            return f'"{at}" does not exist'
        if found.st_uid != 0:
            return f'"{at}" belongs to user {found.st_uid}, not to root'
        if stat.S_ISLNK(found.st_mode):
            return f'"{at}" is a symbolic link'
        if found.st_mode & _OTHERS_WRITE:
            return f'users other than root can write to "{at}"'
    return None


def _parents(path: str) -> Iterator[str]:
    while os.path.dirname(path) != path:
        path = os.path.dirname(path)
        yield path


def _mode(path: str) -> int:
    return _mode_and_owner(path)[0]


def _mode_and_owner(path: str) -> Tuple[int, Optional[int]]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, None
    return found.st_mode, found.st_uid


def _unsafe(why: str) -> HookError:
    message = f"Refused to send events to a socket that another user could answer: {why}."
    return HookError("HL_UNSAFE_SOCKET", message, failure="untrusted")
