"""The command line: options in, exit status out; the work is done elsewhere (results note)."""

from __future__ import annotations

import _thread
import errno
import gc
import io
import os
import signal
import sys
import time
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from scopec.base.children import prepare_for_little_memory
from scopec.base.diagnostics import InputError, ScopecError, UsageError, internal_error, starved
from scopec.base.excerpt import clean
from scopec.base.version import __version__
from scopec.cli.check import check
from scopec.cli.compare import compare
from scopec.cli.compile import compile_
from scopec.cli.doctor import doctor
from scopec.cli.help import ExampleGroup
from scopec.cli.init import init
from scopec.cli.listings import docs, explain, models
from scopec.cli.lsp import lsp
from scopec.cli.man import man
from scopec.cli.messages import say, show
from scopec.cli.outcomes import outcomes
from scopec.cli.run import run
from scopec.cli.serve import serve
from scopec.cli.settings import defaults
from scopec.cli.trace import trace
from scopec.cli.weaken import weaken
from scopec.report import terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

# Start-up: what is needed at the end of a call alone is imported there.
_INTERRUPTED = 130
#: The times at which signals told this process to end, and the seconds that it may take.
_told_to_end: list[float] = []
_LEAVING_SECONDS = 5.0
#: The errors of click's writes to standard output: no space, nobody who reads, a broken device.
_UNWRITABLE = (errno.ENOSPC, errno.EPIPE, errno.EIO)


@click.group(
    cls=ExampleGroup,
    examples={
        "scopec check kernel.cu": "Whether its kernels race and end, and a counterexample if they do not.",
        "scopec trace kernel.cu -o race.html": "The first counterexample as a page, with the source beside it.",
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="scopec")
def commands() -> None:
    """Check CUDA-style programs: is the synchronisation right at its scopes, and do they always finish?"""


for command in (
    check,
    init,
    trace,
    compare,
    weaken,
    outcomes,
    run,
    compile_,
    models,
    doctor,
    explain,
    docs,
    man,
    serve,
    lsp,
):
    commands.add_command(command)
commands.add_command(doctor, "engines")


def main() -> NoReturn:
    """Carry out the command of this process."""
    _open_streams()
    prepare_for_little_memory()
    sys.unraisablehook = _unraisable
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):  # the last two are not on every system
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _terminate)
    # What is made at the start is kept: to look through it again and again takes a tenth more.
    gc.set_threshold(200_000)
    try:
        _refuse_files(sys.argv[1:])
        # An editor starts a language server where its settings may be wrong just then; it reads those of each file.
        settings = {} if sys.argv[1:2] == ["lsp"] else defaults(commands.commands.values(), Path.cwd())
        status = commands(standalone_mode=False, default_map=settings, obj=main)
        sys.exit(status if isinstance(status, int) else 0)
    except (click.exceptions.Abort, KeyboardInterrupt):  # the latter where click is not yet at work
        terminal.tell("interrupted")
        _leave(_INTERRUPTED)
    except click.ClickException as bad:
        said = io.StringIO()
        bad.show(said)
        for line in said.getvalue().splitlines():
            terminal.tell(clean(line))
        sys.exit(2)
    except InputError as bad_input:
        for diagnostic in bad_input.diagnostics:
            show(diagnostic)
        sys.exit(bad_input.exit_code)
    except ScopecError as failed:
        say(str(failed))
        sys.exit(failed.exit_code)
    except OSError as failure:
        if failure.errno not in _UNWRITABLE or failure.filename is not None:
            _bug(failure)
        terminal.abandon(sys.stdout)
        say(f"cannot write standard output: {failure.strerror}")
        sys.exit(2)
    except Exception as bug:
        _bug(bug)
    finally:
        gc.freeze()  # what is left ends with the process: Python would look through all of it first


def _refuse_files(arguments: Sequence[str]) -> None:
    """Raise UsageError for a file that would be taken for an option.

    Names of files come from a shell's `*`, from a hook or from a list of what has changed, and somebody else gave them.
    """
    for word in takewhile(lambda word: word != "--", arguments):
        if word.startswith("-") and os.path.lexists(word):
            raise UsageError(
                f"`{word}` is a file here, and would be taken for an option: give it as ./{word}, or behind --"
            )


def _bug(bug: Exception) -> NoReturn:
    """Report a bug: whatever it is, the user gets a sentence and a status, not a traceback."""
    if os.environ.get("SCOPEC_DEBUG"):
        raise bug
    say(internal_error(bug))
    sys.exit(4 if starved(bug) else 3)


def _leave(status: int) -> NoReturn:
    """End the process at once: a thread that computes cannot be stopped, and would be waited for."""
    from scopec.base.scratch import remove_scratch_folders

    remove_scratch_folders()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _terminate(_signal: int, _frame: object) -> None:
    """The first signal ends the call in order, which others do not disturb while it takes a moment."""
    now = time.monotonic()
    _told_to_end.append(now)
    if len(_told_to_end) == 1:
        with suppress(RuntimeError):  # there is no thread to be had
            _thread.start_new_thread(_insist, ())  # without the locks of `threading`, which this thread may hold
        raise KeyboardInterrupt
    if now > _told_to_end[0] + _LEAVING_SECONDS:
        os._exit(_INTERRUPTED)


def _unraisable(dropped: sys.UnraisableHookArgs) -> None:
    """Python dropped an exception, as it does in finalizers and around a fork: an interruption comes again."""
    if dropped.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(dropped)
        return
    _told_to_end.clear()
    with suppress(RuntimeError):
        _thread.start_new_thread(_interrupt_again, ())


def _interrupt_again() -> None:
    time.sleep(0.01)  # what is raised before Python is back from where it drops exceptions is dropped too
    _thread.interrupt_main()


def _insist() -> None:
    """End the process where the call does not: Python drops an exception that it raises in a finalizer, say."""
    time.sleep(_LEAVING_SECONDS)
    _leave(_INTERRUPTED)


def _open_streams() -> None:
    """Standard streams that the caller has closed are open to nothing: no file that is opened takes their number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.close(number)
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what its encoding does not have, or a name that is no text
            stream.reconfigure(errors="backslashreplace")
