"""Random C++ of one thread, in whole: classes, templates, references, pointers, lambdas, what their constructors count.

A program is a few of ``CONSTRUCTS``, filled in at random.  The operands that C++ leaves in no order have no effects.
"""

from __future__ import annotations

import re
from random import Random

from scopec.base.records import dataclass
from tests.random_cxx import TYPES, Generator

_INTEGERS = tuple(type_ for type_ in TYPES if type_ != "bool")
_HOLE = re.compile(r"\$(?:([EBS])\{([^}]*)\}|T(\d)|K|<([^<>]*)>)")
RESULTS = ("long long", "unsigned", "int", "unsigned long long")

#: Each defines ``f``.  Holes: ``$E{x y}`` an expression over variables, ``$B{x y}`` a larger one, ``$S{x y}`` statements
#: that also change them, ``$T1`` a type of integers, ``$K`` a number from 1 to 4, ``$<a|b>`` a choice.  ``F`` stands
#: before functions, ``V`` before variables: ``__device__`` in programs whose work a kernel does.
#: What a kernel does not do.
HOST_ONLY = frozenset({"heap"})
CONSTRUCTS = {
    "arithmetic": """
        F long long f(int a, unsigned u, long long c) { $T1 x = a; $T2 y = u; bool b = c & 1; $S{x y b} $S{x y b}
          $T3 z = $B{x y a b}; $S{x y z} return (long long)x ^ ((long long)y << 3) ^ z ^ (b ? 64 : 0); }""",
    "constructors": """
        V int made, gone, copied, moved;
        struct C { $T1 x; F C(int v = $K) : x(v) { ++made; } F C(const C& o) : x(o.x) { ++copied; x += $K; }
          F C(C&& o) : x(o.x) { ++moved; o.x = 0; } F ~C() { gone += (int)(x & 7) + 1; }
          F C& operator=(const C& o) { x = $E{x o.x}; return *this; } F C operator+(const C& o) const { return C((int)(($E{x o.x}) & 255)); } };
        F C pass(C c) { c.x ^= $K; return c; }
        F long long f(int a, unsigned u, long long c) { { C one((a) & 63), two = one, three; three = $<one|two|C(5)>;
          if ($E{a u}) { C four = pass(one); three = four + two; } const C& r = C($K) + one; three.x += r.x;
          C five(static_cast<C&&>(three)); for (int i = 0; i < $K; ++i) { C six(i); if ($E{i a}) continue; if (six.x > $K) break; made += 10; }
          a = (int)(five.x & 1023) + (int)(pass(two).x & 255); }
          return a + 3ll * made + 5ll * gone + 7ll * copied + 11ll * moved; }""",
    "virtual": """
        V int seen;
        struct A { $T1 x; F A(int v) : x(v) {} F virtual ~A() { seen += (int)(x & 3) + 1; } F virtual int g(int v) { return (int)(($E{x v}) & 4095); }
          F int twice(int v) { return g(v) + g(v + 1); } };
        struct M { $T2 m = $K; F virtual int h() const { return (int)(m & 15); } };
        struct D : A, M { $T3 y; F D(int v) : A(v + $K), y(v) { m += $K; } F ~D() { seen += 16; }
          F int g(int v) override { $<return (int)(($E{x y v}) & 1023);|return A::g(v) + (int)(y & 7);> } F int h() const override { return (int)(y & 31) + (int)(m & 15); } };
        struct L final : D { using D::D; F int g(int v) override { return D::g(v) ^ $K; } };
        F int through(A& r, int v) { return r.twice(v); }
        F long long f(int a, unsigned u, long long c) { long long s = 0; { A one(a); D two((int)(u & 255)); L three((int)(c & 127)); A* all[] = {&one, &two, &three};
          for (A* p : all) s += p->g($K); s += through(*all[$<0|1|2>], (a) & 31); const M& m = $<two|three>; s = s * 3 + m.h();
          if ($<D* d = (D*)all[2]|A* d = all[1]>) s += d->g(2); } return s * 5 + seen; }""",
    "heap": """
        V int seen;
        struct A { int x; F A(int v) : x(v) {} F virtual ~A() { seen += x; } F virtual int g() { return x; } };
        struct D : A { int y[2] = {$K, $K}; F D(int v) : A(v) { y[v & 1] = v; } F ~D() { seen += y[0]; } F int g() override { return y[1] - x; } };
        F long long f(int a, unsigned u, long long c) { A* p = new D((a) & 15); A* q = new D((int)(u & 7)); int r = p->g() * 3 + q->g(); delete p; delete q; return r * 7 + seen; }""",
    "templates": """
        template <class T, int N> struct P { T v[N]; F P() { for (int i = 0; i < N; ++i) v[i] = (T)(i * $K + 1); }
          F T& operator[](int i) { return v[i]; } F int size() const { return N; }
          template <class U> F U total(U from) const { for (const T& one : v) from += (U)(one & 63); return from; } };
        template <class T> F T most(T a, T b) { return a < b ? b : a; }
        template <> F short most(short a, short b) { return (short)(a - b); }
        F long long sum() { return 0; }
        template <class T, class... R> F long long sum(T first, R... rest) { return (long long)(first & 255) + 2 * sum(rest...); }
        template <class... R> F int count(R...) { return (int)sizeof...(R); } template <class... R> F int any(R... r) { return (int)((r & 15) + ... + $K); }
        template <unsigned N> struct Fib { static constexpr unsigned v = Fib<N - 1>::v + Fib<N - 2>::v; };
        template <> struct Fib<0> { static constexpr unsigned v = 0; }; template <> struct Fib<1> { static constexpr unsigned v = 1; };
        F long long f(int a, unsigned u, long long c) { P<$T1, $K> p; P<$T2, 3> q; q[$<0|1|2>] = ($T3)($E{a u}); p[0] += $K;
          return sum(a, u, ($T2)c, p[0]) + q.total<$<int|unsigned char|long long>>($K) + most<short>((short)(a & 511), $K) * count(a, u) + any(a, c & 7) + p.size() * (int)Fib<$K + 4>::v + (most(c, 3ll) & 1023); }""",
    "references": """
        F $T1& smaller($T1& x, $T1& y) { return x < y ? x : y; } F void swap($T1& x, $T1& y) { $T1 t = x; x = y; y = t; }
        F int bump(int& n, int by = $K) { return n += by; }
        F long long f(int a, unsigned u, long long c) { $T1 x = a, y = ($T1)u; auto& r = $<x|y>; const auto& s = y; r = $E{x y a}; swap(x, y); smaller(x, y) ^= $K;
          $S{x y r} int n = (a) & 15; if (bump(n) > 6 && (x = $K, bump(n, 2) & 1)) y ^= 3; if (n > 4 || bump(n)) n *= 2; (n & 1 ? x : y) = $K; int&& t = n + 1; t += (int)(s & 1);
          return (long long)x ^ ((long long)y << 5) ^ n ^ t; }""",
    "arrays": """
        F int at(const $T1 (&v)[6], int i) { return (int)(v[i] & 255); } struct I { int n; $T2 k[3]; };
        F long long f(int a, unsigned u, long long c) { $T1 v[6] = {$K, ($T1)a, $K}; $T2 m[2][3] = {{1, 2}, {$K}}; I s[2] = {{$K, {1, 2}}, {3}};
          for (int i = 0; i < 6; ++i) v[i] = ($T1)($E{i v[i] a}); $T1* p = v + $K; *p++ = $K; p[-1] ^= 9; *--p += 1; int d = (int)(p - v) + (p > v) + (&v[5] - p > 2);
          for (auto& row : m) for (auto& one : row) one = ($T2)(one * 3 + $K); m[$<0|1>][$<0|1|2>] ^= ($T2)a; s[a & 1].k[u % 3] += 5; s[1] = s[0]; s[0].n = $E{a u};
          long long t = d; for (int i = 0; i < 6; ++i) { if (v[i] == $K) continue; t = (t * 3 + at(v, i)) & 0xffffff; } for (auto* q = &m[0][0]; q != &m[0][0] + 3; ++q) t += *q & 31;
          return t + (v[(u + $K) % 6] & 63) + s[1].k[$<0|1|2>] % 100 + s[0].n; }""",
    "structures": """
        struct S { $T1 x; bool b; $T2 y; struct { $T3 z; char c; } in; }; F S made(int v) { S s{($T1)v, v > $K, ($T2)(v * 2), {$K, 'a'}}; return s; }
        F S changed(S s, const S& o) { s.in = o.in; s.x += $K; s.b = !s.b; return s; } struct W { long long p, q, r; }; F W wide(W w) { w.q = w.p ^ w.r; return w; }
        F long long f(int a, unsigned u, long long c) { S s = made((a) & 63), t = s; t.y = $E{s.x s.y a}; s.in.c = (char)u; S w = $<changed(t, s)|changed(made(3), t)>; t = $E{a u} ? s : w; auto [i, j, k] = wide(W{a, 0, c});
          S both[2] = {w, t}; both[0] = both[1]; W z{.p = 1, .r = $K}; return (long long)(t.x ^ w.x) + w.b * 8 + (w.y & 1023) + both[0].in.z % 50 + w.in.c + (j ^ k) % 1000 + z.q + z.r + i % 7; }""",
    "bits": """
        struct B { unsigned x : 3; int y : $<5|6|9|12>; unsigned long long z : $<33|20|40>; bool b : 1; $<signed char w : 4;|unsigned : 0; unsigned short w : 7;> };
        union U { unsigned n; unsigned char bytes[4]; unsigned short half[2]; }; union O { long long n; int i; };
        F long long f(int a, unsigned u, long long c) { B s{}; s.x = u & 15; s.y = (a & 7) - 4; s.z += $K; s.b = a > $K; s.w = $<-3|5>; ++s.x; s.y -= $K; s.z ^= u; B t = s; t.x = (unsigned)($E{a u}); t.y *= 2;
          U n; n.n = u; unsigned low = n.bytes[$<0|1|2|3>]; n.bytes[1] = (unsigned char)a; O o; o.n = c; o.n++; o.i = a; return s.x + 10 * s.y + (long long)(s.z & 0xffff) + t.b + t.y + t.w * 100 + t.x * 1000 + low + n.half[0] % 999 + o.i % 5; }""",
    "lambdas": """
        template <class G> F int apply(G g, int n) { int s = 0; for (int i = 0; i < n; ++i) s += g(i); return s; } template <class G> F auto after(G g) { return [g](auto v) { return g((int)v) + $K; }; }
        F long long f(int a, unsigned u, long long c) { int x = (a) & 63, y = $K; auto one = [x, y](int v) { return (int)(($E{x y v}) & 255); }; auto two = [&](int v) { x += v; $S{y} return y & 127; };
          auto three = [=, &y, z = $K](int v) mutable { z += v; y ^= z; return z & 31; }; x += $K; int s = apply(one, $K) + apply(two, $K); s += three(2); s += three(1); auto four = three; s += four(3) - three(4); int (*p)(int) = [](int v) { return v * $K; };
          return s + 3ll * (x & 255) + 5ll * (y & 255) + after(one)($<a & 7|(short)3|u & 3>) + p(3) + [&]() -> long long { if (x > 5) return 1; return c & 15; }(); }""",
    "statics": """
        F int next(int by = $K) { static int n = $K; static $T1 last; last = ($T1)(last + n); n += by; return n + (int)(last & 31); } template <int N> F int each() { static int n = N; return n++; }
        struct S { static inline V int n = $K; static constexpr int k[3] = {1, $K, 7}; F static int up() { return ++n; } }; V const int table[4] = {$K, 3, -2, 9}; constexpr int twice(int v) { return 2 * v; }
        F long long f(int a, unsigned u, long long c) { int s = next(); s += next($E{a u} ? 2 : 5); for (int i = 0; i < $K; ++i) { s += each<3>(); s -= each<8>(); } s += S::up(); s += S::k[$<0|1|2>] + table[2]; constexpr int d = twice($K); return s * 3ll + next() + S::n + d; }""",
    "switches": """
        enum E : $<signed char|unsigned short|int> { P = 1, Q, R = 7 }; enum class G { x = $K, y = 9 };
        F int pick(int v) { switch (v & 7) { case 0: v += $K; case 1: v ^= 5; break; case 2: { for (int i = 0; i < 3; ++i) { if (i == $K) break; v += i; } } [[fallthrough]]; case 3: return v * 3; case 4: case 5: if (v & 8) break; v--; default: v += 100; } return v; }
        F int kind(E e, G g) { switch (e) { case P: return g == G::x ? 1 : 2; case Q: return 3; default: return (int)e + (int)g; } }
        F long long f(int a, unsigned u, long long c) { int s = 0; for (int i = 0; i < $K + 1; ++i) { s += pick((i + a) & 31); if (s % 3 == 1) continue; if (s > 400) break; s += 2; } int i = 0; do { s ^= i; if (++i == $K) break; } while (i < 4 && s >= 0);
          while (i-- > 0) s += i; switch ($T1 y = ($T1)c; y) { case 3: s += 1000; break; case 5: s++; default: s += y & 3; } if (int t = s & 12; t > $K) s += t; else s -= t; goto end; s = 0; end: return s * 4ll + kind($<P|Q|R>, (a & 1) ? G::x : G::y); }""",
    "recursion": """
        F unsigned down(unsigned n, unsigned v) { return n == 0 ? v : down(n - 1, v * $K + n); } F int even(int n); F int odd(int n) { return n == 0 ? 0 : even(n - 1); } F int even(int n) { return n == 0 ? 1 : odd(n - 1); }
        F int ack(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1); return ack(m - 1, ack(m, n - 1)); }
        F long long f(int a, unsigned u, long long c) { return down($K, u) + even($K + 2) * 5ll + odd($K) + ack(1, $K); }""",
    "pointers": """
        F int add(int x, int y) { return x + y; } F int sub(int x, int y) { return x - y; } typedef int (*Op)(int, int); struct T { Op op; int by; T* next; F int g(int v) { return v * by; } F int h(int v) { return v - by; } };
        F int run(const T* t, int v) { int n = 0; while (t && n++ < 5) { v = t->op(v, t->by); t = t->next; } return v; } F int inc(int* p) { return ++*p; } F void put(int** p, int* q) { *p = q; }
        F long long f(int a, unsigned u, long long c) { T z{sub, $K, nullptr}, y{$<add|sub>, 3, &z}, x{add, (a) & 15, $<&y|&z|nullptr>}; Op o[] = {add, sub}; int n = (a) & 31, m = $K, *p = &n; int s = o[$<0|1>](run(&x, 5), $K); if (p) s += inc(p); put(&p, &m); *p += 2; s += *p + inc(&n);
          int T::*d = &T::by; int (T::*g)(int) = &T::$<g|h>; s += x.*d + (x.*g)($K); p = (u & 1) ? &n : &m; *p ^= $K; void* w = &z; s += static_cast<T*>(w)->by; return s * 3ll + n + m; }""",
    "operators": """
        struct V2 { int x, y; F V2 operator-() const { return {-x, y}; } F V2& operator+=(V2 o) { x += o.x; y ^= o.y; return *this; } F friend V2 operator*(V2 v, int k) { return {v.x * k, v.y + k}; } F bool operator==(const V2&) const = default;
          F explicit operator bool() const { return x > y; } F int operator()(int k) const { return x * k + y; } F V2& operator++() { ++x; return *this; } F V2 operator++(int) { V2 o = *this; ++y; return o; } F operator long long() const { return x - y; } F bool operator<(V2 o) const { return x < o.x; } };
        F long long f(int a, unsigned u, long long c) { V2 v{(a) & 31, $K}, w = v * $K; w += -v; v += w++; ++w; V2 t = w++ * 2; int s = v == w; if (v) s += 2; s += (v < w) * 4 + t($K); const V2 k = (u & 1) ? v : t; return s * 5 + (long long)k + w.x + 3 * w.y; }""",
    "temporaries": """
        V unsigned order; struct N { int k; F N(int v) : k(v) { order = order * 3 + (unsigned)v; } F N(const N& o) : k(o.k + 1) { order = order * 5 + 1; } F ~N() { order = order * 7 + (unsigned)k; } F N then(int v) const { return N(k ^ v); } F operator int() const { return k; } };
        struct H { N first{$K}; N second; N more[2] = {$K, 7}; F H(int v) : second(v & 7) {} }; struct J : H { N last; F J() : H($K), last(4) {} }; F int take(N n) { return n.k; } F int look(int v, const N& m = N($K)) { return v + m.k; }
        F long long f(int a, unsigned u, long long c) { int s = N($K).then((a) & 7).then(2); s += take(3); s += take(N($K).then(1) ? 2 : 3); s += look(1); s += look(2, N(s & 1)); { H h(s); H i = h; s += i.second; } if (N((a) & 1) || N(2)) s++; s += (u & 1) ? (int)N(5) : (int)N(6).then(1); { const N& r = $<N(8).then(1)|N(4)>; J j; s += r.k + j.last; } for (N n(0); n.k < $K; n.k++) s += N(n.k); return s * 3ll + order; }""",
}  # fmt: skip


