"""Headers of C and C++ that host code includes: they are there, and what is not modelled is told where it is reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import scopec

HEADERS = (
    "algorithm", "cctype", "cerrno", "chrono", "cstdio", "cstdlib", "cstring", "ctime", "ctype.h", "errno.h", "fstream",
    "getopt.h", "iostream", "malloc.h", "random", "sstream", "stdio.h", "stdlib.h", "string", "string.h", "strings.h",
    "sys/resource.h", "sys/stat.h", "sys/time.h", "sys/types.h", "sys/utsname.h", "time.h", "typeinfo", "unistd.h",
)  # fmt: skip
TEXT = (
    "".join(f"#include <{name}>\n" for name in HEADERS) + "__global__ void k(int* a) {{ a[threadIdx.x] = 1; }}\n{main}"
)


def test_a_main_may_time_and_tell_and_compare(write: Callable[..., Path]) -> None:
    main = """\
int main(int argc, char** argv) {{
    timeval begin, end;
    gettimeofday(&begin, nullptr);
    int* host = (int*)memalign(64, 2 * sizeof(int));
    if (strcasecmp("a", "b") == 0) perror("a");
    if (isdigit(7)) srand48(1);
    std::string name = std::string("a") + "b";
    if (name.find("c") == std::string::npos || name.substr(1) == "b") std::cout << name.c_str() << std::endl;
    int* a;
    cudaMalloc(&a, 2 * sizeof(int));
    k<<<1, 2>>>(a);
    cudaMemcpy(host, a, 2 * sizeof(int), cudaMemcpyDeviceToHost);
    if (memcmp(host, host, 8) != 0) fputs("differs", stderr);
    std::ofstream("out") << host[0];
    gettimeofday(&end, nullptr);
    cudaFree(a);
    free(host);
}}
""".replace("{{", "{").replace("}}", "}")
    done = scopec("check", write(TEXT.format(main=main), "all.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "guessed" not in done.stdout


@pytest.mark.sampled(2)
@pytest.mark.parametrize("call", ['fopen("x", "r")', 'sscanf("1", "%d", &argc)', 'getopt(argc, argv, "a")'])
def test_what_is_declared_alone_is_told_where_it_is_reached(call: str, write: Callable[..., Path]) -> None:
    path = write(TEXT.format(main=f"int main(int argc, char** argv) {{ {call}; }}\n"), "one.cu")
    done = scopec("check", path, "--engine", "embedded", "--no-guess")
    assert done.returncode == 2
    assert f"scopec does not model `{call.partition('(')[0]}`" in done.stderr


def test_limits_of_numbers_need_no_header_of_their_own(write: Callable[..., Path]) -> None:
    """The headers of a toolkit include each other."""
    text = """\
#include <algorithm>
#include <cmath>
__global__ void k(float* least, int n) {
    float d = std::numeric_limits<float>::max();
    for (int i = 0; i < n; i++) d = std::min(d, least[n + i]);
    if (std::numeric_limits<const double>::has_infinity && d < std::numeric_limits<float>::infinity())
        least[threadIdx.x] = d;
    static_assert(std::numeric_limits<double>::lowest() < std::numeric_limits<float>::lowest());
    static_assert(std::numeric_limits<int>::digits10 == 9 && std::numeric_limits<float>::digits == 24);
}
"""
    done = scopec("check", write(text, "limits.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr
