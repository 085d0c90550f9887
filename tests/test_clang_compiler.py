"""clang as scopec runs it: programs against scopec's own headers, errors and their places, headers, flags."""

import re
import shlex
import string
from pathlib import Path

import pytest

from scopec.base.diagnostics import EngineError, InputError, LimitError
from scopec.base.limits import limited, resident
from scopec.base.source import Source
from scopec.frontends.clang import command
from scopec.frontends.clang.compiler import Compiled, Flags, compiled
from scopec.frontends.clang.prepare import prepared
from tests.conftest import REPOSITORY

SPECS = REPOSITORY / "specs"
#: Programs that are not C++, and what clang says of them.
REFUSED = {
    # The document's own text: nothing is included, and the last four use an object of the host in a kernel.
    **dict.fromkeys(
        (f"cuda-execution-model/{name}.cu" for name in
         ("device-0", "device-1", "device-3", "stream-0", "stream-1", "api-2", "api-3", "api-4")),
        "use of undeclared identifier 'cuda'",
    ),
    # Its opposite, with the document's kernel: atomic_ref's constructor is explicit.
    "cuda-execution-model/device-0-blocks.cu": "no viable conversion from 'int'",
}  # fmt: skip


def compile_text(text: str, folder: Path, name: str = "p.cu", **flags: object) -> Compiled:
    return compiled(text, name, folder, Flags(**flags), quotable=(folder,))  # type: ignore[arg-type]


def errors_of(text: str, folder: Path, **flags: object) -> list[str]:
    with pytest.raises(InputError) as raised:
        compile_text(text, folder, **flags)
    return [str(d) for d in raised.value.diagnostics]


@pytest.mark.parametrize("folder", sorted({p.parent.name for p in SPECS.rglob("*.cu")}))
@pytest.mark.sampled(1)
def test_programs_compile(folder: str) -> None:
    for path in sorted((SPECS / folder).glob("*.cu")):
        name = str(path.relative_to(SPECS))
        text = prepared(Source(name, path.read_text(encoding="utf-8")))
        if "//@ kernels" in text:  # which are declared from a file of PTX
            continue
        if name in REFUSED:
            assert REFUSED[name] in errors_of(text, path.parent)[0]
            continue
        both = compiled(text, name, path.parent)
        assert "define" in both.host, name
        assert "ptx_kernel" in both.device or "__global__" not in text, name


def test_the_shims_need_only_their_intrinsics() -> None:
    path = REPOSITORY / "tests" / "fixtures" / "clang" / "shims.cu"
    both = compiled(path.read_text(encoding="utf-8"), "shims.cu", path.parent)
    known = set(re.findall(r"\b(__scopec_\w+)\(", (command.shims() / "scopec" / "intrinsics.h").read_text()))
    left = set()
    for name in re.findall(r"^declare [^@]*@([\w.]+)", both.device + both.host, re.MULTILINE):
        intrinsic = re.match(r"_Z(\d+)(__scopec_.*)", name)
        if intrinsic is None:
            left.add(name.partition(".i")[0])
        else:
            assert intrinsic[2][: int(intrinsic[1])] in known
    assert left == {
        "__cudaPopCallConfiguration", "__cudaPushCallConfiguration", "cudaLaunchKernel",
        "__cxa_allocate_exception", "__cxa_throw",
        "llvm.ctpop", "llvm.lifetime.end.p0", "llvm.lifetime.start.p0", "llvm.memcpy.p0.p0", "llvm.memset.p0",
        "llvm.ubsantrap",
    }  # fmt: skip
    assert "invoke" not in re.findall(r"^ +(?:%\S+ = )?(\w+)", both.host, re.MULTILINE)


def test_what_cuda_says_of_kernels_and_objects_is_in_the_ir(tmp_path: Path) -> None:
    text = (
        "constexpr int N = 2;\n__global__ void __cluster_dims__(N, 3) k() {}\n__managed__ int m;\n"
        "__global__ void __launch_bounds__(32) l() { extern __shared__ int s[]; s[0] = m; }\nint main() { return m; }\n"
    )
    both = compile_text(text, tmp_path)
    assert "{ i32, i32 } { i32 2, i32 3 }" in both.device
    assert 'c"cluster_dims\\00"' in both.device
    assert 'c"managed\\00"' in both.device
    assert 'c"managed\\00"' in both.host
    assert '"nvvm.maxntid"="32"' in both.device
    assert re.search(r"@\S*s\S* = external .*addrspace\(3\)", both.device)


