"""The first pass: comments blanked, directives set apart, positions kept."""

from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.files import read_source
from scopec.base.source import Source, Span
from scopec.frontends.scoped.syntax.scan import scan


def scanned(text: str) -> tuple[str, str]:
    result = scan(Source("a.cu", text))
    return result.code, result.directives


def test_every_character_keeps_its_place() -> None:
    text = '#include <x>\nint a; // c\n/* b\n */ int "s//t"; //@ expect race;\n'
    code, directives = scanned(text)
    assert len(code) == len(directives) == len(text)
    assert [len(line) for line in code.split("\n")] == [len(line) for line in text.split("\n")]
    assert "int a;" in code
    assert '"s//t"' in code
    assert "c" not in code.split("\n")[1]
    assert directives.strip() == "expect race;"
    assert text.index("expect") == directives.index("expect")


def test_a_directive_inside_a_comment_is_none() -> None:
    assert scanned("/* //@ expect race; */")[1].strip() == ""
    assert scanned('"//@ expect race;"')[1].strip() == ""


def test_a_line_comment_goes_on_after_a_backslash() -> None:
    assert scanned("// a \\\n int b;\nint c;")[0].strip() == "int c;"


def test_digit_separators_are_not_characters() -> None:
    assert scanned("1'000'000 + 'a'")[0] == "1'000'000 + 'a'"


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("int a; /* b", "SCP004", 8),
        ('int a = "b;\n', "SCP004", 9),
    ],
)
def test_errors(text: str, code: str, column: int) -> None:
    with pytest.raises(InputError) as raised:
        scanned(text)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code.id, diagnostic.span.line, diagnostic.span.column) == (code, 1, column)


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.cu"
    path.write_bytes("int a;\n// é".encode("latin-1"))
    with pytest.raises(InputError) as raised:
        read_source(path)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code.id, diagnostic.span.line, diagnostic.span.column) == ("SCP003", 2, 4)


def test_byte_order_mark_and_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "bom.cu"
    path.write_bytes(b"\xef\xbb\xbfint a;")
    assert read_source(path).text == "int a;"
    with pytest.raises(InputError, match="SCP002"):
        read_source(tmp_path / "none.cu")


def test_spans_count_from_one() -> None:
    source = Source("a.cu", "ab\ncd\n")
    assert source.span(3, 5) == Span("a.cu", 2, 1, 2, 3)
    assert source.text_of(source.span(1, 4)) == "b c"
    assert source.line(2) == "cd"
    assert source.line(9) == ""
