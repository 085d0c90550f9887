"""Files that are a part of another file, which declares what they use."""

from __future__ import annotations

from pathlib import Path

from scopec.frontends.clang.headers import INCLUDE

#: Files that include others, by their suffixes, and how many of a folder are looked at.
_SUFFIXES = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp")
_MOST_FILES, _MOST_BYTES = 200, 1 << 20


def including(file: Path) -> Path | None:
    """A file of the same folder that includes this one, by its name in quotes."""
    try:
        others = sorted(other for other in file.parent.iterdir() if other.suffix in _SUFFIXES)
        texts = ((other, _text(other)) for other in others[:_MOST_FILES] if other.name != file.name)
        return next((other for other, text in texts if _includes(text, file.name)), None)
    except OSError:
        return None


def _text(file: Path) -> str:
    if not file.is_file() or file.stat().st_size > _MOST_BYTES:
        return ""
    return file.read_text(encoding="utf-8", errors="replace")


def _includes(text: str, name: str) -> bool:
    return any(include[1] in (name, f"./{name}") for include in INCLUDE.finditer(text))
