"""Entries are verified, bounded, and safe in several processes; what is kept never changes an answer."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scopec.base import grammars
from scopec.base.cache import Cache, key, make_private, user_cache
from tests.conftest import REPOSITORY

LITMUS = """C SB
{}
P0(atomic_int* x, atomic_int* y) { atomic_store_explicit(x, 1, memory_order_relaxed); int r = atomic_load(y); }
P1(atomic_int* x, atomic_int* y) { atomic_store_explicit(y, 1, memory_order_relaxed); int r = atomic_load(x); }
exists (0:r = 0 /\\ 1:r = 0)
"""


def private(folder: Path) -> Path:
    make_private(folder)
    return folder


def test_an_entry_is_what_was_put(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", 1000, b"s")
    assert cache.get("k") is None
    cache.put("k", b"one")
    cache.put("k", b"two")
    assert cache.get("k") == b"two"
    assert cache.get("other") is None


@pytest.mark.parametrize("damage", [b"", b"x", b"y" * 500])
def test_a_damaged_entry_is_none_and_is_replaced(damage: bytes, tmp_path: Path) -> None:
    cache = Cache(private(tmp_path), 1000, b"s")
    cache.put("k", b"content")
    (tmp_path / "k").write_bytes(damage)
    assert cache.get("k") is None
    assert not (tmp_path / "k").exists()
    cache.put("k", b"content")
    whole = (tmp_path / "k").read_bytes()
    (tmp_path / "k").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert cache.get("k") is None


def test_an_entry_under_another_name_is_none(tmp_path: Path) -> None:
    cache = Cache(private(tmp_path), 1000, b"s")
    cache.put("k", b"content")
    (tmp_path / "k").rename(tmp_path / "other")
    assert cache.get("other") is None


def test_what_was_used_longest_ago_makes_room(tmp_path: Path) -> None:
    cache = Cache(private(tmp_path), 3 * (100 + 32), b"s")
    for number in range(3):
        cache.put(str(number), bytes(100))
        os.utime(tmp_path / str(number), (number, number))
    assert cache.get("0") is not None
    cache.put("3", bytes(100))
    assert [cache.get(str(n)) is not None for n in range(4)] == [True, False, True, True]
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) <= cache.most_bytes


def test_a_folder_that_cannot_be_used_is_empty(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "c", 1000, b"s")
    cache.put("k", b"content")
    assert cache.get("k") is None


def test_others_folders_are_not_used(tmp_path: Path) -> None:
    cache = Cache(private(tmp_path), 1000, b"s")
    cache.put("k", b"content")
    tmp_path.chmod(0o755)
    assert cache.get("k") is None
    cache.put("other", b"content")  # it is the user's, who closes it
    assert tmp_path.stat().st_mode & 0o777 == 0o700
    assert cache.get("k") == b"content"
    elsewhere = tmp_path.parent / f"{tmp_path.name}-link"
    elsewhere.symlink_to(tmp_path)
    assert Cache(elsewhere, 1000, b"s").get("k") is None


def test_an_entry_made_under_another_key_is_none(tmp_path: Path) -> None:
    Cache(private(tmp_path), 1000, b"one").put("k", b"content")
    assert Cache(tmp_path, 1000, b"two").get("k") is None
    nothing = Cache(tmp_path, 1000, None)
    nothing.put("k", b"content")
    assert nothing.get("k") is None


def test_the_users_key_is_made_once_and_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    secret = user_cache("c", 1000).secret
    assert secret is not None
    assert user_cache("c", 1000).secret == secret
    (file,) = (tmp_path / "state" / "scopec").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    assert user_cache("c", 1000).secret is None


def test_keys_tell_their_parts_apart() -> None:
    assert len({key("ab", "c"), key("a", "bc"), key("abc"), key("abc", ""), key("", "abc")}) == 5


WRITER = """
import sys
from pathlib import Path
from scopec.base.cache import Cache
cache = Cache(Path(sys.argv[1]), 4000, b"s")
for turn in range(200):
    for k in "abcdefgh":
        found = cache.get(k)
        assert found is None or found == k.encode() * 700, found
        cache.put(k, k.encode() * 700)
"""


@pytest.mark.sampled(0)
def test_processes_share_one(tmp_path: Path) -> None:
    """They replace and remove each other's entries; each sees whole entries only, and nothing is left behind."""
    command = [sys.executable, "-c", WRITER, str(private(tmp_path))]
    for process in [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]:
        _, complaint = process.communicate(timeout=120)
        assert process.returncode == 0, complaint
    left = [p for p in tmp_path.iterdir() if p.name.startswith(".")]
    assert left == []
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) <= 4000 + 4 * 732


def test_an_abandoned_file_is_removed(tmp_path: Path) -> None:
    cache = Cache(private(tmp_path), 1000, b"s")
    (tmp_path / ".k.1.2").write_bytes(b"half")
    hours_ago = time.time() - 7200
    os.utime(tmp_path / ".k.1.2", (hours_ago, hours_ago))
    (tmp_path / ".k.1.3").write_bytes(b"being written")
    cache.put("k", b"content")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".k.1.3", "k"]


def test_tables_that_were_written_parse_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "let a = [W & SC] ; po+\nacyclic a | rf as first\n"

    def parsed() -> tuple[object, object]:
        nodes = grammars.parser("cat").parse(text, "start")
        assert nodes is not None
        return [(n.rule, n.start_pos, n.end_pos) for n in nodes], grammars.lark_parser("cat").parse(text)

    shipped = parsed()
    monkeypatch.setattr(grammars, "_TABLES", tmp_path)
    assert parsed() == shipped  # computed
    files = {file.name: file for file in grammars.write_tables()}
    names = {p.stem for p in (REPOSITORY / "grammar").glob("*.lark")}
    assert set(files) == {f"{name}.{kind}.json" for name in names for kind in ("small", "lark")}
    assert parsed() == shipped
    for kind in ("small", "lark"):
        file = files[f"cat.{kind}.json"]
        before = file.stat().st_mtime_ns
        grammars.write_tables()
        assert file.stat().st_mtime_ns == before
        file.write_text(files[f"litmus.{kind}.json"].read_text())
        assert parsed() == shipped
        file.write_text("damaged")
        assert parsed() == shipped
