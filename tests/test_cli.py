"""The command line: exit codes, formats, bad input of every kind, interruption."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from scopec import __version__
from tests.command import scopec

GOOD = "__device__ int x; __global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
RACE = "__device__ int x; __global__ void k() { x = 1; }\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n"
UNDECIDED = (
    "__device__ cuda::atomic<int, cuda::thread_scope_device> f; __device__ int x;\n"
    "__global__ void k() { while (f.fetch_add(1) != 5); x = 1; f.store(0); }\n"
    "//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n"
)


def no_traceback(done: subprocess.CompletedProcess[str]) -> None:
    assert "Traceback" not in done.stderr + done.stdout, done.stderr


def test_help_and_version() -> None:
    for arguments in (
        [],
        ["-h"],
        ["check", "--help"],
        ["compile", "--help"],
        ["models", "--help"],
        ["doctor", "--help"],
        ["engines", "--help"],
    ):
        done = scopec(*arguments)
        assert "Usage: " in done.stdout + done.stderr
        no_traceback(done)
    assert scopec("--version").stdout == f"scopec, version {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["chek"], ["check"], ["check", "x.cu", "--timeout", "-1"], ["check", "x.cu", "--jobs", "0"],
        ["check", "x.cu", "--format", "yaml"], ["check", "x.cu", "--model", "nonsense"],
        ["check", "x.cu", "--given", "nonsense=1"], ["check", "x.cu", "--given", "nonsense"],
        ["check", "x.cu", "--bound", "unroll=many"], ["models", "nonsense"], ["compile", "x.cu"],
    ],
)  # fmt: skip
def test_bad_usage_is_2(arguments: list[str]) -> None:
    done = scopec(*arguments)
    assert done.returncode == 2
    assert done.stderr.strip()
    no_traceback(done)


# ---------------------------------------------------------------- bad input


def one_line(size: int) -> str:
    return "int x = " + "1 + " * (size // 4) + "1;"


BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "SCP001"),
    "only white space": (b" \n\t\n", "SCP001"),
    "only a comment": (b"// nothing\n", "SCP001"),
    "not UTF-8": (b"__global__ void k() { int \xff; }\n", "SCP003"),
    "a string that is not UTF-8": (b'__global__ void k() { const char* s = "\xa9"; }\n', "SCP003"),
    "a directive that is not UTF-8": (b"__global__ void k() {}\n//@ launch k<<<1, 1>>>(); \xa9\n", "SCP003"),
    "UTF-16": ("__global__ void k() {}".encode("utf-16"), "SCP003"),
    "unterminated comment": (b"__global__ void k() {} /* oops", "SCP004"),
    "unterminated string": (b'__global__ void k() { printf("oops); }', "SCP004"),
    "zeros": (b"\0" * 100, "SCP005"),
    "zero threads": (b"__global__ void k() {}\n//@ launch k<<<1, 0>>>();", "SCP024"),
    "never launched": (b"__global__ void k(int (*f)(int)) {}\n", "SCP025"),
    "unknown variable in an expectation": (GOOD.encode() + b"//@ expect allowed k[0][0].nothing == 1;", "SCP023"),
    "unknown global in an expectation": (GOOD.encode() + b"//@ expect race on y;", "SCP023"),
    "unsupported statement": (b'__global__ void k() { asm("wgmma.fence;"); }\n//@ launch k<<<1, 1>>>();', "SCP012"),
    "recursion": (b"__device__ void f() { f(); } __global__ void k() { f(); }\n//@ launch k<<<1, 1>>>();", "SCP030"),
    "one line of 256 kB": (one_line(1 << 18).encode(), "SCP0"),
    "one line of 256 kB of one letter": (b"x" * (1 << 18), "SCP0"),
    "one line of 256 kB of brackets": (b"int x = " + b"(" * (1 << 18), "SCP030"),
    "256 kB of negations": (b"int main() { bool b = " + b"!" * (1 << 18) + b"true; }", "SCP030"),
    "control characters": (b"int main() { \x1b[31mred; }", "SCP005"),
    "long identifier in the error": (b"int main() { " + b"y" * 5000 + b" = 1; }", "SCP010"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_bad_input_is_2_with_a_place_and_a_way_out(name: str, tmp_path: Path) -> None:
    content, code = BAD[name]
    path = tmp_path / "program.cu"
    path.write_bytes(content)
    done = scopec("check", path)
    assert done.returncode == 2
    assert re.search(rf"program\.cu:\d+:\d+: error: .* \[{code}", done.stderr), done.stderr[:500]
    assert "\n  help: " in done.stderr
    assert len(done.stderr) < 8000
    assert "\x1b" not in done.stderr
    no_traceback(done)


@pytest.mark.parametrize("name", ["none.cu", "folder", "notes.txt", "hidden"])
def test_nothing_to_check_is_2(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "readme.md").write_text("no program")
    (tmp_path / "notes.txt").write_text(GOOD)
    (tmp_path / "hidden" / ".git").mkdir(parents=True)
    (tmp_path / "hidden" / ".git" / "a.cu").write_text(GOOD)
    done = scopec("check", tmp_path / name)
    assert done.returncode == 2
    assert "[SCP001]" in done.stderr
    no_traceback(done)


def test_the_documents_typo_is_reported_at_its_place(tmp_path: Path) -> None:
    """Execution.Model.Device.4 as the document prints it."""
    path = tmp_path / "device-4.cu"
    path.write_text(
        "// Example: Execution.Model.Device.4\n"
        "// Allowed outcome: No thread makes progress because device threads don't support host.thread.6.\n"
        "__global void ex4() {\n    while(true) { /* empty */ }\n}\n"
    )
    done = scopec("check", "device-4.cu", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "device-4.cu:3:1: error: `__global` is neither a type nor a specifier [SCP011]\n"
        "  3 | __global void ex4() {\n"
        "    | ^^^^^^^^\n"
        "  help: did you mean `__global__`?\n"
    )


# ---------------------------------------------------------------- verdicts


@pytest.mark.jvm
@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (GOOD, 0, "1 hold, 0 violated, 0 unknown"),
        (RACE, 1, "0 hold, 1 violated, 0 unknown"),
        (UNDECIDED, 4, "0 hold, 0 violated, 1 unknown"),
    ],
)
def test_exit_codes(text: str, status: int, said: str, write: Callable[..., Path]) -> None:
    done = scopec("check", "--confirm", "never", write(text))
    assert done.returncode == status
    assert said in done.stdout
    no_traceback(done)


@pytest.mark.jvm
def test_with_several_files_the_first_of_2_3_1_4(tmp_path: Path) -> None:
    for name, text in (("good", GOOD), ("race", RACE), ("undecided", UNDECIDED), ("bad", "int main( {")):
        (tmp_path / f"{name}.cu").write_text(text)
    assert scopec("check", "--engine", "embedded", "good.cu", "undecided.cu", cwd=tmp_path).returncode == 4
    assert scopec("check", "--engine", "embedded", "undecided.cu", "good.cu", "race.cu", cwd=tmp_path).returncode == 1
    done = scopec("check", "--confirm", "never", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert [line for line in done.stdout.splitlines() if line.endswith(".cu")] == ["good.cu", "race.cu", "undecided.cu"]
    assert "4 files, 3 programs: 1 hold, 1 violated, 1 unknown, 1 with errors" in done.stdout
    broken = scopec("check", "race.cu", "--alloy-jar", "good.cu", cwd=tmp_path)
    assert broken.returncode == 3
    assert "good.cu is not a jar" in broken.stderr


@pytest.mark.jvm
def test_json(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(RACE + "//@ expect terminates;\n//@ expect may_hang;")
    out = tmp_path / "report.json"
    done = scopec("check", "--confirm", "never", path, "--format", "json", "--output", out)
    assert (done.returncode, done.stdout) == (1, "")
    report = json.loads(out.read_text())
    assert report["schema"] == "scopec/1"
    assert set(report["engines"]) == {"java"}  # those of other makers that answered
    (program,) = report["programs"]
    assert program["file"] == str(path)
    assert program["model"] == "cuda-v3"
    assert program["bound"] == {"unroll": 2}
    race, terminates, hangs = program["checks"]
    assert (race["kind"], race["verdict"], race["engine"], race["span"]["line"]) == (
        "race_free",
        "violated",
        "embedded",
        3,
    )
    assert race["trace"]["type"] == "execution"
    assert len(race["trace"]["race"]["accesses"]) == 2
    assert (terminates["verdict"], hangs["verdict"], hangs["engine"]) == ("holds", "violated", "embedded")
    assert terminates["states"] > 1
    assert report["summary"]["violated"] == 2
    assert [d["code"] for d in report["diagnostics"]] == ["SCP040", "SCP040"]


@pytest.mark.jvm
def test_keep_and_where_the_generated_files_are(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(RACE + "//@ expect terminates;", "with space/a b.cu")
    kept = tmp_path / "kept here"
    done = scopec("check", path, "--keep", kept)
    assert {p.name for p in kept.iterdir()} >= {"a_b.als", "a_b.tla", "a_b.cfg", "a_b.alloy-out"}
    assert f"generated  a_b.als, a_b.cfg, a_b.tla in {kept}" in done.stdout
    cache = tmp_path / "cache"
    cache.mkdir()
    original = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "scopec" / "engines"
    (cache / "scopec").mkdir()
    (cache / "scopec" / "engines").symlink_to(original)
    again = scopec("check", path, "--engine", "alloy", XDG_CACHE_HOME=str(cache))
    folder = re.search(r"generated  .* in (.*)", again.stdout)
    assert folder
    assert (Path(folder[1]) / "a_b.als").is_file()


@pytest.mark.jvm
def test_quiet_and_verbose(tmp_path: Path) -> None:
    (tmp_path / "good.cu").write_text(GOOD)
    (tmp_path / "race.cu").write_text(RACE)
    quiet = scopec("check", "-q", "--confirm", "never", ".", cwd=tmp_path).stdout
    assert "good.cu" not in quiet
    assert "race.cu" in quiet
    verbose = scopec("check", "-v", "--engine", "alloy", "good.cu", cwd=tmp_path).stdout
    assert "given concurrentManagedAccess = 1" in verbose
    assert re.search(r"times read \d+ ms, .*Alloy \d+ ms", verbose)


@pytest.mark.jvm
def test_a_time_limit_is_undecided_and_leaves_nothing_behind(write: Callable[..., Path]) -> None:
    much = "".join(f"__device__ int v{n};\n" for n in range(2000))  # it takes a while to read
    done = scopec("check", write(much + GOOD + "//@ expect terminates;"), "--timeout", "0.01")
    assert done.returncode == 4
    assert "no answer within the time limit of 0.01 s, while the file was read" in done.stderr
    assert not java_processes(done)


def java_processes(_: object) -> list[str]:
    """Java processes of this user that run one of the jars, by their command lines."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if MARK in command:
            found.append(command)
    return found


