"""Builds the package with the standard library alone (PEP 517 and 660), so that `pip install` needs no index."""

from __future__ import annotations

import ast
import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile
from typing import Any, Dict, Iterator, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "src")
# A wheel of the same files is the same bytes.
STAMP = (1980, 1, 1, 0, 0, 0)

Files = Iterator[Tuple[str, bytes]]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    return _write_wheel(wheel_directory, _package())


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    return _write_wheel(wheel_directory, iter([("__editable__.hookline.pth", SOURCE.encode() + b"\n")]))


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    with tarfile.open(os.path.join(sdist_directory, f"{stem}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in _sources(project):
            info = tarfile.TarInfo(f"{stem}/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return f"{stem}.tar.gz"


def _write_wheel(folder: str, files: Files) -> str:
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    about = f"{stem}.dist-info"
    record = []
    with zipfile.ZipFile(os.path.join(folder, f"{stem}-py3-none-any.whl"), "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(name: str, content: bytes) -> None:
            info = zipfile.ZipInfo(name, STAMP)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            wheel.writestr(info, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")

        for name, content in files:
            add(name, content)
        add(f"{about}/METADATA", _metadata(project))
        add(f"{about}/WHEEL", b"Wheel-Version: 1.0\nGenerator: hookline_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        add(f"{about}/RECORD", ("".join(record) + f"{about}/RECORD,,\n").encode())
    return f"{stem}-py3-none-any.whl"


def _sources(project: Dict[str, Any]) -> Files:
    yield "PKG-INFO", _metadata(project)
    for name in ("pyproject.toml", project["readme"], "backend/hookline_build.py"):
        yield name, _read(os.path.join(ROOT, name))
    for name, content in _package():
        yield f"src/{name}", content


def _package() -> Files:
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = sorted(name for name in folders if name.isidentifier() and name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith((".py", ".json")) or name == "py.typed":
                yield os.path.relpath(path, SOURCE).replace(os.sep, "/"), _read(path)


def _metadata(project: Dict[str, Any]) -> bytes:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']}",
        f"Keywords: {','.join(project['keywords'])}",
        *[f"Classifier: {classifier}" for classifier in project["classifiers"]],
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines).encode() + b"\n\n" + _read(os.path.join(ROOT, project["readme"]))


def _project() -> Dict[str, Any]:
    """The table `[project]`. Python has a parser of TOML only since 3.11; texts and lists of texts are written as in Python."""
    text = _read(os.path.join(ROOT, "pyproject.toml")).decode()
    table = re.split(r"^\[", text.split("\n[project]\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    entries = re.findall(r'^([\w-]+) = ("[^\n]*"|\[.*?\])$', table, re.MULTILINE | re.DOTALL)
    return {key: ast.literal_eval(value) for key, value in entries}


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
