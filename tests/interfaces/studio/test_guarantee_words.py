"""The guarantee in the visitor's language says what the card says."""

import pytest

from tacit.interfaces.studio.frame import lines_table
from tacit.interfaces.studio.guarantee_words import guarantee_facts, guarantee_words
from tacit.interfaces.studio.strings import LANGUAGES, words_in
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.pages.guarantee import in_words

FACTS = {"unit": "record", "epsilon": 1.0, "delta": 1e-6, "holds": True}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentences_have_the_figures_of_the_card(language: str) -> None:
    shown = str(guarantee_words(words_in(language), FACTS))
    # e, and the best guess e/(1 + e), which the report states too.
    assert "2.72" in shown
    assert "73.1" in shown
    assert "1e-06" in shown
    assert words_in(language)("unit.record") in shown
    assert words_in(language)("guarantee.english") in shown


def test_the_report_says_the_same_figures() -> None:
    model = PrivateNearestMean(1.0, bounds=(0, 1)).fit([[0.1], [0.9]] * 10, [0, 1] * 10)
    facts = guarantee_facts(model.card_)
    assert facts == {"unit": "record", "epsilon": model.card_.epsilon, "delta": 1e-6, "holds": True}
    report, shown = str(in_words(model.card_)), str(guarantee_words(words_in("en"), facts))
    for figure in ("2.72 times", "73.1"):
        assert figure in report
        assert figure in shown


def test_a_guarantee_that_does_not_hold_or_says_nothing_is_called_so() -> None:
    void = str(guarantee_words(words_in("de"), {**FACTS, "holds": False}))
    assert "hält nicht" in void
    weak = str(guarantee_words(words_in("en"), {**FACTS, "epsilon": 1e6, "delta": 0.0}))
    assert "&gt; 1000 times" in weak
    assert "99.9" in weak
    assert "probability of at most" not in weak
    # A unit that the catalogue does not know is shown as the card calls it.
    assert "household" in str(guarantee_words(words_in("en"), {**FACTS, "unit": "household"}))


def test_every_cell_of_a_table_that_is_stacked_on_a_phone_has_its_title() -> None:
    shown = str(lines_table(["a <b>", "c"], [["1", "2"], ["3", "<4>"]], name="figures", caption=True))
    assert shown.count('data-title="c"') == 2
    assert "<caption>figures</caption>" in shown
    assert "&lt;4&gt;" in shown
    assert 'data-title="a &lt;b&gt;"' in shown
    with pytest.raises(ValueError, match="shorter"):
        lines_table(["a", "b"], [["1"]], name="figures")
