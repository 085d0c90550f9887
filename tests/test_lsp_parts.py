"""The parts of the language server that need no editor: directives, places that move, messages, kernels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.files import MOST_BYTES
from scopec.base.options import ATTRIBUTES, OPTIONS
from scopec.base.source import Source
from scopec.frontends.scoped.syntax import syntax_errors
from scopec.lsp import directives, wire
from scopec.lsp.kernels import kernels
from scopec.lsp.scopes import scopes
from scopec.lsp.shifted import shifted
from scopec.session.plan import Overrides, plan_of, source_of
from tests.conftest import REPOSITORY


def names(line: str) -> list[str]:
    return [word.name for word in directives.completions(line)]


def test_directives_are_those_of_the_grammar() -> None:
    """What is completed is what is read: `every` is read before the grammar is."""
    assert set(names("//@ ")) == {*syntax_errors._DIRECTIVES, "every"}
    assert set(names("//@ expect ")) == set(syntax_errors._KINDS)
    grammar = (REPOSITORY / "grammar" / "cuda.lark").read_text()
    for word in (*syntax_errors._DIRECTIVES, *syntax_errors._KINDS):
        assert re.search(rf"[\"(/|]{word}\b", grammar), word


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("int x; //@ ", {"launch", "expect"}),
        ("//@ exp", {"expect"}),
        ("//@ launch k<<<1, 1>>>(); ", {"expect"}),
        ("//@ options ", set(OPTIONS)),
        ("//@ options thin_air = ", set(OPTIONS["thin_air"].values)),
        ("//@ options thin_air =", set(OPTIONS["thin_air"].values)),
        ("//@ given ", set(ATTRIBUTES)),
        ("//@ given device = empty, ", set(ATTRIBUTES)),
        ("//@ bound ", {"unroll"}),
        ("//@ language ", {"scoped", "c++"}),
        ("//@ allow SCP042, ", {"SCP042"}),
        ("//@ expect race_free ", {"when", "under"}),
        ("//@ expect race_free under cuda-v1, ", {"ptx", "cuda-v3"}),
    ],
)
def test_completion(line: str, some: set[str]) -> None:
    assert some <= set(names(line))


@pytest.mark.parametrize(
    "line", ["", "expect ", "// expect ", "//@ launch ", "//@ kernels ", "//@ options nonsense = "]
)
def test_where_nothing_is_completed(line: str) -> None:
    assert names(line) == []


def test_the_meaning_of_a_word() -> None:
    line = "//@ expect race_free; options races = ignore; allow SCP042;"
    for word, part in (
        ("expect", "a check"),
        ("race_free", "no execution has a data race"),
        ("races", "whether"),
        ("SCP042", "barrier"),
    ):
        start, end, said = directives.meaning(line, line.index(word)) or (0, 0, "")
        assert line[start:end] == word
        assert part in said
    assert directives.meaning(line, 0) is None
    assert directives.meaning("race_free", 2) is None


def finding(line: int) -> wire.Finding:
    return wire.Finding(wire.Place("a.cu", line, 0, line, 1), "data-race", "error", "m")


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ("a\nb\nc", "a\nb\nc", [0, 1, 2]),
        ("a\nb\nc", "x\na\nb\nc", [1, 2, 3]),
        ("a\nb\nc", "a\nc", [0, 1]),
        ("a\nb\nc", "a\nx\nc", [0, 2]),
        ("a\nb\nc", "a\nb\nb\nc", [0, 1, 3]),
        ("a\na\na", "a\na", [0, 1]),
        ("a\nb\nc", "", []),
    ],
)
def test_places_move_with_their_lines(old: str, new: str, moved: list[int]) -> None:
    found = [one.place.line for one in shifted(map(finding, range(3)), "a.cu", old, new)]
    assert found == moved
    lines = new.split("\n")
    assert all(line < len(lines) for line in found)


def test_messages_are_lines() -> None:
    place = wire.Place("a.cu", 1, 2, 3, 4)
    fix = wire.Fix("words", (wire.Noted(place, "text"),))
    whole = wire.Finding(place, "c", "warning", "m", (wire.Noted(place, "n"),), fix, "race_free", (place,), True)
    messages: list[wire.Message] = [
        wire.Read(), wire.Verdicts("r", (whole, finding(1)), (wire.Noted(place, "h"),), (), ("k",)), wire.Page("<p>", ""),
        wire.Done((whole,), "f"),
    ]  # fmt: skip
    for message in messages:
        assert wire.message_of(wire.message_line(message)) == message
    question = wire.Question("/a.cu", "text\n", "every", True, "race_free", "run")
    assert wire.question_of(wire.question_line(question)) == question


def test_kernels_are_found_where_they_are_defined() -> None:
    text = """// __global__ void no() {}
