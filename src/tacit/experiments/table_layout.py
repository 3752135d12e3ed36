"""How the rows of a table are laid out: one line for each figure, or, of transfer, what was compared side by side."""

from collections.abc import Sequence

from tacit.experiments.results import ADOPTED, PUBLIC_VIEW, RELEASE_ALONE, TARGET_ONLY, ResultRow

LONG = ("method", "setting", "metric", "mean", "std", "runs", "paper")
COMPARED = (TARGET_ONLY, PUBLIC_VIEW, RELEASE_ALONE, ADOPTED)

# The names of the columns, and the cells of each line.
HeaderAndRows = tuple[tuple[str, ...], list[tuple[str, ...]]]


def layout(rows: Sequence[ResultRow]) -> HeaderAndRows:
    """Return columns and lines; a table that holds adopted models has one line for each setting."""
    return _compared(rows) if any(row.method == ADOPTED for row in rows) else (LONG, [_line(row) for row in rows])


def _line(row: ResultRow) -> tuple[str, ...]:
    spread = f"{row.std:.4f}" if row.runs > 1 else ""
    return (row.method, row.setting, row.metric, f"{row.mean:.4f}", spread, str(row.runs), _published(row.paper))


def _compared(rows: Sequence[ResultRow]) -> HeaderAndRows:
    """Return a column for each method, those that every table of transfer has in their order, then the others."""
    methods = list(dict.fromkeys(row.method for row in rows))
    columns = [method for method in COMPARED if method in methods] + [m for m in methods if m not in COMPARED]
    lines: dict[tuple[str, str], dict[str, ResultRow]] = {}
    for row in rows:
        lines.setdefault((row.setting, row.metric), {})[row.method] = row
    header = ("setting", "metric", *columns, "runs", "paper")
    return header, [_compared_line(key, cells, columns) for key, cells in lines.items()]


def _compared_line(key: tuple[str, str], results: dict[str, ResultRow], columns: Sequence[str]) -> tuple[str, ...]:
    # One column of figures for several methods: each says whose it is.
    published = [f"{row.method}: {_published(row.paper)}" for row in results.values() if row.paper is not None]
    runs = sorted({str(row.runs) for row in results.values()})
    cells = [_mean_and_spread(results[method]) if method in results else "" for method in columns]
    return (*key, *cells, ", ".join(runs), "; ".join(published))


def _mean_and_spread(row: ResultRow) -> str:
    return f"{row.mean:.4f} ± {row.std:.4f}" if row.runs > 1 else f"{row.mean:.4f}"


def _published(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.4g}"