# ---------------------------------------------------------------- errors


def test_every_error_has_its_place(tmp_path: Path) -> None:
    text = "__device__ int é = nope;\nint main() {\n    return alsoNope;\n}\n__global__ void k() { f(); }\n"
    assert errors_of(text, tmp_path) == [
        "p.cu:1:20: error: use of undeclared identifier 'nope' [SCP010]",
        "p.cu:3:12: error: use of undeclared identifier 'alsoNope' [SCP010]",
        "p.cu:5:23: error: use of undeclared identifier 'f' [SCP010]",
    ]


def test_errors_of_one_side(tmp_path: Path) -> None:
    text = "int host;\n__global__ void k(int* p) { *p = host; }\nint main() {}\n"
    assert errors_of(text, tmp_path) == [
        "p.cu:2:34: error: reference to __host__ variable 'host' in __global__ function [SCP006]"
    ]


def test_notes_are_help(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        compile_text("void f(int);\nint main() { f(); }\n", tmp_path)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.way_out == "p.cu:1:6: candidate function not viable: requires 1 argument, but 0 were provided"
    assert (diagnostic.span.column, diagnostic.span.end_column) == (14, 15)


def test_errors_inside_the_shims_are_those_of_the_program(tmp_path: Path) -> None:
    text = "#include <cuda/std/array>\nstruct S { S(int); };\n\nint main() { cuda::std::array<S, 1> a{}; }\n"
    assert [e.partition(" error")[0] for e in errors_of(text, tmp_path)] == ["p.cu:4:39:"]


def test_errors_in_headers_name_the_header(tmp_path: Path) -> None:
    (tmp_path / "a b.h").write_text("\nint x = y;\n")
    assert errors_of('#include "a b.h"\nint main() {}\n', tmp_path) == [
        f"{tmp_path}/a b.h:2:9: error: use of undeclared identifier 'y' [SCP010]"
    ]


def test_a_missing_header(tmp_path: Path) -> None:
    assert errors_of('#include "nowhere.h"\n', tmp_path) == ["p.cu:1:10: error: 'nowhere.h' file not found [SCP006]"]


# ---------------------------------------------------------------- headers and flags


def test_quoted_includes_begin_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "with spaces"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "h.cuh").write_text("constexpr int N = 3;\n")
    both = compile_text('#include "sub/h.cuh"\n__device__ int a[N];\n', folder, "with spaces/p.cu")
    assert "[3 x i32]" in both.device
    assert '"with spaces/p.cu"' in both.device


def test_flags_of_a_build(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "n.h").write_text("constexpr int N = M;\n")
    (tmp_path / "first.h").write_text("#define FORCED 1\n")
    both = compile_text(
        "#include <n.h>\n#if !FORCED || __cplusplus != 201703L || defined(__CUDACC__) != 1\n#error\n#endif\n"
        "__device__ int a[N];\n",
        tmp_path,
        folders=(tmp_path / "include",),
        macros=("-DM=4", "-U__CUDACC__", "-D__CUDACC__"),
        std="c++17",
        forced=(tmp_path / "first.h",),
    )
    assert "[4 x i32]" in both.device


def test_undefined_arithmetic_stays_visible(tmp_path: Path) -> None:
    text = "__global__ void k(int* p) { *p = *p + 1 / *p; }\nint main(int c, char**) { return (c + 1) << c; }\n"
    both = compile_text(text, tmp_path)
    for side in (both.device, both.host):
        assert "llvm.ubsantrap" in side
        assert "with.overflow" not in side  # it wraps