__global__ void declared(int*);
template <typename T>
__global__ void __launch_bounds__(32) first(T* a) {
}
namespace n { extern "C" __global__
void second() { first<int><<<1, 1>>>(0); } }
"""
    assert list(kernels(Source("a.cu", text))) == [("first", 3), ("second", 5)]
    assert list(kernels(Source("a.cu", "/* __global__ void k() {}"))) == []


def test_only_the_editor_needs_pygls() -> None:
    """A warm process imports all else, whether pygls is there or not."""
    for path in (REPOSITORY / "scopec").rglob("*.py"):
        needs = re.search(r"^\s*(?:from|import) (?:pygls|lsprotocol)", path.read_text(), re.MULTILINE) is not None
        assert not needs or path.parent.parts[-3:] == ("scopec", "lsp", "editor"), path


def said(text: str, name: str = "a.cu", **overrides: str) -> list[tuple[int, str]]:
    """What is said of the atomics, fences and barriers of a text, by lines from 1."""
    runs = plan_of(Source(name, text), Path(name), Overrides(**overrides)).runs  # type: ignore[arg-type]
    return [(note.place.line + 1, note.text) for run in runs for note in scopes(run)]


SCOPES = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_SCOPE> f;
__global__ void k() {
    f.store(1, cuda::memory_order_relaxed);
    __syncthreads();
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_SCOPE);
}
//@ launch k<<<3, 4>>>();
//@ expect terminates;
"""


@pytest.mark.parametrize(
    ("scope", "included"),
    [
        (
            "block",
            "Block scope includes 4 threads of its own block of `k`; 2 other blocks, other launches and the host are left out.",
        ),
        (
            "device",
            "Device scope includes 12 threads of `k` and those of other launches on its device; the host and other devices are left out.",
        ),
        ("system", "System scope includes every thread, of all devices and of the host."),
    ],
)
def test_whom_a_scope_includes(scope: str, included: str) -> None:
    (store, barrier, fence) = said(SCOPES.replace("SCOPE", scope))
    assert store == (4, f"`stores f = 1 (relaxed, {scope})`: atomic, and it orders nothing else.\n\n{included}")
    assert barrier == (
        5,
        "A barrier of the 4 threads of a block: what one did before it comes before what another does after it.",
    )
    assert fence[0] == 6
    assert f"\n\n{included}\n\nTo synchronise, each one's scope includes the other's thread." in fence[1]


def test_a_model_with_other_rules_is_named() -> None:
    assert said(SCOPES.replace("SCOPE", "block"), model="sc-drf")[-1][1].endswith(
        "`sc-drf` has its own rule of scopes, or none: `scopec models sc-drf`"
    )


def test_scopes_of_a_host_thread() -> None:
    text = "#include <cuda/atomic>\ncuda::atomic<int, cuda::thread_scope_device> f;\nint main() { f.store(1); }\n//@ expect terminates;\n"
    assert [one.split("\n\n")[1] for _, one in said(text)] == [
        "Device scope of a host thread includes that thread alone."
    ]


def test_a_text_in_place_of_a_file_is_held_to_the_same(tmp_path: Path) -> None:
    """It is as large as a file may be, and a link that leads out of the repository is no program."""
    (tmp_path / "here" / ".git").mkdir(parents=True)
    (tmp_path / "out.cu").touch()
    link, path = tmp_path / "here" / "link.cu", tmp_path / "here" / "new.cu"
    link.symlink_to(tmp_path / "out.cu")
    texts = {link: "int main() {}\n", path: "int main() {}\n"}
    assert source_of(path, "new.cu", Overrides(texts=texts)).text == texts[path]
    with pytest.raises(InputError, match="leads out of the repository"):
        source_of(link, "link.cu", Overrides(texts=texts))
    with pytest.raises(InputError, match="SCP030"):
        source_of(path, "new.cu", Overrides(texts={path: "/" * (MOST_BYTES + 1)}))
