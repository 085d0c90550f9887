"""All launches: what is proved, what is raced, what is left undecided; each beside its opposite."""

from __future__ import annotations

from json import dumps, loads
from pathlib import Path

import jsonschema
import pytest

import scopec
from scopec.report import json
from scopec.session.check import Settings, check
from tests import all_launches

DOCS = Path(__file__).parent.parent / "docs"
_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_SWAP = "__global__ void k(int* a, int n) { int x = threadIdx.x, y = threadIdx.y; if (%s) { int t = a[x*n+y]; a[x*n+y] = a[y*n+x]; a[y*n+x] = t; } }"
_TILE = """__global__ void k(float* o, const float* in, int w) {{ __shared__ float t[16][16];
  t[threadIdx.y][threadIdx.x] = in[threadIdx.y*w + threadIdx.x]; {}
  o[blockIdx.x * 256 + threadIdx.y*16 + threadIdx.x] = t[threadIdx.x][threadIdx.y]; }}"""

#: Kernels of which no launch has a race, with the condition, and the same a small change away, which has one.
PAIRS = {
    "global index": ("", f"__global__ void k(int* y, const int* x, int n) {{ {_I} if (i < n) y[i] = x[i]; }}",
                     "__global__ void k(int* y, const int* x, int n) { int i = threadIdx.x; if (i < n) y[i] = x[i]; }"),
    "stride": ("", f"__global__ void k(int* y, int n) {{ {_I} for (; i < n; i += gridDim.x * blockDim.x) y[i] = i; }}",
               f"__global__ void k(int* y, int n) {{ {_I} for (; i < n; i += blockDim.x) y[i] = i; }}"),
    "rows": ("c < w && c >= 0", f"__global__ void k(int* a, int w, int c, int h) {{ {_I} if (i < h) a[i*w + c] = 1; }}",
             f"__global__ void k(int* a, int w, int c, int h) {{ {_I} if (i < h) a[(i/2)*w + c] = 1; }}"),
    "tile": ("blockDim.x == 16 && blockDim.y == 16 && gridDim.y == 1", _TILE.format("__syncthreads();"), None),
    "swap": ("n > 0 && n >= blockDim.x && n >= blockDim.y && gridDim.x == 1 && gridDim.y == 1", _SWAP % "x < y", _SWAP % "true"),
    "stencil": ("", f"__global__ void k(int* y, const int* x, int n) {{ {_I} if (i + 1 < n) y[i] = x[i + 1]; }}",
                f"__global__ void k(int* y, const int* x, int n) {{ {_I} if (i + 1 < n) y[i] = y[i + 1]; }}"),
    "reverse": ("", f"__global__ void k(int* v, int n) {{ {_I} if (i < n / 2) {{ int t = v[i]; v[i] = v[n-1-i]; v[n-1-i] = t; }} }}",
                f"__global__ void k(int* v, int n) {{ {_I} if (i < n) {{ int t = v[i]; v[i] = v[n-1-i]; v[n-1-i] = t; }} }}"),
    "row sums": ("w >= 0", f"__global__ void k(int* o, const int* a, int h, int w) {{ {_I} if (i < h) {{ int s = 0; for (int j = 0; j < w; ++j) s += a[i*w+j]; o[i] = s; }} }}",
                 f"__global__ void k(int* o, const int* a, int h, int w) {{ {_I} if (i < h) {{ int s = 0; for (int j = 0; j < w; ++j) {{ s += a[i*w+j]; o[j] = s; }} }} }}"),
    "neighbour": ("gridDim.x == 1 && blockDim.x <= 64",
                  "__global__ void k(int* a, int* b) { __shared__ int t[64]; t[threadIdx.x] = a[threadIdx.x]; __syncthreads(); b[threadIdx.x] = t[blockDim.x - 1 - threadIdx.x]; }",
                  "__global__ void k(int* a, int* b) { __shared__ int t[64]; t[threadIdx.x] = a[threadIdx.x]; b[threadIdx.x] = t[blockDim.x - 1 - threadIdx.x]; }"),
    "counter": ("", "__global__ void k(int* n) { atomicAdd(n, 1); }", "__global__ void k(int* n) { *n += 1; }"),
    "unsigned": ("gridDim.x == 1", "__global__ void k(int* a, unsigned n) { unsigned i = threadIdx.x - 1; if (i < n) a[i] = 1; }",
                 "__global__ void k(int* a, unsigned n) { unsigned i = threadIdx.x - 1; if (!(i < n)) a[0] = 1; }"),
    "random numbers": ("", f"#include <curand_kernel.h>\n__global__ void k(float* o, curandState* s, int n) {{ {_I} if (i < n) {{ curandState own = s[i]; o[i] = curand_uniform(&own); s[i] = own; }} }}",
                       f"#include <curand_kernel.h>\n__global__ void k(float* o, curandState* s, int n) {{ {_I} if (i < n) o[i] = curand_uniform(&s[0]); }}"),
    "four bytes at a time": ("", f"__global__ void k(int* y, int n) {{ {_I} if (i < n) y[i] = __vadd4(y[i], 1); }}", None),
    "a number that is printed": ("", f'#include <cstdio>\n__global__ void k(int* a) {{ {_I} a[i] = i; printf("%d %d\\n", i, a[i]); }}',
                                 f'#include <cstdio>\n__global__ void k(int* a) {{ {_I} a[i] = i; printf("%d %d\\n", i, a[i + 1]); }}'),
    "scope": ("gridDim.x == 1", "__global__ void k(int* n) { atomicAdd_block(n, 1); }", None),
}  # fmt: skip

