"""The page about attacks on a release: whether members can be told from others, and whether the card allows it."""

from collections.abc import Callable

from tacit.audit.attacks.membership_score import MembershipScore
from tacit.audit.attacks.outcome import FALSE_RATES, AttackOutcome, TrueRate
from tacit.audit.attacks.release_attack import ReleaseAttack
from tacit.pages.charts import percent
from tacit.pages.guarantee import guarantee_block, headline
from tacit.pages.layout import section, whole_page
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.roc import roc_chart
from tacit.privacy.card import Card

LOW_PROVES_NOTHING = (
    "An attack that fails proves nothing: a better one, or one on a row that stands out more than these, may succeed. "
    "What holds against every attack is the guarantee on the card; an attack that succeeds shows what it allows."
)


def attack_page(attack: ReleaseAttack, card: Card) -> str:
    """Return the page about attacks on a release; it is computed from private rows and says so."""
    rows = f"{attack.n_members:,} members and {attack.n_non_members:,} non-members"
    header = [
        tag("p", "tacit · membership attacks on a release", class_="kicker"),
        tag("h1", verdict(attack)),
        tag("p", f"{card.title[:1].upper()}{card.title[1:]}, at {headline(card)}; {rows}.", class_="lead"),
    ]
    sections = [
        section("Alike?", "Whether the two sides differ without any release.", _alike(attack)),
        section("Curves", "The nearer to the dashed line, the closer to guessing.", _curves(attack)),
        section("Figures", "Ranges are 95\u202f% intervals.", _figures(attack)),
        section("Score", "The distance between two densities, from the literature.", _score(attack.score)),
        section("Guarantee", "What the card promises against any attack.", guarantee_block(card, heading="In words")),
    ]
    note = "It is computed from the private rows and passed through no mechanism: keep it as you keep your table."
    return whole_page(f"tacit attacks: {card.title}", header, sections, note)


def verdict(attack: ReleaseAttack) -> str:
    """Return the outcome of all attacks in one sentence that claims no more than the rows show."""
    if attack.unlike and attack.before is not None:
        share = percent(attack.before.area)
        return f"Nothing can be said: members and others differ without any release ({share} of pairs are told apart)."
    refuting = [outcome.name for outcome in attack.outcomes if attack.contradicts(outcome)]
    if refuting:
        return f"The card does not hold: an attack by {_listed(refuting)} finds more than it allows."
    successful = [outcome for outcome in attack.outcomes if outcome.tells_apart]
    if not successful:
        return "No attack surely told members from others."
    best = max(successful, key=lambda outcome: outcome.area)
    share = percent(best.area)
    return f"Members can be told from others: by {best.name}, one picks the member out of a pair {share} of the time."


def rate_text(rate: TrueRate) -> str:
    """Return a true-positive rate, or that it cannot be measured."""
    return "cannot be measured" if rate.value is None else percent(rate.value, 2)


def range_text(interval: tuple[float, float], show: Callable[[float], str]) -> str:
    """Return an interval as ``low to high``."""
    return f"{show(interval[0])} to {show(interval[1])}"


def score_text(score: MembershipScore) -> str:
    """Return the score of [hull] eq. 69 beside what equal densities give."""
    against = "above" if score.above_noise else "not above"
    return (
        f"{score.value:.3g} ({range_text(score.interval, lambda end: f'{end:.3g}')}), {against} the "
        f"{score.floor:.3g} that equal densities give by chance"
    )


def _curves(attack: ReleaseAttack) -> Markup:
    return joined(roc_chart(attack.outcomes, attack.claim), tag("p", LOW_PROVES_NOTHING), _shared_rows(attack))


def _alike(attack: ReleaseAttack) -> Markup | None:
    if attack.before is None:
        return None
    return tag("p", alike_text(attack.before))


def alike_text(before: AttackOutcome) -> str:
    """Return whether members and non-members were drawn alike, by a classifier that sees no release."""
    low, high = before.area_interval
    figure = f"an area of {before.area:.3f} ({low:.3f} to {high:.3f})"
    if before.tells_apart:
        return (
            f"Members and non-members differ without any release: a classifier that sees none reaches {figure}. What "
            "the attacks find may be this difference and nothing else. Take non-members that were drawn as the members "
            "were, such as rows of the same table that were set aside at random."
        )
    return f"Without any release a classifier reaches {figure}: the two sides are not surely told apart."


def _shared_rows(attack: ReleaseAttack) -> Markup | None:
    if not attack.n_shared:
        return None
    words = f"{attack.n_shared:,} of the non-members equal some member in every column: nothing can tell these apart."
    return tag("p", words, class_="small")


def _figures(attack: ReleaseAttack) -> Markup:
    names = ["attack", "area under the curve", *(f"found at {_rate(rate)} false" for rate in FALSE_RATES), "shows"]
    head = tag("tr", [tag("th", name, scope="col") for name in names])
    body = [_row(outcome, attack) for outcome in attack.outcomes]
    claim = attack.claim.epsilon
    promise = "promises a record nothing" if claim is None else f"promises a record epsilon {claim:.4g}"
    words = f"The card {promise}; the last column is what an attack shows with 99.9\u202f% confidence."
    table = tag("table", tag("thead", head), tag("tbody", body), class_="attacks")
    return joined(tag("p", words), tag("div", table, class_="scroll"), _unmeasured(attack))


def _row(outcome: AttackOutcome, attack: ReleaseAttack) -> Markup:
    bound = outcome.epsilon_shown(attack.claim.delta)
    cells = [joined(f"{outcome.area:.3f}", tag("small", range_text(outcome.area_interval, lambda end: f"{end:.3f}")))]
    for rate in (outcome.true_rate(false_rate) for false_rate in FALSE_RATES):
        ends = None if rate.value is None else tag("small", range_text(rate.interval, lambda end: percent(end, 2)))
        cells.append(joined(rate_text(rate), ends))
    cells.append(joined("too few rows" if bound is None else f"epsilon ≥ {bound:.3f}"))
    return tag("tr", tag("th", outcome.name, scope="row"), [tag("td", cell) for cell in cells])


def _unmeasured(attack: ReleaseAttack) -> Markup | None:
    rates = [attack.outcomes[0].true_rate(rate) for rate in FALSE_RATES]
    unmeasured = [rate for rate in rates if rate.value is None]
    if not unmeasured:
        return None
    words = "; ".join(f"{_rate(rate.false_rate)} needs {rate.needed:,} non-members" for rate in unmeasured)
    return tag("p", f"A false-positive rate of {words}: there are {attack.n_non_members:,}.", class_="small")


def _score(score: MembershipScore) -> Markup:
    words = f"Of the distances to the nearest released row: {score_text(score)}."
    caution = (
        "It has units of one over a distance, so that only scores of the same distance on the same scale compare; "
        f"times the spread of the distances it is {score.value * score.spread:.3g}. Below about 0.01 it is noise."
    )
    return joined(tag("p", words), tag("p", caution, class_="small"))


def _rate(rate: float) -> str:
    return f"{100 * rate:g}\u202f%"


def _listed(names: list[str]) -> str:
    return " and ".join(names)
