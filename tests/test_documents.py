"""README and docs/ say what is so: their commands, programs, outputs and tables."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scopec.base.diagnostics import Code
from scopec.base.options import ATTRIBUTES, HARDWARE_OPTIONS, MEMORY_OPTIONS, PROGRESS_OPTIONS
from scopec.cli import commands
from scopec.progress.models import MODELS
from tests.command import scopec
from tests.conftest import REPOSITORY, plan_of

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md"), REPOSITORY / "specs" / "README.md"])


def block(text: str, language: str) -> str:
    """The one fenced block of a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(found)


def test_readme_has_two_commands_and_ci_runs_them() -> None:
    commands = re.findall(r"^python3 -m venv.*$", README, re.MULTILINE)
    assert len(commands) == 2
    folders = re.findall(r"specs/(\S+)", commands[0])
    assert all([*(REPOSITORY / "specs").glob(folder)] for folder in folders)
    assert len(folders) == len(set(folders)) == 8
    assert commands[1].endswith("pytest")
    run, bare, night = ((REPOSITORY / ".ci" / name).read_text() for name in ("run", "bare", "night"))
    assert 'sh -c "$(.ci/readme 2)"' in run
    assert '"$here/.ci/bare" "$work/bare"' in run
    assert "| xargs -d '\\n' scopec check -q --confirm\n" in run
    assert "\nscopec check -q --confirm never specs\n" in run
    assert "scopec check -q --confirm specs ||" in night
    assert 'bare-run" "$root" "$constraints$("$here/.ci/readme" 1)"' in bare


@pytest.mark.jvm
def test_a_counterexample_is_the_real_output(write: Callable[..., Path]) -> None:
    """At 90 columns; the time is the only thing that may differ."""
    text = (REPOSITORY / "docs" / "counterexample.md").read_text(encoding="utf-8")
    path = write(block(text, "cuda handover.cu"), "handover.cu")
    assert path.read_text() == block(README, "cuda handover.cu")
    done = scopec("check", "--confirm", "handover.cu", cwd=path.parent, COLUMNS="90")
    shown = block(text, "console").removeprefix("$ scopec check --confirm handover.cu\n")
    assert normal(done.stdout + done.stderr) == normal(shown)


