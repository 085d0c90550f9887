"""Headers of the C++ library, libc++, with scopec's meaning for the host's threads and what they wait for.

libc++ leaves these to a library that is linked.  :mod:`overlays` says how a header is changed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.frontends.clang.overlays import Change, Overlays, laid_over

if TYPE_CHECKING:
    from pathlib import Path

#: [thread.thread.constr]: the new thread works on copies, and destroys them.
_START = """
template <class _Gp>
void __scopec_run_thread(void* __state)
{
  _Gp& __g = *static_cast<_Gp*>(__state);
  std::__thread_execute(__g, __make_index_sequence<tuple_size<_Gp>::value - 1>());
  __g.~_Gp();
}

class"""
_CREATE = """
{
  typedef tuple<char, __decay_t<_Fp>, __decay_t<_Args>...> _Gp;
  union _State
  {
    _Gp __g;
    _State() {}
    ~_State() {}
  } __state;
  ::new (static_cast<void*>(&__state.__g)) _Gp(char(), std::forward<_Fp>(__f), std::forward<_Args>(__args)...);
  __t_ = __scopec_thread_create(__scopec_run_thread<_Gp>, &__state, sizeof __state);
}"""
_THREADS = (
    Change(re.compile(r"class(?= _LIBCPP_EXPORTED_FROM_ABI thread\s*\{)"), "", named=("class", _START), declared=True),
    Change(re.compile(r"explicit thread\(_Fp&& __f, _Args&&\.\.\. __args\)\s*(?=\{)"), _CREATE),
    *(
        Change(re.compile(begin + r"(?=;)", re.MULTILINE), " {\n" + body + "\n  }", declared=True)
        for begin, body in (
            (r"^  ~thread\(\)", "    if (joinable()) terminate();"),
            (r"^  void join\(\)", "    __scopec_thread_join(int(__t_));\n    __t_ = _LIBCPP_NULL_THREAD;"),
            (r"^  void detach\(\)", "    __scopec_thread_detach(int(__t_));\n    __t_ = _LIBCPP_NULL_THREAD;"),
            (r"static unsigned hardware_concurrency\(\) _NOEXCEPT", "    return __scopec_unknown<unsigned>();"),
        )
    ),
)
_YIELD, _SLEEP = "\n{\n  __scopec_yield(false);\n}", "\n{\n  __scopec_yield(true);\n}"
#: [thread.thread.this]: how long somebody sleeps changes no answer.
_THIS_THREAD = (
    Change(re.compile(r"inline _LIBCPP_HIDE_FROM_ABI void yield\(\) _NOEXCEPT\s*(?=\{)"), _YIELD),
    Change(
        re.compile(r"_LIBCPP_EXPORTED_FROM_ABI void sleep_for\(const chrono::nanoseconds& __ns\)(?=;)"),
        _SLEEP, named=("_LIBCPP_EXPORTED_FROM_ABI", "inline"), declared=True,
    ),
    Change(re.compile(r"void sleep_for\(const chrono::duration<_Rep, _Period>& __d\)\s*(?=\{)"), _SLEEP),
    Change(re.compile(r"void sleep_until\(const chrono::time_point<[\w:]+, _Duration>& __t\)\s*(?=\{)"), _SLEEP, 2),
)  # fmt: skip
#: [thread.mutex.class]: a semaphore that starts with one.
_MUTEX = """
    : private ::__scopec::counter<::__scopec::thread_scope_system>
{
public:
  constexpr mutex() noexcept : counter(1) {}
  mutex(const mutex&)            = delete;
  mutex& operator=(const mutex&) = delete;
  void lock() { acquire(); }
  [[__nodiscard__]] bool try_lock() noexcept { return try_acquire(); }
  void unlock() noexcept { add(1); }
  typedef __libcpp_mutex_t* native_handle_type;
  native_handle_type native_handle()
  {
    __scopec_unmodelled("std::mutex::native_handle");
    return nullptr;
  }
}"""


def _made_of(declaration: str, name: str, base: str) -> Change:
    """A class that is one of scopec's own."""
    body = f"""
    : public {base}
{{
public:
  constexpr explicit {name}(ptrdiff_t __count) : {base}(__count) {{}}
}}"""
    return Change(re.compile(rf"^{declaration}\s*(?=\{{)", re.MULTILINE), body)


_LATCH = _made_of("class latch", "latch", "::__scopec::latch<::__scopec::thread_scope_system>")
_SEMAPHORE = _made_of(
    r"template <ptrdiff_t __least_max_value = _LIBCPP_SEMAPHORE_MAX>\s*class counting_semaphore",
    "counting_semaphore",
    "::__scopec::counting_semaphore<::__scopec::thread_scope_system, __least_max_value>",
)
#: What a clock says is not modelled, nor are two readings of it the same.
_NOW = Change(
    re.compile(r"static time_point now\(\) _NOEXCEPT(?=;)"),
    " { return time_point(duration(__scopec_clock<rep>())); }",
    declared=True,
)
_INTRINSICS = "#include <scopec/intrinsics.h>\n"
_BARRIERS = "#include <scopec/barrier.h>\n"
_OVERLAYS: Overlays = {
    "__chrono/steady_clock.h": (_INTRINSICS, (_NOW,)),
    "__chrono/system_clock.h": (_INTRINSICS, (_NOW,)),
    "__thread/thread.h": (_INTRINSICS, _THREADS),
    "__thread/this_thread.h": (_INTRINSICS, _THIS_THREAD),
    "__mutex/mutex.h": (
        _BARRIERS,
        (Change(re.compile(r'class _LIBCPP_EXPORTED_FROM_ABI _LIBCPP_CAPABILITY\("mutex"\) mutex\s*(?=\{)'), _MUTEX),),
    ),
    "latch": (_BARRIERS, (_LATCH,)),
    "semaphore": (_BARRIERS, (_SEMAPHORE,)),
}


def overlaid_host(library: Path) -> tuple[Path, str]:
    """A folder with the changed headers of libc++, and a digest of them.

    Raises EngineError where one of its files is not as it is known.
    """
    return laid_over(library, _OVERLAYS)