#: Kernels that must not be called race free: what is not understood makes them undecided.
NOT_PROVED = {
    "pointers in memory": "__global__ void k(int** p) { p[0][threadIdx.x] = 1; }",
    "block scope, two blocks": "__global__ void k(int* n) { atomicAdd_block(n, 1); }",
    "hash": f"__global__ void k(int* a) {{ {_I} a[(i * 2654435761u) % 64] = 1; }}",
    "loaded index": f"__global__ void k(int* a, int* p) {{ {_I} p[i] = i; a[p[i]] = 1; }}",
    "assembly": f'__global__ void k(int* a) {{ {_I} a[i] = 1; asm volatile("cp.async.wait_all;"); }}',
    "a barrier under a condition": "__global__ void k(int* a) { __shared__ int t[64]; t[threadIdx.x] = 1; if (threadIdx.x < 8) __syncthreads(); a[threadIdx.x] = t[(threadIdx.x + 1) % 64]; }",
    "a barrier of some lanes": "__global__ void k(int* a) { a[threadIdx.x ^ 1] = 1; __syncwarp(1); a[threadIdx.x] = 2; }",
    "two barriers for one": "__global__ void k(int* a) { if (threadIdx.x == 0) { a[0] = 1; __syncthreads(); } else { __syncthreads(); a[0] = 2; } }",
    "dynamic arrays overlap": "extern __shared__ int s[]; extern __shared__ float f[]; __global__ void k(int n) { s[threadIdx.x] = 1; f[threadIdx.x + 1] = 2; }",
    "arguments of which the number varies": "__device__ void set(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); *__builtin_va_arg(l, int*) = n; __builtin_va_end(l); } __global__ void k(int* a) { a[threadIdx.x + 1] = 1; set(1, a); }",
    "narrow index": f"__global__ void k(int* a) {{ {_I} a[(unsigned char)i] = 1; }}",
    "a shift by a number": f"__global__ void k(int* a, int s) {{ {_I} a[i >> s] = 1; }}",
    "halving": f"__global__ void k(int* a) {{ {_I} for (int s = i; s > 0; s /= 2) a[s] = 1; }}",
    "local array": f"__global__ void k(int* a) {{ int own[4] = {{1, 2, 3, 4}}; {_I} own[i % 4] = i; a[own[0]] = 1; }}",
    "exits in turns": f"__global__ void k(int* a, const int* b, int n) {{ {_I} int j = 0; for (; j < n; ++j) if (b[j] == i) break; a[j] = 1; }}",
}  # fmt: skip


def _verdicts(folder: Path, text: str, condition: str = "") -> dict[str, str]:
    return all_launches.verdicts(folder, text, condition)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.sampled(5)
def test_what_no_launch_races_is_proved(tmp_path, name):
    condition, good, _ = PAIRS[name]
    assert all_launches.race_free(tmp_path, good, condition) == "holds"


@pytest.mark.parametrize("name", [name for name, (_, _, bad) in PAIRS.items() if bad])
@pytest.mark.sampled(1)
def test_its_opposite_is_shown_by_a_launch(tmp_path, name):
    condition, _, bad = PAIRS[name]
    assert all_launches.race_free(tmp_path, bad, condition) == "violated"