@pytest.mark.parametrize(
    ("document", "commands"),
    [
        ("README.md", 1),
        ("docs/tutorial.md", 8),
        ("docs/limits.md", 1),
        ("docs/your-kernel.md", 1),
        ("docs/guide.md", 7),
    ],
)
def test_worked_examples(document: str, commands: int, tmp_path: Path) -> None:
    """A reader who follows a document, with the engine that answers at once, sees what it shows; `…` is any lines."""
    blocks = re.findall(
        r"^```(\w+)(?: (\S+))?\n(.*?)^```$",
        (REPOSITORY / document).read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    (tmp_path / "scopec.toml").write_text('engine = "embedded"\n')
    shown = 0
    for language, name, text in blocks:
        file = tmp_path / name
        if language == "diff":
            old, new = ("".join(line[1:] for line in text.splitlines(True) if line[0] in f" {sign}") for sign in "-+")
            assert file.read_text().count(old) == 1
            file.write_text(file.read_text().replace(old, new))
        elif name:
            file.write_text(text)
        elif language == "console":
            command, _, output = text.partition("\n")
            found = scopec(*shlex.split(command.removeprefix("$ scopec ")), cwd=tmp_path, COLUMNS="90")
            assert re.fullmatch(pattern(output), normal(found.stdout)), found.stdout + found.stderr
            shown += 1
    assert shown == commands


def commands_shown() -> Iterator[tuple[str, str]]:
    """Every call of scopec that a document shows: in a block, or between backquotes with a word behind the command."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        blocks = "\n".join(re.findall(r"^```(?:sh|console|yaml|)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
        lines = re.findall(r"^(?:\$ |.*- run: |\s+- |.*&& )?scopec ([a-z]+ .*)$", blocks, re.MULTILINE)
        plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        lines += re.findall(r"`scopec ([a-z]+ [^`]+)`", plain)
        yield from ((document.name, line.split(" #")[0].split(" > ")[0].split(" && ")[0]) for line in lines)


@pytest.mark.parametrize(("document", "line"), sorted(set(commands_shown())))
@pytest.mark.sampled(40)
def test_commands_are_taken_as_they_stand(
    document: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their options exist, and take what they are given."""
    monkeypatch.chdir(tmp_path)
    name, *arguments = shlex.split(line)
    commands.commands[name].make_context(name, [a for a in arguments if a != "..."])


#: Commands that no test runs as they stand, by their beginnings, and why; worked examples are run above.
NOT_RUN = {
    "engines install": "the network",
    "run ": "a GPU",
    "check --engine both": "Java",
    "check big.cu": "Java",
    "check specs/ --executor": "a cluster",
    "check --headers real": "NVIDIA's headers",
    "check --through nvcc": "NVIDIA's compiler",
    "check src --watch": "it never ends",
    "check turns.cu --bound unroll=12": "seven seconds",
    "compare ": "results of other calls",
    "trace cuda.json": "results of another call",
    "trace RESULTS.json": "results of another call",
    "init FILE": "the project's file says itself what it launches",
}
WORKED = re.compile(r"check (first|flag|grid|lock|ring|sums)\.cu$|check turns.cu --engine")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the documents name: a repository, with specifications that are up to date."""
    folder = tmp_path_factory.mktemp("project")
    handover = block(README, "cuda handover.cu")
    for name in ("src/handover.cu", "specs/handover.cu", "handover.cu", "program.cu", "FILE.cu"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(handover)
    limits = (REPOSITORY / "docs" / "limits.md").read_text(encoding="utf-8")
    for name in ("lock.cu", "ticks.cu"):
        (folder / name).write_text(block(limits, f"cuda {name}"))
    kernels = (REPOSITORY / "docs" / "your-kernel.md").read_text(encoding="utf-8")
    (folder / "sums.cu").write_text(block(kernels, "cuda sums.cu"))
    guide = (REPOSITORY / "docs" / "guide.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"^```cuda (\S+)\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(text)
    (folder / "one.litmus").write_text(
        "C one\n{ x = 0; }\nP0 (atomic_int* x) {\n  atomic_store(x, 1);\n}\nexists (x = 1)\n"
    )
    (folder / "mp-two-blocks.cu").write_text((REPOSITORY / "specs" / "litmus" / "mp-two-blocks.cu").read_text())
    queue = Path("benchmarks") / "weaken" / "queue.cu"
    (folder / queue).parent.mkdir(parents=True)
    (folder / queue).write_text((REPOSITORY / queue).read_text())
    (folder / "scopec.toml").write_text('engine = "embedded"\n')
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    for git in (
        ["init", "-q"],
        ["add", "."],
        [*who, "commit", "-qm", "first"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        subprocess.run(["git", *git], cwd=folder, check=True)
    assert scopec("compile", "src", "-o", "src/generated", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize(
    "line",
    sorted({line for _, line in commands_shown() if not line.startswith(tuple(NOT_RUN)) and not WORKED.match(line)}),
)
@pytest.mark.sampled(40)
def test_commands_do_what_they_say(line: str, project: Path) -> None:
    """They end with an answer: 0, or 1 where the program that is handed to them is wrong."""
    words = [
        {"FILE": "FILE.cu", "PATH...": "src", "DIR": "pages", "A": "8", "B": "11"}.get(word, word)
        for word in shlex.split(line)
    ]
    done = scopec(*words, cwd=project)
    assert done.returncode in ((0, 1) if words[0] in ("check", "trace", "weaken") else (0,)), done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def pattern(output: str) -> str:
    """What matches an output in which `…` stands for lines that are left out."""
    lines = normal(output).splitlines(True)
    return "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line) for line in lines)


def normal(text: str) -> str:
    return re.sub(r"\(\d+\.\d s\)", "(TIME)", text)


def test_the_example_of_the_language_is_accepted(write: Callable[..., Path]) -> None:
    text = block((REPOSITORY / "docs" / "language.md").read_text(encoding="utf-8"), "cuda")
    assert len(plan_of(write(text)).runs) == 4


def test_every_diagnostic_is_listed() -> None:
    table = (REPOSITORY / "docs" / "diagnostics.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in table if line.startswith("| SCP")]
    assert rows == [f"| {c.id} | {c.summary} | {c.way_out} |" for c in Code]


def test_every_option_and_attribute_is_listed() -> None:
    for name, mark, table in (
        ("memory-models", "options", MEMORY_OPTIONS),
        ("memory-models", "attributes", ATTRIBUTES),
        ("memory-models", "hardware", HARDWARE_OPTIONS),
        ("forward-progress", "options", PROGRESS_OPTIONS),
    ):
        text = (REPOSITORY / "docs" / f"{name}.md").read_text(encoding="utf-8")
        rows = text.partition(f"<!-- {mark} -->\n")[2].partition("\n\n")[0].splitlines()[2:]
        assert rows == [
            f"| `{name}` | {', '.join(f'`{v}`' for v in setting.values)} | {setting.meaning} |"
            for name, setting in table.items()
        ]


def test_every_progress_model_is_listed() -> None:
    text = (REPOSITORY / "docs" / "forward-progress.md").read_text(encoding="utf-8")
    rows = text.partition("<!-- models -->\n")[2].partition("\n\n")[0].splitlines()[2:]
    assert rows == [f"| `{m.name}` | {m.summary} |" for m in MODELS.values()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


def test_no_file_has_conflict_markers() -> None:
    folders = [REPOSITORY / name for name in ("docs", "grammar", "scopec", "specs", "templates", "tests")]
    files = [f for top in folders for f in top.rglob("*") if f.is_file()]
    files += [f for f in REPOSITORY.iterdir() if f.is_file()]
    marks = re.compile(rb"^(<{7} |={7}$|>{7} )", re.MULTILINE)
    assert [str(f) for f in files if marks.search(f.read_bytes())] == []