def named_clang(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str = "") -> Path:
    """Name a clang of one's own, a script; by default, the clang that there is."""
    ours = command.found()
    path = folder / "clang"
    asked = f'case "$*" in *-print-resource-dir) echo "clang version 22.1.8" >&2; echo {ours.resources}; exit;; esac'
    script = script or f'exec {shlex.join(ours.program)} "$@"'
    path.write_text(f"#!/bin/sh\n{asked}\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("SCOPEC_CLANG", str(path))
    return path


def test_another_clang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        named_clang(tmp_path, patch)
        assert "define" in compile_text("int main() {}", tmp_path).host
    with monkeypatch.context() as patch:
        named_clang(tmp_path, patch, "echo broken >&2; exit 3")
        with pytest.raises(EngineError, match=r"clang \(clang version 22.1.8\) does not work: broken; `scopec doctor`"):
            compile_text("", tmp_path)
    monkeypatch.setenv("SCOPEC_CLANG", str(tmp_path / "nowhere"))
    with pytest.raises(EngineError, match="SCOPEC_CLANG names no program"):
        compile_text("", tmp_path)


def test_one_that_is_ended_in_little_memory_got_too_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It had no memory left to say so; in enough of it its end is a fault of its own."""
    named_clang(tmp_path, monkeypatch, "ulimit -c 0; kill -SEGV $$")
    with pytest.raises(LimitError), limited(60, resident() + (40 << 20)):
        compile_text("", tmp_path)
    with pytest.raises(EngineError, match="does not work"), limited(60, resident() + (8 << 30)):
        compile_text("", tmp_path)


def test_a_limit_of_time_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named_clang(tmp_path, monkeypatch, f"echo $$ >> {tmp_path}/pids; exec sleep 60")
    with pytest.raises(LimitError), limited(1, None):
        compile_text("", tmp_path)
    pids = (tmp_path / "pids").read_text().split()
    assert pids
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("std", ["c++17", "c++20", "c++23"])
def test_every_header_can_be_read_twice_in_any_language(std: str, tmp_path: Path) -> None:
    names = sorted(str(p.relative_to(command.shims())) for p in command.shims().rglob("*") if p.is_file())
    text = "".join(f"#include <{name}>\n" for name in [*names, *reversed(names)])
    capitals = tuple(f"-D{letter}={letter} {letter}" for letter in string.ascii_uppercase)
    compile_text(text, tmp_path, std=std, macros=capitals)


def test_headers_stand_alone(tmp_path: Path) -> None:
    for header in (
        "atomic",
        "thread",
        "vector",
        "mutex",
        "cuda/barrier",
        "cuda/std/latch",
        "cooperative_groups/reduce.h",
    ):
        compile_text(f"#include <{header}>\n", tmp_path)


# ---------------------------------------------------------------- prepared texts


def test_objects_are_declared_in_place() -> None:
    text = "int a; //@ expect race_free;\n//@ object __device__ int x\n//@     = 3; bound unroll = 2;\nint b;\n"
    new = prepared(Source("p.cu", text))
    assert [line.rstrip() for line in re.sub("//.*", "", new).split("\n")] == [
        "int a;",
        "           __device__ int x",
        "        = 3;",
        "int b;",
        "",
    ]
    assert len(new) == len(text)


def test_chosen_constants_leave_places_alone(tmp_path: Path) -> None:
    text = (
        "#include <cuda/atomic>\n"
        "constexpr int N = 1, M = 2; __device__ int a[N];\n"
        "constexpr cuda::thread_scope S =\n    cuda::thread_scope_device; __device__ int s[int(S) + 1];\n"
        "constexpr bool B{false}; static_assert(B);\n"
        "int main() { return wrong; }\n"
    )
    new = prepared(Source("p.cu", text), {"N": "1000 + 7", "S": "sys", "B": "true"}, ("M", "S"))
    assert errors_of(new, tmp_path) == ["p.cu:6:21: error: use of undeclared identifier 'wrong' [SCP010]"]
    device = compile_text(new.replace("return wrong", ""), tmp_path).device
    assert "[1007 x i32]" in device
    assert "[5 x i32]" in device
    assert re.search(r"@__scopec_constant_M = .*constant i64 2", device)
    assert re.search(r"@__scopec_constant_S = .*constant i64 4", device)
    where = re.search(r'DIGlobalVariable\(name: "a".*line: (\d+)', device)
    assert where is not None
    assert where[1] == "2"


def test_launches_are_those_of_main(tmp_path: Path) -> None:
    text = "__global__ void k(int n) {}\n//@ launch k<<<2, 1>>>(1);\n//@ launch k<<<1, 1>>>(wrong);\n"
    assert errors_of(prepared(Source("p.cu", text)), tmp_path) == [
        "p.cu:3:24: error: use of undeclared identifier 'wrong' [SCP010]"
    ]
    host = compile_text(prepared(Source("p.cu", text.replace("wrong", "2"))), tmp_path).host
    assert host.count("call void @_Z16__device_stub__ki") == 2
    assert "__scopec_device_synchronize" in host
    with pytest.raises(InputError, match="`//@ launch` is for files without a main"):
        prepared(Source("p.cu", "int main() {}\n//@ launch k<<<1, 1>>>();\n"))
