"""Rows of transfer stand side by side, all others one below the other, and nothing is left out."""

from tacit.experiments.results import ADOPTED, PUBLIC_VIEW, RELEASE_ALONE, TARGET_ONLY, ResultRow, mean_row
from tacit.experiments.table_layout import LONG, layout


def test_a_plain_table_has_one_line_for_each_row() -> None:
    rows = [mean_row("ours", "epsilon 1", [0.5, 0.7], paper=0.8), ResultRow("theirs", "epsilon 1", "gap", 0.1)]
    assert layout(rows) == (
        LONG,
        [
            ("ours", "epsilon 1", "accuracy", "0.6000", "0.1000", "2", "0.8"),
            ("theirs", "epsilon 1", "gap", "0.1000", "", "1", ""),
        ],
    )


def test_what_transfer_compares_stands_side_by_side_in_one_order() -> None:
    rows = [
        ResultRow("SVM-t", "entry 1", "accuracy", 0.4),
        ResultRow(ADOPTED, "entry 1", "accuracy", 0.9, 0.1, 2, 0.95),
        ResultRow(RELEASE_ALONE, "entry 1", "accuracy", 0.8),
        ResultRow(TARGET_ONLY, "entry 1", "accuracy", 0.7),
        ResultRow(PUBLIC_VIEW, "entry 2", "accuracy", 0.6),
        ResultRow(ADOPTED, "entry 2", "accuracy", 0.5),
    ]
    columns, lines = layout(rows)
    assert columns == ("setting", "metric", TARGET_ONLY, PUBLIC_VIEW, RELEASE_ALONE, ADOPTED, "SVM-t", "runs", "paper")
    assert lines == [
        ("entry 1", "accuracy", "0.7000", "", "0.8000", "0.9000 ± 0.1000", "0.4000", "1, 2", "adopted: 0.95"),
        ("entry 2", "accuracy", "", "0.6000", "", "0.5000", "", "1", ""),
    ]


def test_every_figure_of_a_table_is_shown() -> None:
    rows = [
        ResultRow(method, setting, metric, place / 100)
        for place, (method, setting, metric) in enumerate(
            (m, s, k) for m in (TARGET_ONLY, ADOPTED, "other") for s in ("a", "b") for k in ("accuracy", "gap")
        )
    ]
    _, lines = layout(rows)
    cells = [cell for line in lines for cell in line]
    assert all(f"{row.mean:.4f}" in cells for row in rows)
