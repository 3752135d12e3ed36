from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

from tacit import AveragedTransfer, Budget, Ledger, PrivateNearestMean
from tacit.files.notebook_html import html_facts, html_rows


class Balance(HTMLParser):
    """Counts tags that are open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_texts_are_escaped_and_tags_close() -> None:
    text = html_facts("<b>", [("a & b", "<script>")], warning="<i>") + html_rows(("x<",), [("</table>",)])
    assert not Balance(text).open
    for raw in ("<script>", "<b>", "<i>", "</table></td>"):
        assert raw not in text


def test_cards_ledgers_releases_and_evidence_show_themselves(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "<a>.ledger", Budget(5, 1e-5, unit="record"))
    X = np.random.default_rng(0).random((60, 2))
    y = (X[:, 0] > 0.5).astype(int)
    model = PrivateNearestMean(1.0, bounds=(0, 1), ledger=ledger).fit(X, y)
    seeded = PrivateNearestMean(1.0, bounds=(0, 1), random_state=0).fit(X, y)
    evidence = AveragedTransfer(random_state=0).fit(X, y).evidence_
    shown: list[tuple[Any, tuple[str, ...]]] = [
        (model.card_, ("epsilon 1, delta 1e-06 for one record", "line 1")),
        (seeded.card_, ("NOT PRIVATE", "counted nowhere")),
        (ledger, ("of 5", "class means", "&lt;a&gt;.ledger")),
        (model.release(), ("class_means", "means [2, 2]", "Signed by")),
        (evidence, ("alone", "accuracy", "Labelled rows")),
    ]
    for thing, words in shown:
        text = thing._repr_html_()
        assert not Balance(text).open
        assert all(each in text for each in words), thing