MARK = "scopec-interrupted-"


#: A program that keeps the embedded engine busy for long before it asks its solver anything.
LONG = (
    "__device__ cuda::atomic<int, cuda::thread_scope_device> a{0}, b{0}, c{0};\n"
    "__global__ void k() { for (int i = 0; i < 9; ++i) { int e = a.load(); if (e < 3) a.compare_exchange_strong(e, 1);"
    " int f = c.load() % 7; b.store(f + b.load() % 3); } }\n"
    "//@ launch k<<<4, 1>>>();\n//@ bound unroll = 9;\n//@ expect race_free;\n"
)


def test_the_time_limit_holds_for_the_embedded_engine_too(write: Callable[..., Path]) -> None:
    done = scopec("check", write(LONG), "--reader", "scoped", "--engine", "embedded", "--timeout", "4")
    assert done.returncode == 4
    assert "unknown   race_free: no answer within the time limit of 4 s" in done.stdout


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_interrupting_a_computation(how: signal.Signals, tmp_path: Path, write: Callable[..., Path]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "scopec.cli", "check", write(LONG), "--reader", "scoped", "--engine", "embedded"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        working = psutil.Process(process.pid)
        while working.cpu_times().user < 1.5:  # it starts and reads in less, and computes for long
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(how)
        _, stderr = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, stderr.strip()) == (130, "interrupted")
    assert not list(tmp_path.glob("scopec-*"))


