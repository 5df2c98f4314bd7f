"""Hookline for Python: sends an agent's events to the hub of this machine, and asks the hub's guards before its tools run.

    import hookline

    hookline.connect("my-agent")

    @hookline.guard
    def send_mail(to: str, text: str) -> str: ...

See docs/python.md. Pure standard library, Python 3.9 and later, on Linux and macOS.
"""

from .client import Client, connect, get_client, set_client
from .errors import Blocked, HookError
from .guard import guard
from .reminders import ReminderBook
from .types import Counters, Decision, GateCounters, ToolRun, Transformed

__version__ = "0.1.0"

__all__ = [
    "Blocked",
    "Client",
    "Counters",
    "Decision",
    "GateCounters",
    "HookError",
    "ReminderBook",
    "ToolRun",
    "Transformed",
    "connect",
    "get_client",
    "guard",
    "set_client",
]