@dataclass(frozen=True)
class Program:
    """A program that ends with its values in ``out0`` to ``out3``; ``run()`` does its work."""

    text: str
    kernel: bool


class _Filler(Generator):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.types: dict[str, str] = {}

    def filled(self, text: str) -> str:
        """A text without its holes."""
        self.types.clear()
        return _HOLE.sub(self._fill, text)

    def _fill(self, hole: re.Match[str]) -> str:
        kind, names, type_, options = hole.groups()
        if kind is not None:
            self.names = names.split()
            return self.statements(1, 2) if kind == "S" else self.expression(3 if kind == "B" else 2)
        if type_ is not None:
            return self.types.setdefault(type_, self.pick(_INTEGERS))
        return str(self.random.randrange(1, 5)) if options is None else self.filled_choice(options)

    def filled_choice(self, options: str) -> str:
        """One of the texts between bars, without its holes."""
        return _HOLE.sub(self._fill, self.pick(options.split("|")))


def program(seed: int) -> Program:
    """A program; kernels do the work of those with odd seeds."""
    random = Random(seed)
    kernel = bool(seed % 2)
    names = random.sample([name for name in CONSTRUCTS if not (kernel and name in HOST_ONLY)], 3)
    filler = _Filler(seed)
    parts = [f"namespace n{i} {{ // {name}{filler.filled(CONSTRUCTS[name])}\n}}" for i, name in enumerate(names)]
    starts = [random.choice(("0", "1", "3", "-7", "100", "12345")) for _ in range(3)]
    known = random.random() < 0.3
    ins = " ".join(f"V {'const ' * known}{t} in{i} = ({t}){v};"
                   for i, (t, v) in enumerate(zip(("int", "unsigned", "long long"), starts, strict=True)))  # fmt: skip
    outs = " ".join(f"V {t} out{i};" for i, t in enumerate(RESULTS))
    calls = random.choice((
        "unsigned long long s = n0::f(a, u, c); s = s * 5 + n1::f((int)s, u, a); s += n2::f(a, (unsigned)c, 5);",
        "unsigned long long s = 0; for (int i = 0; i < 2; ++i) { s += n0::f(a + i, u, c); if (i) s ^= n1::f(i, u, 2); }"
        " s = s * 3 + n2::f(1, u, (long long)s);",
        "unsigned long long s = a & 1 ? n0::f(a, 2, c) : n1::f(3, u, c); s = s * 7 + n2::f(a, u + 1, -3) + n0::f(2, 3, 4);",
    ))  # fmt: skip
    work = (
        f"int a = in0; unsigned u = in1; long long c = in2; {calls} "
        "out0 = (long long)s; out1 = (unsigned)(s >> 7); out2 = (int)(s % 1000); out3 = s ^ u;"
    )
    ends = f"__global__ void k() {{ {work} }}\nvoid run() {{ RUN(k); }}" if kernel else f"void run() {{ {work} }}"
    return Program("\n".join((ins, outs, *parts, ends, "")), kernel)