@pytest.mark.jvm
@pytest.mark.sampled(0)
def test_a_killed_engine_is_a_failure_with_its_reason(tmp_path: Path, write: Callable[..., Path]) -> None:
    """Exit status 3, and nothing is left; the temporary folder's name finds the engine's process."""
    temporary = tmp_path / "scopec-killed-"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "scopec.cli", "check", write(ENDLESS), "--no-cache", "--engine", "tlc"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(temporary)},
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not any(path.stat().st_size for path in temporary.glob("**/tlc-out/*.txt")):
            assert time.monotonic() < deadline, "TLC never began"
            time.sleep(0.1)
        for pid in running_from(temporary):
            os.kill(pid, signal.SIGKILL)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 3
    assert "TLC was killed by signal 9" in stdout + stderr
    assert running_from(temporary) == []


def running_from(folder: Path) -> list[int]:
    """The Java processes whose command names a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in command and b"jvm" in command:
            found.append(int(process.name))
    return found


#: A program that keeps TLC busy for long.
ENDLESS = (
    "__device__ cuda::atomic<int, cuda::thread_scope_device> a, b;\n"
    "__global__ void k() { while (a.load() != 99) { a.fetch_add(1); b.fetch_add(a.load()); a.exchange(b.load()); } }\n"
    "//@ launch k<<<1, 6>>>();\n//@ expect terminates;\n//@ options races = ignore;\n"
)


@pytest.mark.sampled(1)
@pytest.mark.jvm
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupting_leaves_no_java_behind(how: signal.Signals, tmp_path: Path) -> None:
    """A program that keeps TLC busy for long; the temporary folder's name finds its processes."""
    (tmp_path / "busy.cu").write_text(ENDLESS)
    temporary = tmp_path / f"{MARK}{how}"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "scopec.cli", "check", "busy.cu", "--engine", "tlc"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(temporary)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a test run in the background ignores it
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not any(str(temporary) in c for c in java_processes(None)):
            assert time.monotonic() < deadline, "java never started"
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        time.sleep(0.5)
        process.send_signal(how)
        _, stderr = process.communicate(timeout=30)
    finally:
        process.kill()
    if how is signal.SIGKILL:  # scopec can do nothing any more: workers end with their standard input
        deadline = time.monotonic() + 10
        while [c for c in java_processes(None) if str(temporary) in c]:
            assert time.monotonic() < deadline, "a worker outlives scopec"
            time.sleep(0.1)
        return
    assert process.returncode == 130
    assert stderr.strip() == "interrupted"
    assert not [c for c in java_processes(None) if str(temporary) in c]
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("arguments", [(), ("--every",)])
def test_comments_may_have_bytes_of_another_code(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """As the `\u00a9` of Latin-1 in the head of a file: no compiler takes notice."""
    path = tmp_path / "latin.cu"
    path.write_bytes(
        b"// \xa9 1999 /* \xe9 */\n/* \xfc */ __global__ void k(int* a) { a[threadIdx.x] = 1; } // \xff\n//@ every k where gridDim.x == 1;\n"
    )
    done = scopec("check", path, "--engine", "embedded", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "holds" in done.stdout
