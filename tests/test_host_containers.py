"""Containers of the C++ library in host code: what is in them, by their shims and by a compiler's own library."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_clang_libraries import verdicts
from tests.test_cxx_semantics import compiled, needs_compiler

HEADERS = ("algorithm", "deque", "functional", "list", "map", "memory", "queue", "set", "stack", "unordered_map",
           "unordered_set", "vector")  # fmt: skip

#: What a program does, and the number that `r` is at its end.
CASES = {
    "map": (
        "std::map<int, int> m{{3, 30}}; m[1] = 10; m[2] = 20; m[3] += 1; m.insert({0, 5}); m.insert(std::make_pair(0, 6)); m.erase(1);"
        "for (auto& [key, value] : m) r = 100 * r + value;",
        52031,
    ),
    "searches in a map": (
        "std::map<int, int> m{{1, 4}, {5, 2}}; r = 1000 * m.count(7) + 100 * m.find(5)->second"
        " + 10 * m.lower_bound(2)->first + (m.find(2) == m.end()) + m.at(1) + m.upper_bound(1)->first;",
        260,
    ),
    "copies of a map": (
        "std::map<int, int> m{{1, 1}, {2, 2}}, copy = m, moved = std::move(copy); m.clear(); moved[2]++;"
        "r = 100 * moved.size() + 10 * m.empty() + moved[2]; m = moved; m[3]; r += m.size() * 1000 + moved.size();",
        3215,
    ),
    "multimap": (
        "std::multimap<int, int> m; m.emplace(1, 2); m.emplace(1, 3); m.emplace(0, 9);"
        "r = 100 * m.count(1) + 10 * m.lower_bound(1)->second + m.begin()->second; r += 1000 * m.erase(1); r += m.size();",
        2230,
    ),
    "unordered_map": (
        "std::unordered_map<unsigned, std::vector<int>> u; u[4].push_back(7); u[4].push_back(8); u[9];"
        "r = 100 * u.size() + 10 * u.at(4)[1] + (u.find(5) == u.end()); r += u.erase(4); r += u.size();",
        283,
    ),
    "unordered_set": (
        "std::unordered_set<int> s; r = 10 * s.insert(4).second; s.insert(2); r += s.insert(4).second; r += 100 * s.size() + s.count(2);",
        211,
    ),
    "set": (
        "std::set<int, std::greater<int>> s{2, 5, 3, 5}; for (int x : s) r = 10 * r + x; s.erase(s.begin()); r = 10 * r + s.size();",
        5322,
    ),
    "a set of pairs": (
        "std::set<std::pair<int, int>> s{{2, 1}, {1, 9}, {1, 8}}; for (auto p : s) r = 10 * r + p.second;",
        891,
    ),
    "list": (
        "std::list<int> l{1, 2, 3}; l.push_front(0); l.remove(2); auto at = l.begin(); ++at; l.insert(at, 8); l.push_back(6);"
        "at = l.erase(at); int n = *at; for (int x : l) n = 10 * n + x; l.pop_front(); n += l.front(); l.pop_back(); r = n + l.back();",
        30836 + 8 + 3,
    ),
    "several of one number": (
        "std::list<int> l(2, 7); std::deque<int> d(3, 4); std::vector<int> v; v.resize(2, 5); v.insert(v.begin(), 6);"
        "r = 1000 * l.size() + 100 * d.size() + 10 * v[0] + l.back(); r += d.front() + v[2] + (v != std::vector<int>{6, 5, 5});",
        2000 + 300 + 60 + 7 + 4 + 5,
    ),
    "several of one key": (
        "std::multiset<int> s{3, 1, 3}; std::unordered_multiset<int> u; u.insert(4); u.insert(4); std::unordered_multimap<int, int> m;"
        "m.emplace(1, 2); m.emplace(1, 2); r = 1000 * s.count(3) + 100 * u.count(4) + 10 * m.count(1) + m.find(1)->second; r += s.erase(3);",
        2224,
    ),
    "deque": (
        "std::deque<int> d; d.push_back(1); d.push_front(2); d.resize(3, 7); r = 100 * d[0] + 10 * d[1] + d.back(); d.pop_front();"
        "r += 1000 * d.size();",
        2217,
    ),
    "queue and stack": (
        "std::queue<int> q; q.push(1); q.push(2); q.push(3); q.pop(); std::stack<int> s; s.push(4); s.push(5); s.pop();"
        "r = 1000 * q.size() + 100 * q.front() + 10 * q.back() + s.top();",
        2234,
    ),
    "priority_queue": (
        "std::priority_queue<int> p; p.push(4); p.push(9); p.push(6); p.pop();"
        "std::priority_queue<int, std::vector<int>, std::greater<int>> least; least.push(4); least.push(3); r = 10 * p.top() + least.top();",
        63,
    ),
    "vector": (
        "std::vector<int> v{5, 1, 4}, w(v.begin() + 1, v.end()); v.erase(v.begin() + 1); v.insert(v.begin(), w.begin(), w.end());"
        "w.assign(2, 6); int n = 10 * v.size() + w.back(); n += 1000 * v[0]; n += 10000 * v[3]; r = n;",
        41046,
    ),
    "functions": (
        "int n[3]{1, 2, 3}, m[3]; std::transform(n, n + 3, m, [](int x) { return 2 * x; }); std::reverse(n, n + 3);"
        "std::transform(n, n + 3, m, m, std::plus<int>()); std::copy_n(m, 2, n);"
        "r = 10000 * n[0] + 1000 * n[1] + 100 * n[2] + m[2] + std::minus<>()(9, 4) + std::equal_to<int>()(1, 1);",
        50000 + 6000 + 100 + 7 + 5 + 1,
    ),
    "shared_ptr": (
        "struct S { int* to; ~S() { ++*to; } }; { auto p = std::make_shared<S>(S{&r}); r = 0; { auto q = p; r += 100 * p.use_count(); }"
        " r += 10 * p.use_count(); std::shared_ptr<S> none; r += !none; }",
        212,
    ),
}  # fmt: skip


def program(body: str) -> str:
    """A program that does it before it launches a kernel."""
    return "".join(f"#include <{header}>\n" for header in HEADERS) + f"int r;\nvoid run() {{ {body} }}\n"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.sampled(1)
def test_they_hold_what_is_put_there(case: str, tmp_path: Path) -> None:
    body, end = CASES[case]
    rest = "__global__ void k() {}\nint main() { run(); k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n"
    assert verdicts(f"{program(body)}{rest}//@ expect required r == {end};\n", tmp_path) == []
    assert verdicts(f"{program(body)}{rest}//@ expect required r != {end};\n", tmp_path) != []


@needs_compiler
@pytest.mark.sampled(0)
def test_a_compilers_own_hold_the_same(tmp_path: Path) -> None:
    functions = "".join(f"void run{n}() {{ r = 0; {body} }}\n" for n, (body, _) in enumerate(CASES.values()))
    calls = "".join(f'run{n}(); std::printf("%d\\n", r); ' for n in range(len(CASES)))
    ends = compiled(f"{program('')}{functions}int main() {{ {calls} }}\n", tmp_path)()
    assert dict(zip(CASES, map(int, ends), strict=True)) == {case: end for case, (_, end) in CASES.items()}
