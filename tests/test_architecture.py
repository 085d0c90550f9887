"""ARCHITECTURE.md names places that exist, and the code keeps to it: layers, no circles, imports where they belong."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scopec.base.graphs import components
from tests.conftest import REPOSITORY

TEXT = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
ROWS = [line for line in TEXT.split("\n## Principles")[0].splitlines() if line.startswith("|") and "`" in line]


# ---------------------------------------------------------------- the document


def places(row: str) -> Iterator[Path]:
    """The files and folders that a row names; a name alone is in the folder named last, or in one named before."""
    folders: list[Path] = []
    for word in re.findall(r"`([\w./-]+)`", row):
        if "/" in word:
            path = REPOSITORY / word
            folders.insert(0, path if word.endswith("/") else path.parent)
            yield path
        elif re.fullmatch(r"\w+\.(py|cat|j2|lark)", word):
            found = [folder / word for folder in folders if (folder / word).exists()]
            yield found[0] if found else REPOSITORY / word


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_each_place_exists(row: str) -> None:
    named = list(places(row))
    assert named
    assert [str(path) for path in named if not path.exists()] == []


def test_it_begins_with_the_changes_that_people_come_to_make() -> None:
    first = TEXT.split("\n## ")[1]
    changes = re.findall(r"^\| ([^|`]+) \|", first, re.MULTILINE)
    assert changes == [
        "change", "a function of CUDA's or C++'s library", "an instruction of PTX", "an operation of the Program",
        "an asynchronous operation (a copy, an mbarrier)", "a model", "an option", "a given relation", "a kind of loop",
        "a reduction", "an advice", "a package that compiles kernels in Python", "a report", "what an editor shows", "an engine", "a kind of question, as \"for all launch sizes\"", "a front end of another language", "what is guessed for a kernel that nothing launches", "an error message",
    ]  # fmt: skip


def test_the_layers_of_the_document_are_those_that_are_held() -> None:
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    held = [set(layer.split(" | ")) for contract in contracts for layer in contract.get("layers", ())]
    section = TEXT.split("\n## ")[2]
    told = [set(re.findall(r"`scopec/(\w+)", row)) for row in section.splitlines() if row.startswith("| `scopec/")]
    assert told == held


def test_a_package_says_what_each_of_its_modules_is() -> None:
    """A line in its docstring, and none of one that is not there."""
    for name, tree in modules().items():
        inside = {m.rpartition(".")[2] for m in modules() if m.rpartition(".")[0] == name} - {"__main__"}
        if inside and name != "scopec":
            lines = [line for line in (ast.get_docstring(tree) or "").splitlines() if line.startswith("- ")]
            said = {word for line in lines for word in re.findall(r"``(\w+)``", line)}
            assert inside - said == set(), name


# ---------------------------------------------------------------- the code


@cache
def modules() -> dict[str, ast.Module]:
    """Every module, by its name."""
    found = {}
    for path in sorted((REPOSITORY / "scopec").rglob("*.py")):
        name = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imported(node: ast.AST, *, types: bool = False) -> Iterator[str]:
    """The modules that a tree imports, imports inside functions too; those for types alone only with ``types``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING" and not types:
            continue
        if isinstance(child, ast.ImportFrom) and child.module:  # of a module from its package too, which is executed
            names = [child.module, *(f"{child.module}.{alias.name}" for alias in child.names)]
            yield from (name for name in names if name in modules())
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names if alias.name in modules())
        yield from imported(child, types=types)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Nor for the types that they name."""
    graph = {name: sorted(set(imported(tree, types=True)) - {name}) for name, tree in modules().items()}
    assert [sorted(c) for c in components(sorted(graph), graph.__getitem__) if len(c) > 1] == []


def test_no_module_is_longer_than_450_lines() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in _files("scopec", "tests", "benchmarks")}
    assert {str(path): length for path, length in lengths.items() if length > 450} == {}


def test_a_docstring_of_a_module_begins_with_a_noun_phrase_or_an_imperative() -> None:
    first = {
        path: (ast.get_docstring(ast.parse(path.read_text())) or "").split(" ")[0]
        for path in _files("scopec", "tests", "benchmarks")
    }
    assert {
        str(path) for path, word in first.items() if word in ("How", "What", "When", "Where", "Whether", "Which", "Who")
    } == set()


def _files(*folders: str) -> Iterator[Path]:
    return (path for folder in folders for path in (REPOSITORY / folder).rglob("*.py"))


def test_imports_inside_functions_are_for_the_start_of_a_call() -> None:
    found = []
    for name, tree in modules().items():
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        if any(True for f in functions for _ in imported(f)):
            found.append(name)
    texts = {n: (REPOSITORY / f"{n.replace('.', '/')}.py") for n in found}
    said = [
        n
        for n, p in texts.items()
        if "# Start-up: " in (p if p.exists() else p.with_suffix("") / "__init__.py").read_text()
    ]
    assert said == found
    assert "scopec.cli.check" in found
