"""The catalogue of diagnostics about bad input, and the exceptions that carry them.

Every message to a user about a program has a code from :class:`Code`; ``docs/diagnostics.md`` lists them.
"""

from __future__ import annotations

import errno
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Literal

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.base.source import Span

Severity = Literal["error", "warning"]


class Code(Enum):
    """One kind of diagnostic: its code, its meaning, and the way out."""

    # ---- files
    NOTHING_TO_CHECK = (
        "SCP001",
        "nothing to check",
        "name a .cu or .ptx file with a kernel, a .litmus file, or a folder that holds one",
    )
    UNREADABLE = ("SCP002", "the file cannot be read", "check the path and its permissions")
    NOT_UTF8 = ("SCP003", "the file is not UTF-8 text", "save the file as UTF-8")
    UNTERMINATED = ("SCP004", "a comment or literal is not closed", "close it")
    SYNTAX = ("SCP005", "the text does not parse", "see docs/language.md for the subset that scopec accepts")
    CPLUSPLUS = ("SCP006", "the text is not C++", "correct the errors that clang reports")
    FLAGS = (
        "SCP007",
        "build flags that clang refuses",
        "correct --std, -I, -D, -U or --include, or the compilation database",
    )
    BAD_SETTING = ("SCP008", "an unknown setting, or a setting with an invalid value", 'see docs/python.md, "Settings"')
    PYTHON_KERNEL = (
        "SCP009",
        "a kernel in Python of which no program can be made",
        'see docs/python.md, "Kernels in Python"',
    )
    # ---- names and types
    UNKNOWN_NAME = ("SCP010", "an undeclared name", "declare it, or correct the spelling")
    UNKNOWN_TYPE = (
        "SCP011",
        "a type that scopec does not model",
        "see docs/language.md for the types that scopec models",
    )
    OUTSIDE_SUBSET = (
        "SCP012",
        "a construct outside the modelled subset",
        "rewrite it with the constructs that docs/language.md lists",
    )
    UNMODELLED_CALL = (
        "SCP013",
        "a call that scopec does not model",
        "see docs/language.md for the functions it models",
    )
    BAD_ARGUMENTS = ("SCP014", "a call with arguments that do not fit", "compare with the function's documentation")
    TYPE_ERROR = ("SCP015", "an operation that its type does not have", "change the type or the operation")
    DUPLICATE = ("SCP016", "a name declared twice", "rename one of them")
    NOT_CONSTANT = ("SCP017", "a value that has to be a constant", "use a constant")
    UNINITIALISED = ("SCP018", "a local variable read before it has a value", "give it an initial value")
    BAD_LITERAL = ("SCP019", "a literal that does not fit its type", "use a value in range")
    # ---- directives
    BAD_DIRECTIVE = ("SCP020", "a directive that cannot be read", 'see docs/language.md, "Directives"')
    BAD_VARY = ("SCP021", "a `vary` that cannot be applied", "vary a constexpr of the file over values of its type")
    BAD_OPTION = ("SCP022", "an unknown option, attribute or bound", 'see docs/language.md, "Directives"')
    BAD_EXPECTATION = (
        "SCP023",
        "an expectation that can never be decided",
        "name a local as kernel[block][thread].name",
    )
    NO_THREADS = ("SCP024", "a launch of no threads", "launch at least one block of at least one thread")
    NOT_LAUNCHED = ("SCP025", "no kernel is launched", "write `int main()` or `//@ launch kernel<<<1, 1>>>();`")
    BAD_LAUNCH = ("SCP026", "a launch that does not fit its kernel", "pass one argument a parameter")
    NO_HOST = (
        "SCP027",
        "a host operation that the progress model does not have",
        "use the progress model `cuda`",
    )
    UNSEQUENCED = ("SCP028", "a variable changed and used by unordered operands", "write two statements")
    # ---- limits
    TOO_LARGE = ("SCP030", "a program beyond what scopec can explore", "use fewer threads, or a smaller bound")
    VALUE_RANGE = ("SCP031", "a value outside the range of the progress question", "use values of at most 31 bits")
    # ---- warnings
    RACY_PROGRESS = (
        "SCP040",
        "a progress verdict about a program that is undefined, or for which a limit left open whether it races",
        "first fix the race or the undefined operation, since nothing is promised to the program; or raise the limit",
    )
    IGNORED = ("SCP041", "a directive or option without effect", "remove it")
    DIVERGENT_BARRIER = (
        "SCP042",
        "a barrier that not every thread can reach, or that threads reach a different number of times",
        "have every thread reach it equally often: move it out of the condition, or give each thread as many turns",
    )
    MAYBE_UNSET = (
        "SCP043",
        "a local variable that may be read before it has a value",
        "give it an initial value",
    )
    DEAD_END = (
        "SCP044",
        "a wait that no execution passes",
        "check which thread should end the wait: what comes after it never happens, and is not checked",
    )
    NOT_KEPT = (
        "SCP045",
        "generated specifications that could not be kept",
        "free some disk space, or name another folder with --keep or XDG_CACHE_HOME",
    )
    NOT_MAPPED = (
        "SCP046",
        "host memory that devices cannot access",
        "register it with cudaHostRegister before, or use cudaMallocManaged; `//@ given pageableMemoryAccess = 1;` "
        "says that the machine's devices can",
    )
    WATCHDOG = (
        "SCP047",
        "a watchdog that is assumed not to fire",
        "`//@ options timeouts = eventually;` checks what happens when it fires",
    )
    COMES_AGAIN = (
        "SCP048",
        "a warp that arrives again at a barrier of its block before it waits there",
        "count both arrivals: each counts as 32 threads",
    )
    HOST_LEFT_OUT = (
        "SCP049",
        "host code that scopec does not read: launches of the kernels are guessed",
        "write launches: `scopec init` writes those that were guessed; --no-guess says what is not read",
    )
    NO_HEADER = (
        "SCP050",
        "a header of a library that scopec does not model",
        "pip install 'scopec[headers]' where it is NVIDIA's; leave out what needs it, or name a folder with one by -I",
    )
    BY_VALUE = (
        "SCP051",
        "streams whose order a value alone says, so that CUDA may put the wait before what it waits for",
        "record an event behind the write, and let the stream that waits wait for the event too",
    )
    NOT_NAMED = (
        "SCP052",
        "kernels of headers that are not asked, as the file names others",
        "check a file that includes the header alone, or write a `//@ launch` for each",
    )
    ANY_INDEX = (
        "SCP053",
        "an index that is not modelled, such as one made of a floating-point number, for which any element is taken",
        "whether it leaves the object is not asked; compute it from integers to have it modelled",
    )
    SOUGHT = (
        "SCP054",
        "a header that no flag names, found in the repository, or a file of which this one is a part",
        "name the header's folder with -I, or that file itself",
    )

    def __init__(self, id_: str, summary: str, way_out: str) -> None:
        self.id = id_
        self.summary = summary
        self.way_out = way_out

    @property
    def is_warning(self) -> bool:
        """Whether the program is checked all the same; a file may allow warnings alone."""
        return self.id >= "SCP040"


