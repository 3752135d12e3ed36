"""Bring a spreadsheet or the answer of a database into the folder as a table, and describe it."""

from pathlib import Path
from typing import Any

import polars as pl

from tacit.data.reading.table_source import open_table
from tacit.errors import InputError
from tacit.files.atomic import replacing
from tacit.interfaces.studio.folder import split_name
from tacit.interfaces.studio.tasks import describe
from tacit.interfaces.studio.worker import Order

NO_EXCEL = "spreadsheets need the package fastexcel: pip install 'tacit-knowledge[excel]'. Or save the sheet as CSV."


def run(order: Order) -> dict[str, Any]:
    """Write the rows of ``spreadsheet``, or of ``query`` to ``database``, as Parquet, and describe them."""
    if "spreadsheet" in order.arguments:
        name = order.arguments["spreadsheet"]
        order.progress(f"reading the first sheet of {name}")
        frame, output = read_sheet(order.folder.existing(name)), order.folder.free(f"{split_name(name)[0]}.parquet")
    else:
        order.progress("asking the database")
        frame, output = _answer(order), order.arguments["output"]
    path = order.folder.file(output)
    if path.exists():
        raise InputError(f"{output} exists already. Choose another name.")
    with replacing(path) as file:
        frame.write_parquet(file)
    order.arguments["table"] = output
    return describe.run(order)


def read_sheet(path: Path) -> pl.DataFrame:
    """Return the first sheet of the spreadsheet at ``path``, its types as the sheet has them."""
    try:
        return pl.read_excel(path, engine="calamine")
    except ModuleNotFoundError:
        raise InputError(NO_EXCEL) from None
    except Exception as problem:  # noqa: BLE001 - the reader's errors have no common root, and may quote cells
        raise InputError(f"{path.name}: not a readable spreadsheet ({type(problem).__name__}).") from None


def _answer(order: Order) -> pl.DataFrame:
    query = order.arguments["query"]
    if order.arguments["database"]:
        # A file of the folder, and SQLite alone: its SELECT reads no other file.
        place = order.folder.existing(order.arguments["database"])
        return open_table(f"sqlite://{place}?{query}").read()
    return open_table(f"{order.secret}?{query}").read()
