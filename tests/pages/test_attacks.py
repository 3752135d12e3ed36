"""The page about attacks: what it says, what it draws, and how it looks in a real browser."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tacit.audit.attacks.membership_score import MembershipScore
from tacit.audit.attacks.outcome import outcome
from tacit.audit.attacks.release_attack import ReleaseAttack
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.pages.attacks import attack_page, verdict
from tacit.pages.roc import roc_chart
from tacit.privacy.card import Card
from tacit.privacy.card_content import Guarantee

SCORE = MembershipScore(0.002, (0.0, 0.03), 0.02, 1.5)


@cache
def card() -> Card:
    X = np.linspace(0, 1, 20).reshape(10, 2)
    return PrivateNearestMean(1.0, bounds=(0, 1), classes=[0, 1]).fit(X, np.arange(10) % 2).card_


@cache
def found(shift: float, n: int = 2000, epsilon: float | None = 1.0) -> ReleaseAttack:
    generator = np.random.default_rng(0)
    others = generator.normal(size=n)
    outcomes = tuple(
        outcome(name, generator.normal(strength, 1, n // 2), others)
        for name, strength in (("distance threshold", 0.0), ("nearest released row", 0.0), ("shadow releases", shift))
    )
    return ReleaseAttack(outcomes, SCORE, Guarantee("record", epsilon, 1e-6), n // 2, n, 3)


def test_the_headline_claims_no_more_than_the_rows_show() -> None:
    assert verdict(found(0.0)) == "No attack surely told members from others."
    assert "by shadow releases, one picks the member out of a pair 6" in verdict(found(0.5))
    assert verdict(found(5.0)) == "The card does not hold: an attack by shadow releases finds more than it allows."
    assert "Members can be told" in verdict(found(5.0, epsilon=None))


def test_too_few_rows_are_said_and_not_invented() -> None:
    page = attack_page(found(1.0, n=80), card())
    assert page.count("cannot be measured") == 6
    assert "1\u202f% needs 100 non-members; 0.1\u202f% needs 1,000 non-members: there are 80." in page
    assert "3 of the non-members equal some member" in page
    assert "cannot be measured" not in attack_page(found(1.0), card())


def test_the_score_stands_beside_what_chance_gives_and_the_page_says_what_it_proves() -> None:
    page = attack_page(found(1.0), card())
    assert "0.002 (0 to 0.03), not above the 0.02 that equal densities give by chance" in page
    assert "An attack that fails proves nothing" in page
    assert "keep it as you keep your table" in page
    loud = attack_page(replace(found(1.0), score=replace(SCORE, value=0.5)), card())
    assert "0.5 (0 to 0.03), above the 0.02" in loud


def test_a_curve_lies_where_its_rates_are() -> None:
    # 100 non-members: two powers of ten. Half of the members lie above all others, half between ten and the rest.
    scores = outcome("one", [200.0, 95.5] * 5, np.arange(1.0, 101.0))
    chart = roc_chart([replace(scores)], Guarantee("record", None, 0.0))
    drawn = re.search(r'<path d="([^"]*)" class="curve', chart)
    assert drawn is not None
    half = 100 - 100 * (1 + np.log10(0.5) / 2)
    # Half are found before the first of 100 false alarms, whose place 1 % is the left edge; all from 5 of 100 on.
    assert drawn[1].startswith(f"M0 {half:.1f}")
    five = 100 * (1 + np.log10(0.05) / 2)
    assert f"H{five:.1f}V0" in drawn[1]
    assert "more than the card allows" not in chart


def test_what_the_card_forbids_is_shaded_unless_it_forbids_nothing() -> None:
    outcomes = found(1.0).outcomes
    strict, loose = (roc_chart(outcomes, Guarantee("record", epsilon, 0.0)) for epsilon in (1.0, 50.0))
    assert 'class="beyond"' in strict
    assert "more than the card allows" in strict
    assert "beyond" not in loose


def test_the_page_reads_well_everywhere(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "attacks.html"
    file.write_text(attack_page(found(1.0), card()), encoding="utf-8")
    backgrounds = set()
    for scheme, width in (("light", 375), ("dark", 375), ("light", 1200)):
        context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
        page = context.new_page()
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(file.as_uri())
        assert said == []
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        square = page.evaluate(
            "(() => { const b = document.querySelector('.roc svg').getBoundingClientRect();"
            " return [b.width, b.height, b.right] })()"
        )
        assert abs(square[0] - square[1]) < 2
        assert square[0] > 200
        assert square[2] <= width
        backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        context.close()
    assert len(backgrounds) == 2
