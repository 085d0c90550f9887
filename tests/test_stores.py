"""Stores that are easily dropped or not minded: without a value, to constants; calls of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import Code
from tests.conftest import check_text, verdicts
from tests.test_faults import CHECK
from tests.test_lifetimes import said

PAIR = "struct Pair { int a, b; };\n"


@pytest.mark.parametrize(
    ("kernel", "verdict"),
    [
        ("Pair none; shared = none;", "violated"),
        ("Pair half; half.a = 1; shared = half;", "violated"),
        ("Pair half; half.b = 1; shared.a = half.b;", "holds"),
    ],
)
def test_a_copy_of_what_has_no_value_is_a_store(tmp_path: Path, kernel: str, verdict: str) -> None:
    """[dcl.init]/12 lets indeterminate members be copied; the object that gets them is written all the same."""
    text = f"""{PAIR}__managed__ Pair shared;
__global__ void k() {{ {kernel} }}
int main() {{ k<<<1, 1>>>(); shared.b = 1; cudaDeviceSynchronize(); }}
//@ expect race_free;
"""
    assert verdicts([check_text(tmp_path, text, engine="embedded")])["race_free"] == [verdict]


@pytest.mark.parametrize(
    ("store", "reason"),
    [
        ("*(int*)&limit = 3;", "`*(int*)&limit = 3` writes `limit`, which is `__constant__`"),
        ("atomicAdd((int*)&limit, 1);", "`atomicAdd((int*)&limit, 1)` writes `limit`, which is `__constant__`"),
        ("out = limit;", None),
    ],
)
def test_no_kernel_writes_constant_memory(tmp_path: Path, store: str, reason: str | None) -> None:
    """The host does: "a read-only memory initialized by the host" (PTX ISA)."""
    text = f"""__constant__ int limit = 2;
__managed__ int out;
__global__ void k() {{ {store} }}
int main() {{ int v = 1; cudaMemcpyToSymbol(limit, &v, 4); k<<<1, 1>>>(); cudaDeviceSynchronize(); }}
//@ expect race_free;
"""
    found = said(check_text(tmp_path, text, engine="embedded")).get(CHECK, ("holds", None))
    assert found[0] == ("violated" if reason else "holds")
    assert found[1] is None or found[1].partition(": ")[2] == reason


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("declared", "given", "where"),
    [
        ("const int n = 5;", "&n", "`n`"),
        ("struct Box { const int* at; }; const int n = 5;", "Box{&n}.at", "`n`"),
        ("__device__ int n = 5;", "nullptr", None),
    ],
)
def test_a_constant_of_the_host_is_host_memory(tmp_path: Path, declared: str, given: str, where: str | None) -> None:
    text = f"""{declared}
__managed__ int out;
__global__ void k(const int* p) {{ out = p ? *p : 0; }}
int main() {{ k<<<1, 1>>>({given}); cudaDeviceSynchronize(); }}
//@ expect race_free;
"""
    outcome = check_text(tmp_path, text, engine="embedded")
    warned = [d.message for d in outcome.diagnostics if d.code is Code.NOT_MAPPED]
    assert [where in message for message in warned] == ([] if where is None else [True])


def test_a_call_of_nothing_is_undefined_and_of_a_device_function_is_made(tmp_path: Path) -> None:
    text = """__device__ int twice(int x) { return 2 * x; }
using F = int (*)(int);
__device__ F f = twice;
__managed__ int out;
__global__ void k(F call) { out = call(2); }
int main() {
    F call = nullptr;
    COPY
    k<<<1, 1>>>(call);
    cudaDeviceSynchronize();
}
//@ expect race_free;
//@ expect required out == 4;
"""
    good = check_text(tmp_path, text.replace("COPY", "cudaMemcpyFromSymbol(&call, f, sizeof(F));"), engine="embedded")
    assert verdicts([good])["required out == 4"] == ["holds"]
    bad = said(check_text(tmp_path, text.replace("COPY", ""), engine="embedded"))
    assert bad[CHECK][:2] == ("violated", "line 5: `call(2)` points to no object")


@pytest.mark.parametrize(
    ("copy", "value"),
    [
        ("short part = 0; memcpy(&part, &table[1], 2); out = part;", 0x5678),
        ("short part = 0; memcpy(&part, (const char*)&table[1] + 2, 2); out = part;", 0x1234),
        ("int part = -1; memcpy(&part, (const char*)table + 2, 4); out = part;", 0x56780000),
        ("int whole = 0; memcpy(&whole, &table[zero + 1], 4); out = whole;", 0x12345678),
    ],
)
def test_bytes_of_a_constant_that_cut_its_elements(tmp_path: Path, copy: str, value: int) -> None:
    """No more is copied than is asked for, and no less; of an element that is told at run time too."""
    text = f"""#include <cstring>
const int table[2] = {{7, 0x12345678}};
__managed__ int out, zero;
int main() {{ {copy} }}
//@ expect required out == {value};
"""
    assert verdicts([check_text(tmp_path, text, engine="embedded")])[f"required out == {value}"] == ["holds"]
