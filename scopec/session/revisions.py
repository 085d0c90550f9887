"""Content of a git revision, beside what is there now; git runs nothing of the repository's.

A repository may have been written by somebody else, whose settings are programs: a monitor of the file system, filters
that files go through, hooks, transports.  So git is asked for three lists only, with all of these off (gitattributes,
githooks, git-config): which objects a revision has, which files there are that are not ignored, and where the
repository is.  Contents are compared here, byte for byte; files that filters would change count as changed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from typing import TYPE_CHECKING

from scopec.base.diagnostics import UsageError
from scopec.base.lazy_import import later
from scopec.base.records import dataclass

if TYPE_CHECKING:
    import hashlib
    import subprocess
    from collections.abc import Collection, Mapping
else:
    hashlib = later("hashlib")
    subprocess = later("subprocess")

_LINK = "120000"
#: Larger files are no programs, and count as changed.
_MOST_BYTES = 64 << 20
#: Other settings of a repository that make git run, or ask.
_OFF = (
    "safe.bareRepository=explicit",  # a folder of ordinary files may look like a repository
    "core.fsmonitor=false", "core.untrackedCache=false", f"core.hooksPath={os.devnull}", "submodule.recurse=false",
)  # fmt: skip
#: Objects that are elsewhere are not fetched: that runs programs too.
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}  # fmt: skip
#: Variables of git's that say how it works for the user, and not which repository it looks at.
_KEPT = re.compile(r"GIT_(CONFIG_\w+|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)")


@dataclass(frozen=True)
class Revision:
    """A revision of the repository at ``top``: by its name the mode and object of each file.

    ``present`` are the names of the files that are there now and not ignored, and, with a slash behind, of the folders
    that are other repositories.
    """

    top: Path
    objects: Mapping[str, tuple[str, str]]
    present: Collection[str]

    def differs(self, path: Path, *, outside: bool) -> bool:
        """Whether a file, or what it is a link to, is not as it was.

        ``outside`` is what is said of a file that is not of this repository, and so of no revision.
        """
        return any(
            self._differs(place, outside=outside) for place in {path.parent.resolve() / path.name, path.resolve()}
        )

    def _differs(self, path: Path, *, outside: bool) -> bool:
        if not path.is_relative_to(self.top):
            return outside
        name = path.relative_to(self.top).as_posix()
        if name in self.objects:
            return not _is(path, *self.objects[name])
        return name in self.present or self._in_another(name)

    def _in_another(self, name: str) -> bool:
        """Whether a file is one of another repository inside this one."""
        parts = name.split("/")
        above = ("/".join(parts[:n]) for n in range(1, len(parts)))
        return any(f"{folder}/" in self.present or self.objects.get(folder) is not None for folder in above)


def revision(folder: Path, name: str) -> Revision:
    """A revision of the repository that a folder is in; UsageError where there is none, or git cannot say."""
    if name.startswith("-"):
        raise UsageError(f"--changed-since takes a revision, not `{name}`")
    top = next((above for above in (folder, *folder.parents) if (above / ".git").exists()), None)
    if top is None:
        raise UsageError(f"--changed-since: {folder} is not in a git repository")
    if Path(_git(top, "rev-parse", "--show-toplevel").rstrip("\n")).resolve() != top.resolve():
        raise UsageError(f"--changed-since: the files of the repository {top} are elsewhere")
    tree = _git(top, "rev-parse", "--verify", "--quiet", f"{name}^{{tree}}", wrong=f"there is no revision `{name}`")
    objects = {}
    for line in _git(top, "ls-tree", "-r", "-z", "--full-tree", tree.strip()).split("\0")[:-1]:
        about, _, file = line.partition("\t")
        mode, _, object_ = about.split(" ")
        objects[file] = mode, object_
    present = _git(top, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return Revision(top, objects, frozenset(present))


def _is(path: Path, mode: str, object_: str) -> bool:
    """Whether a file is a blob, or was one whose lines ended otherwise (gitattributes, text)."""
    try:
        status = path.lstat()
        if (mode == _LINK) != S_ISLNK(status.st_mode):
            return False
        if mode == _LINK:
            return _object(os.fsencode(path.readlink()), object_)
        if not S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return False
        content = path.read_bytes()
    except OSError:  # it is gone, or cannot be read
        return False
    return _object(content, object_) or _object(content.replace(b"\r\n", b"\n"), object_)


def _object(content: bytes, name: str) -> bool:
    """Whether a blob of this content has a name (git hash-object); SHA-1 or SHA-256, by its length."""
    made = hashlib.new("sha1" if len(name) == 40 else "sha256", usedforsecurity=False)
    made.update(b"blob %d\0" % len(content) + content)
    return made.hexdigest() == name


def _git(folder: Path, *arguments: str, wrong: str = "") -> str:
    """The output of git; UsageError if it fails, or is not there."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or _KEPT.fullmatch(k)}
    settings = (word for setting in _OFF for word in ("-c", setting))
    try:
        done = subprocess.run(
            ["git", "--no-pager", "-C", folder, *settings, *arguments], env=environment | _ENVIRONMENT,
            capture_output=True, text=True, encoding="utf-8", errors="surrogateescape", check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as failure:
        raise UsageError(f"--changed-since needs git: {failure.strerror}") from failure
    if done.returncode != 0:
        lines = sorted(done.stderr.splitlines(), key=lambda line: not line.startswith("fatal: ")) or [wrong]
        raise UsageError(f"--changed-since: git says: {lines[0].removeprefix('fatal: ')}")
    return done.stdout
