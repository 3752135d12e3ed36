"""How a CSV file is written is found from it, said, and settable."""

from pathlib import Path

import pytest

from tacit.data.reading.csv_dialect import CsvDialect, found_decimal, found_encoding
from tacit.data.reading.table_source import open_table, read_table
from tacit.data.rows.encoding import encode, open_for
from tacit.data.schemas.columns import Categorical, Numeric
from tacit.data.schemas.file import format_schema, parse_schema
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, SchemaError

GERMAN = "größe;ort\n1,75;Köln\n-0,5;Gießen\n2;Köln\n"
SCHEMA = Schema((Numeric("größe", (-1, 3)), Categorical("ort", ("Köln", "Gießen"))))


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("utf-8", "separator semicolon, decimal comma"),
        ("utf-8-sig", "separator semicolon, decimal comma"),
        ("utf-16", "separator semicolon, decimal comma, encoding utf-16"),
        ("latin-1", "separator semicolon, decimal comma, encoding cp1252"),
    ],
)
def test_a_german_file_is_read_in_every_encoding(tmp_path: Path, encoding: str, words: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(GERMAN.encode(encoding))
    source = open_for(path, SCHEMA)
    assert source.notes == words
    assert encode(source.read(), SCHEMA).X.tolist() == [[2.75 / 4, 1, 0], [0.5 / 4, 0, 1], [3 / 4, 1, 0]]


def test_a_usual_file_has_nothing_to_say(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1.5,x\n")
    assert open_table(tmp_path / "t.csv").notes == ""


def test_what_the_schema_states_is_not_looked_for(tmp_path: Path) -> None:
    text = 'version = 1\ncsv = { separator = ";", decimal = ".", encoding = "latin-1" }\n'
    schema = parse_schema(f'{text}[columns.a]\nkind = "categorical"\ncategories = ["1,5", "é"]\n')
    assert schema.csv == CsvDialect(";", ".", "latin-1")
    assert parse_schema(format_schema(schema)) == schema
    (tmp_path / "t.csv").write_bytes("a;b\n1,5;\né;\n".encode("latin-1"))
    assert open_for(tmp_path / "t.csv", schema).read(["a"])["a"].to_list() == ["1,5", "é"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('csv = { comma = ";" }', "csv must be a table with separator, decimal, encoding"),
        ('csv = { separator = ";;" }', "csv: separator must be one character"),
        ('csv = { decimal = ";" }', "csv: decimal must be"),
        ('csv = { encoding = "klingon" }', "csv: encoding must be a codec"),
        ("csv = 7", "csv must be a table"),
    ],
)
def test_a_dialect_that_cannot_be_is_refused(content: str, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        parse_schema(f'version = 1\n{content}\n[columns.a]\nkind = "numeric"\nbounds = [0, 1]\n')


def test_a_number_with_a_point_anywhere_keeps_commas_as_they_are() -> None:
    assert found_decimal("a;b\n1,5;2.5\n", ";") == "."
    assert found_decimal("a;b\n1,5;2\n", ";") == ","
    assert found_decimal("a,b\n1,5\n", ",") == "."
    assert found_decimal('a;b\n"open', ";") == "."


def test_a_letter_cut_in_two_at_the_end_of_the_piece_is_still_utf_8() -> None:
    assert found_encoding("é".encode()[:1]) == "utf-8"
    assert found_encoding(b"\xe9t\xe9") == "cp1252"


def test_a_wrong_encoding_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a\n\x00\xd8\n")
    with pytest.raises(InputError, match=r"is not utf-16-le text throughout.*\[csv\] in the schema"):
        open_table(tmp_path / "t.csv", dialect=CsvDialect(encoding="utf-16-le")).read()


def test_a_mended_file_keeps_utf_8_whatever_bytes_a_record_holds(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("a,b\né,1\n".encode() + b"\xff,2\n")
    assert read_table(tmp_path / "t.csv", mended=True)["a"].to_list() == ["é", "\ufffd"]