#: Kernels, each with its condition, of which a proof would be wrong but for one rule of the executor or of the pairs.
RULES = {
    "barriers count where all come to them in one order":
        ("gridDim.x == 1 && blockDim.x == 64",
         "__global__ void k(int* a) { __shared__ int t[64]; if (threadIdx.x < 32) __syncthreads(); t[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x] = t[63 - threadIdx.x]; }"),
    "a barrier in a loop parts no two turns":
        ("gridDim.x == 1 && blockDim.x <= 64",
         "__global__ void k(int n) { __shared__ int t[64]; for (int j = 0; j < n; ++j) { int s = t[(threadIdx.x + 1) % 64]; __syncthreads(); t[threadIdx.x] = s; } }"),
    "operations of two scopes are two": ("", "__global__ void k(int* n) { atomicAdd(n, 1); atomicAdd_block(n, 1); }"),
    "each thread finds another number by an atomic operation":
        ("gridDim.x == 1", "__global__ void k(int* a, int* n) { if (atomicAdd(n, 1) == (int)threadIdx.x) a[0] = 1; }"),
    "a product with a large constant passes the limits":
        ("", f"__global__ void k(int* a) {{ {_I} a[(i * 0x100000u) >> 20] = 1; }}"),
    "an unsigned number below 0 is large":
        ("gridDim.x == 1 && blockDim.x == 2",
         "__global__ void k(int* a) { a[threadIdx.x + 1] = 1; unsigned i = threadIdx.x - 1u; if (i > 100u || threadIdx.x == 1) a[0] = 1; }"),
    "a quotient is rounded to zero":
        ("gridDim.x == 1 && blockDim.x == 2",
         "__global__ void k(int* a) { a[threadIdx.x + 1] = 1; int i = (int)threadIdx.x - 1; if (i / 2 == 0) a[0] = 1; }"),
    "a volatile object may change":
        ("gridDim.x == 1", "__global__ void k(int* a, const volatile int* p) { if (*p == (int)threadIdx.x) a[0] = 1; }"),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_keeps_a_wrong_proof_away(tmp_path, rule):
    condition, text = RULES[rule]
    assert not all_launches.is_proved(tmp_path, text, condition)


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_may_race_or_is_not_understood_is_not_proved(tmp_path, name):
    assert not all_launches.is_proved(tmp_path, NOT_PROVED[name])


def test_without_its_barrier_a_tile_is_not_proved(tmp_path):
    condition, good, _ = PAIRS["tile"]
    assert not all_launches.is_proved(tmp_path, good.replace("__syncthreads();", ""), condition)


@pytest.mark.parametrize(
    ("guard", "verdict"), [("if (blockIdx.x >= n) return;", "holds"), ("if (threadIdx.x >= n) return;", "violated")]
)
@pytest.mark.sampled(1)
def test_barriers_are_uniform_or_not(tmp_path, guard, verdict):
    text = f"__global__ void k(int* a, unsigned n) {{ {_I} a[i] = 1; {guard} __syncthreads(); }}"
    assert all_launches.uniform(tmp_path, text) == verdict


def test_a_condition_that_no_launch_meets_is_an_error(tmp_path):
    file = tmp_path / "k.cu"
    file.write_text(f"__global__ void k(int* a, int n) {{ {_I} a[i] = n; }}\n//@ every k where n > 3 && n < 2;\n")
    (outcome,) = check([file], Settings())
    assert [d.code.id for d in outcome.diagnostics] == ["SCP020"], outcome.diagnostics


def test_what_no_thread_of_several_comes_to_is_not_proved(tmp_path):
    text = "__global__ void k(int* a) { if (threadIdx.x == 0) a[0] = 1; }"
    assert all_launches.race_free(tmp_path, text, "gridDim.x == 1 && blockDim.x == 1") == "unknown"
    assert all_launches.race_free(tmp_path, text, "gridDim.x == 1") == "holds"


_REASONS = {
    "no access": ("int x = n; (void)x;", "holds", "it accesses no memory that threads share"),
    "own variables": ("int own[2] = {n, 1}; own[n & 1] = 2;", "holds", "it accesses no memory that threads share"),
    "an index below 0": (
        "a[-1 - (int)threadIdx.x / 2] = n;",
        "unknown",
        "cannot be read as a launch: an index leaves an array of 65536 elements",
    ),
    "one thread": (
        "if (blockIdx.x + threadIdx.x == 0) a[0] = 1;",
        "holds",
        "no launch has two threads that come to one access; assumed",
    ),
    "no thread": ("if (threadIdx.x < 0) a[0] = 1;", "unknown", "there is nothing to prove"),
    "a thread of each block": ("if (threadIdx.x == 0) a[0] = 1;", "violated", "a data race"),
}


@pytest.mark.parametrize("name", _REASONS)
@pytest.mark.sampled(1)
def test_what_a_proof_would_be_about_is_told(tmp_path, name):
    body, verdict, said = _REASONS[name]
    (file := tmp_path / "k.cu").write_text(f"__global__ void k(int* a, int n) {{ {body} }}\n")
    (outcome,) = check([file], Settings(engine="embedded", every=True))
    ((found, reason),) = [(c.verdict, c.reason) for r in outcome.reports for c in r.checks]
    assert found == verdict
    assert said in (reason or "")


def test_a_kernel_without_accesses_that_one_thread_executes_is_not_proved(tmp_path):
    text = "__global__ void k(int n) { int x = n; (void)x; }"
    assert _verdicts(tmp_path, text, "gridDim.x == 1 && blockDim.x == 1")["race_free"] == "unknown"


def test_an_expected_race_is_found(tmp_path):
    file = tmp_path / "k.cu"
    file.write_text("__global__ void k(int* a) { *a += 1; }\n//@ every k;\n//@ expect race;\n")
    (outcome,) = check([file], Settings())
    assert [(c.expectation.kind, c.verdict) for r in outcome.reports for c in r.checks] == [("race", "holds")]


def test_reports_say_of_which_launches_a_verdict_is(tmp_path):
    text = f"__global__ void k(int* a, int n) {{ {_I} if (i < n) a[i] = 1; }}\n//@ every k where n < 9;\n//@ expect race_free;\n"
    (file := tmp_path / "k.cu").write_text(text)
    (outcome,) = check([file], Settings(engine="embedded"))
    document = json.document([outcome], {}, 0.0)
    jsonschema.validate(loads(dumps(document)), loads((DOCS / "results.schema.json").read_text()))
    (only,) = document["programs"][0]["checks"]
    assert (only["every"]["kernel"], only["every"]["where"], only["every"]["pair"]) == ("k", "n < 9", [])
    assert only["every"]["assumed"][1:] == [
        "no number passes its limits", "no two pointers overlap", "no index leaves its array",
    ]  # fmt: skip


def test_a_call_of_python_asks_about_all_launches():
    text = "__global__ void k(int* a) {\n  *a += 1; }\nint main() {}\n"
    found = scopec.check(text=text, every=True, engine="embedded")
    (only,) = [made for outcome in found.outcomes for report in outcome.reports for made in report.checks]
    assert (only.verdict, [span.line for span in only.every.pair]) == ("violated", [2, 2])


def test_a_member_of_that_name_asks_nothing(tmp_path):
    file = tmp_path / "k.cu"
    file.write_text(
        "struct S { int every; };\n__device__ S s;\n__global__ void k() { s.every = 1; }\n"
        "//@ launch k<<<1, 1>>>();\n//@ expect required s.every == 1;\n"
    )
    (outcome,) = check([file], Settings(engine="embedded"))
    assert [c.expectation.kind for report in outcome.reports for c in report.checks] == ["required"]


def test_without_z3_everything_is_undecided_and_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("scopec.session.kernel_sizes.of_sizes", lambda: None)
    file = tmp_path / "k.cu"
    file.write_text("__global__ void k(int* a) { *a += 1; }\n")
    (outcome,) = check([file], Settings(every=True))
    (only,) = [c for r in outcome.reports for c in r.checks]
    assert only.verdict == "unknown"
    assert "scopec[sizes]" in (only.reason or "")


#: Small launches that the conditions admit.
_SMALL = [(name, launch) for name, (condition, _, _) in PAIRS.items() for launch in ("1, 2", "2, 1", "2, 3", "3, 2")
          if name != "random numbers" and "blockDim.y" not in condition and ("gridDim.x == 1" not in condition or launch[0] == "1")]  # fmt: skip


@pytest.mark.parametrize(("name", "launch"), _SMALL)
@pytest.mark.sampled(1)
def test_no_launch_of_what_is_proved_has_a_race(tmp_path, name, launch):
    """The concrete engine, at small sizes that the condition admits."""
    _, good, _ = PAIRS[name]
    head = good[good.index("(") + 1 : good.index(")")].split(",")
    objects = "".join(f"//@ object __device__ int o{n}[64];\n" for n, p in enumerate(head) if "*" in p)
    for number in (1, 3, 6):
        given = ", ".join(
            f"o{n}" if "*" in p else "0" if p.strip() == "int c" else str(number) for n, p in enumerate(head)
        )
        one = f"{objects}//@ launch k<<<{launch}>>>({given});"
        assert all_launches.races(tmp_path, good, one) == "holds"


def test_a_launch_that_nests_too_deeply_to_be_read_is_undecided(tmp_path, monkeypatch):
    def deep(*_: object) -> None:
        raise RecursionError

    text = "__global__ void k(int* a) { a[0] = threadIdx.x; }"
    assert all_launches.race_free(tmp_path, text) == "violated"
    monkeypatch.setattr("scopec.session.witnessed.plan_of", deep)
    assert all_launches.race_free(tmp_path, text) == "unknown"
