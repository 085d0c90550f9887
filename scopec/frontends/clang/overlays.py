"""Headers with scopec's meaning for what only waits, or is in the way: made of the file that is there.

Here are those of NVIDIA's CCCL; those of the C++ library are in ``host_overlays.py``.

One is refused with a sentence where the file is not as it is known: a meaning that is laid over another function than
its own would be wrong.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import platformdirs

from scopec.base.cache import key, make_private
from scopec.base.diagnostics import EngineError
from scopec.base.records import dataclass
from scopec.base.scratch import make_scratch_folder
from scopec.frontends.clang.brackets import after_group

if TYPE_CHECKING:
    from pathlib import Path

#: A wait polls until it is over; libcu++ counts its polls and sleeps between them, which changes nothing but the time.
#: One that ends at a time may find the condition at its last poll, or not.
_POLL = """
{
  if (__max != ::cuda::std::chrono::nanoseconds::zero())
  {
    return __f();
  }
  while (!__f())
  {
  }
  return true;
}"""
_POLLS = re.compile(
    r"template <class _Fn>\s*(?:\w+\s+)+bool __cccl_thread_poll_with_backoff\(\s*_Fn&& __f,"
    r"\s*[\w:]+::chrono::nanoseconds __max = [\w:]+::chrono::nanoseconds::zero\(\)\)\s*(?=\{)"
)
#: A barrier of block scope is one of scopec's own, wherever it lies: libcu++'s asks for the address space, and has a
#: destructor, which clang takes in no shared memory.
_BARRIER = """
{
public:
  ::__scopec::barrier<::__scopec::thread_scope_block> __barrier;
  using arrival_token = ::cuda::std::uint64_t;

  barrier() = default;
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  __host__ __device__ constexpr barrier(::cuda::std::ptrdiff_t __expected,
                                ::cuda::std::__empty_completion = ::cuda::std::__empty_completion())
      : __barrier(__expected)
  {}
  __host__ __device__ inline friend void
  init(barrier* __b, ::cuda::std::ptrdiff_t __expected,
       ::cuda::std::__empty_completion = ::cuda::std::__empty_completion())
  {
    __scopec_barrier_init(&__b->__barrier.__scopec_state, __expected);
  }
  __host__ __device__ arrival_token arrive(::cuda::std::ptrdiff_t __update = 1)
  {
    return arrival_token(__barrier.arrive(__update).__scopec_phase);
  }
  __host__ __device__ void wait(arrival_token&& __phase) const
  {
    __barrier.wait({long(__phase)});
  }
  __host__ __device__ void wait_parity(bool __phase_parity) const
  {
    __barrier.wait_parity(__phase_parity);
  }
  __host__ __device__ void arrive_and_wait()
  {
    __barrier.arrive_and_wait();
  }
  __host__ __device__ void arrive_and_drop()
  {
    __barrier.arrive_and_drop();
  }
  [[nodiscard]] __host__ __device__ static constexpr ::cuda::std::ptrdiff_t max() noexcept
  {
    return (1 << 20) - 1;
  }
  [[nodiscard]] __host__ __device__ bool __try_wait(arrival_token __token) const
  {
    return __barrier.try_wait({long(__token)});
  }
  [[nodiscard]] __host__ __device__ bool __try_wait_parity(bool __phase_parity) const
  {
    return __barrier.try_wait_parity(__phase_parity);
  }
  template <class _Duration>
  [[nodiscard]] __host__ __device__ bool try_wait_for(arrival_token&& __token, const _Duration& __d)
  {
    return __barrier.try_wait_for({long(__token)}, __d);
  }
  template <class _Time>
  [[nodiscard]] __host__ __device__ bool try_wait_until(arrival_token&& __token, const _Time& __t)
  {
    return __barrier.try_wait_until({long(__token)}, __t);
  }
  template <class _Duration>
  [[nodiscard]] __host__ __device__ bool try_wait_parity_for(bool __phase_parity, const _Duration& __d)
  {
    return __barrier.try_wait_parity_for(__phase_parity, __d);
  }
  template <class _Time>
  [[nodiscard]] __host__ __device__ bool try_wait_parity_until(bool __phase_parity, const _Time& __t)
  {
    return __barrier.try_wait_parity_until(__phase_parity, __t);
  }
}"""
_BARRIERS = re.compile(
    r"template <>\s*class barrier<thread_scope_block, [\w:]+::__empty_completion> : public __block_scope_barrier_base"
    r"\s*(?=\{)"
)


@dataclass(frozen=True)
class Change:
    """Functions, or a class, whose body is replaced: so many begin in a way, where parts of that are exchanged.

    Functions that are only ``declared`` get a body.
    """

    begin: re.Pattern[str]
    body: str
    count: int = 1
    named: tuple[str, str] = ("", "")
    declared: bool = False


#: Headers that are changed: what is read before each, and the changes.
Overlays = Mapping[str, tuple[str, tuple[Change, ...]]]


def _operation(name: str, parameters: str, body: str, named: tuple[str, str] = ("", "")) -> Change:
    """An operation of a device, on objects that are volatile and on others."""
    begin = rf"(?:void|bool|_Type) __atomic_{name}_cuda\({parameters}, _Sco\)\s*(?=\{{)"
    return Change(re.compile(begin), f"\n{{\n  {body}\n}}", 2, named)


_AT = r"(?:const |volatile )?_Type(?: volatile)?\* __ptr"
_ON = "::__scopec::atomic_operations<_Type, _Sco>::"
#: A wait blocks until it is notified, as [atomics.wait] has it; libcu++ only polls.
_OF_WAITS = "template <typename _Tp, typename _Sco>\\s*(?:\\w+\\s+)+void "
_UNDERLYING = "<_Tp, __atomic_underlying_remove_cv_t<_Tp>"
_WAITS = (
    Change(
        re.compile(
            _OF_WAITS + r"__atomic_wait\(\s*_Tp const volatile\* __a, __atomic_underlying_remove_cv_t<_Tp> const __val,"
            r" memory_order __order, _Sco = \{\}\)\s*(?=\{)"
        ),
        f"\n{{\n  ::__scopec::atomic_wait{_UNDERLYING}, _Sco>(__a, __val, static_cast<int>(__order));\n}}",
    ),
    *(
        Change(
            re.compile(_OF_WAITS + rf"__atomic_notify_{whom}\(_Tp const volatile\*, _Sco\)\s*(?=\{{)"),
            f"\n{{\n  ::__scopec::atomic_notify{_UNDERLYING}>(__a, {every});\n}}",
            named=("volatile*,", "volatile* __a,"),
        )
        for whom, every in (("one", "false"), ("all", "true"))
    ),
)
_OPERATIONS = (
    Change(
        re.compile(r"void __atomic_thread_fence_cuda\(int __memorder, _Sco\)\s*(?=\{)"),
        "\n{\n  __scopec_fence(__memorder, ::__scopec::scope_of<_Sco>::value);\n}",
    ),
    _operation("load", _AT + r", _Type& __dst, int __memorder", f"__dst = {_ON}load(__ptr, __memorder);"),
    _operation("store", _AT + r", _Type& __val, int __memorder", f"{_ON}store(__ptr, __val, __memorder);"),
    _operation(
        "exchange", _AT + r", _Type& __old, _Type __new, int __memorder",
        f"__old = {_ON}exchange(__ptr, __new, __memorder);",
    ),
    _operation(
        "compare_exchange",
        _AT + r", _Type\* __exp, _Type __des, bool, int __success_memorder, int __failure_memorder",
        f"return {_ON}compare_exchange(__ptr, __exp, __des, __weak, __success_memorder, __failure_memorder);",
        (" bool,", " bool __weak,"),
    ),
    *(
        _operation(
            f"fetch_{name}", _AT + r", _Up __op, int __memorder",
            f"return {_ON}fetch_{name}(__ptr, __op, __memorder);",
        )
        for name in ("add", "and", "max", "min", "or", "xor")
    ),
)  # fmt: skip
_SCOPE = "::__scopec::scope_of<__scope_to_tag<_Sco>>::value"


def _made_of(declaration: str, name: str, base: str) -> Change:
    """A class that is one of scopec's own, with libcu++'s constructor and largest number."""
    body = f"""
    : public {base}
{{
public:
  __host__ __device__ constexpr explicit {name}(ptrdiff_t __count)
      : {base}(__count)
  {{}}
  [[nodiscard]] __host__ __device__ static constexpr ptrdiff_t max() noexcept
  {{
    return numeric_limits<ptrdiff_t>::max();
  }}
}}"""
    return Change(re.compile(rf"{declaration}\s*(?=\{{)"), body)


#: Semaphores and latches block, as [thread.sema] and [thread.latch] have it; libcu++ goes round and waits instead.
_SEMAPHORES = (
    _made_of(
        r"template <thread_scope _Sco, ptrdiff_t __least_max_value>\s*class __atomic_semaphore",
        "__atomic_semaphore",
        f"::__scopec::counting_semaphore<{_SCOPE}, __least_max_value>",
    ),
    _made_of(
        r"template <thread_scope _Sco>\s*class __atomic_semaphore<_Sco, 1>",
        "__atomic_semaphore",
        f"::__scopec::counting_semaphore<{_SCOPE}, 1>",
    ),
)
_LATCHES = (
    _made_of(
        r"template <thread_scope _Sco = thread_scope_system>\s*class __latch_base",
        "__latch_base",
        f"::__scopec::latch<{_SCOPE}>",
    ),
)
#: Scope `thread` orders nothing between threads, as the documents say; libcu++ has that of the block for it.
_THREAD_SCOPE = Change(
    re.compile(r"struct __scope_enum_to_tag<\(int\) thread_scope_thread>\s*(?=\{)"),
    "\n{\n  using __tag = __thread_scope_thread_tag;\n}",
)
#: CUB declares its storage as words of the widest access that is possible, and looks at it as the numbers that it keeps
#: there.  Where these need no constructor they may be declared as what they are.
_STORAGE = Change(
    re.compile(r"template <typename T>\s*struct Uninitialized\s*(?=\{)"),
    """
{
  using DeviceWord = typename UnitWord<T>::DeviceWord;
  static constexpr ::cuda::std::size_t DATA_SIZE = sizeof(T);
  static constexpr ::cuda::std::size_t WORD_SIZE = sizeof(DeviceWord);
  static constexpr ::cuda::std::size_t WORDS     = DATA_SIZE / WORD_SIZE;

  struct __words
  {
    DeviceWord __scopec_words[WORDS];
  };
  ::cuda::std::conditional_t<__is_trivially_constructible(T), T, __words> storage;

  __host__ __device__ T& Alias()
  {
    return reinterpret_cast<T&>(*this);
  }
}""",
)
_LIBCUDACXX = "#include <scopec/libcudacxx.h>\n"
_BARRIERS_OF_SCOPEC = "#include <scopec/barrier.h>\n"
_OVERLAYS: Overlays = {
    "cub/util_type.cuh": ("", (_STORAGE,)),
    "cuda/std/__atomic/scopes.h": ("", (_THREAD_SCOPE,)),
    "cuda/std/__thread/threading_support.h": ("", (Change(_POLLS, _POLL),)),
    "cuda/__barrier/barrier_block_scope.h": (_BARRIERS_OF_SCOPEC, (Change(_BARRIERS, _BARRIER),)),
    "cuda/std/__semaphore/atomic_semaphore.h": (_LIBCUDACXX + _BARRIERS_OF_SCOPEC, _SEMAPHORES),
    "cuda/std/__latch/latch.h": (_LIBCUDACXX + _BARRIERS_OF_SCOPEC, _LATCHES),
    "cuda/std/__atomic/wait/notify_wait.h": (_LIBCUDACXX, _WAITS),
    "cuda/std/__atomic/functions/cuda_ptx_generated.h": (_LIBCUDACXX, _OPERATIONS),
}


def overlaid(cccl: Path) -> tuple[Path, str]:
    """A folder with the changed headers of a CCCL, and a digest of them.

    Raises EngineError where one of its files is not as it is known.
    """
    # A clone of CCCL has its parts in folders of their own.
    parts = {"cuda", *(part for part in ("cub",) if (cccl / part).is_dir())}
    return laid_over(cccl, {name: one for name, one in _OVERLAYS.items() if name.partition("/")[0] in parts})


def laid_over(library: Path, overlays: Overlays) -> tuple[Path, str]:
    """A folder with the changed headers of a library, and a digest of them.

    Raises EngineError where one of its files is not as it is known.
    """
    texts = {name: _changed(library, name, before, changes) for name, (before, changes) in overlays.items()}
    digest = key(*(part for item in texts.items() for part in item))
    folder = _folder(digest)
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            new = file.with_name(f".{os.getpid()}")  # another call may read it now
            new.write_text(text, encoding="utf-8")
            new.replace(file)
    return folder, digest


def _changed(library: Path, name: str, before: str, changes: tuple[Change, ...]) -> str:
    try:
        text = (library / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    for change in changes:
        found = list(change.begin.finditer(text))
        if len(found) != change.count:
            message = f"the header {name} of {library} is not as scopec knows it, and what it means is not known"
            raise EngineError(f"{message}: pip install 'scopec[headers]' has one that is")
        for at in reversed(found):
            begin = at[0].rstrip().replace(*change.named) if change.named[0] else at[0].rstrip()
            end = at.end() if change.declared else after_group(text, at.end(), "{}")
            text = text[: at.start()] + begin + change.body + text[end:]
    return before + text


def _folder(digest: str) -> Path:
    """The folder of changed headers: in the user's cache, else one of this call's."""
    kept = platformdirs.user_cache_path("scopec") / "headers"
    try:
        make_private(kept)
    except OSError:
        kept = make_scratch_folder()
    return kept / digest[:32]
