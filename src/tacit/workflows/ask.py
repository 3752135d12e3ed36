"""Ask a release of tables for counts."""

from collections.abc import Sequence

from tacit.data.schemas.conditions import parse_condition
from tacit.files.regular import FilePath
from tacit.models.marginals.asking import CountTable, answer
from tacit.releases.file import Release, read_release
from tacit.releases.signature import TrustedKey
from tacit.workflows.invented_rows import table_model


def ask(
    release: Release | FilePath, question: str, *, where: Sequence[str] = (), trusted_key: TrustedKey | None = None
) -> CountTable:
    """Return the counts of the columns that ``question`` names, such as "sex x income", with 95 % intervals.

    Reads the release alone, which must be of method "marginals", and costs nothing. With conditions ``where``, such as
    "age = 60-70", rows that meet all of them are counted, without an interval.
    """
    opened = release if isinstance(release, Release) else read_release(release, trusted_key=trusted_key)
    model = table_model(opened, "counts are asked of")
    return answer(model, question, [parse_condition(text, model.layout.schema.columns) for text in where])