#: The codes that a file may allow.
WARNINGS = tuple(code.id for code in Code if code.is_warning)


def not_a_warning(code: str) -> str | None:
    """The reason why a code cannot be allowed, or None if it can."""
    return None if code in WARNINGS else f"`{code}` is not the code of a warning"


@dataclass(frozen=True)
class Diagnostic:
    """One message about one place of an input file.

    ``message`` is a sentence without a final full stop; ``help`` overrides the way out of the catalogue; ``line`` is
    the text of the line where it is, if that may be shown.
    """

    code: Code
    message: str
    span: Span
    help: str | None = None
    severity: Severity = "error"
    line: str | None = None

    @property
    def way_out(self) -> str:
        """The advice to the user: ``help``, or the way out of the catalogue."""
        return self.help if self.help is not None else self.code.way_out

    def __str__(self) -> str:
        return f"{self.span}: {self.severity}: {self.message} [{self.code.id}]"


class ScopecError(Exception):
    """A failure that scopec reports instead of a result; ``exit_code`` is the process's status (docs: results)."""

    exit_code: int = 3


class InputError(ScopecError):
    """The input cannot be checked; carries at least one diagnostic."""

    exit_code = 2

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join(str(d) for d in diagnostics))
        self.diagnostics = diagnostics


class UsageError(ScopecError):
    """A command line that cannot be carried out; its text says why and what to do."""

    exit_code = 2


class EngineError(ScopecError):
    """An engine is missing, or failed to answer; its text says why and what to do."""

    exit_code = 3


class UnavailableError(EngineError):
    """An engine that nobody named is not available here: another one may answer instead."""


class OutOfRangeError(EngineError):
    """An engine gives no answer because it cannot compute with a value of the program, which another one may."""


class ValuesError(EngineError):
    """An execution was found in which values depend on themselves, and nothing determines them."""

    exit_code = 4


class LimitError(ScopecError):
    """A limit of time or memory was reached; its text says which."""

    exit_code = 4


@contextmanager
def bounded_nesting(span: Span, what: str = "an expression or statement", help_: str = "split it up") -> Iterator[None]:
    """Raise InputError at ``span`` if the block nests deeper than Python's stack allows."""
    try:
        yield
    except RecursionError:
        raise error(Code.TOO_LARGE, f"{what} nests too deeply", span, help_) from None


#: Messages of Python and of the loader of libraries if the system gives no more.
#: Python's own code says "error return without exception set" where there was no memory to say more.
_STARVED = (
    "can't start new thread", "failed to map segment", "annot allocate memory", "out of memory",
    "without exception set", "without setting an exception",
)  # fmt: skip


def starved(failure: BaseException) -> bool:
    """Whether an exception says that the system gives this process no more memory, threads or open files."""
    if isinstance(failure, MemoryError) or getattr(failure, "errno", None) in (
        errno.ENOMEM,
        errno.EMFILE,
        errno.ENFILE,
    ):
        return True
    of_the_system = isinstance(failure, (RuntimeError, ImportError, OSError, SystemError))
    return of_the_system and any(words in str(failure) for words in _STARVED)


def internal_error(bug: Exception) -> str:
    """The message about an unexpected exception."""
    if starved(bug):
        said = f": {bug}" if str(bug) else ""
        return f"the system does not give scopec enough memory, threads or open files (ulimit -v, -u, -n){said}"
    return (
        f"internal error: {type(bug).__name__}: {bug}. This is a bug in scopec; please report it with the file and "
        "what scopec prints with SCOPEC_DEBUG=1 in the environment."
    )


def error(code: Code, message: str, span: Span, help: str | None = None) -> InputError:
    """The exception for one diagnostic."""
    return InputError(Diagnostic(code, message, span, help))


def suggestion(name: str, known: Iterable[str]) -> str | None:
    """``did you mean …?`` for a known name that ends with this one (``k.flag``) or is a slip away, or None."""
    from difflib import get_close_matches

    names = list(known)
    close = [n for n in names if n.endswith(f".{name}")] or get_close_matches(name, names, n=1, cutoff=0.75)
    close = close or [n for n in names if len(n) > 2 and sorted(n) == sorted(name)]  # letters that changed places
    return f"did you mean `{close[0]}`?" if close else None
