"""Whom a linear classifier protects: rows exchanged where their number is public, or rows that come and go unseen."""

from dataclasses import dataclass

from tacit import checks
from tacit.errors import InputError
from tacit.models.two_class_problems import ADDED, REPLACED
from tacit.privacy.budget import Relation, Relations
from tacit.privacy.conversions import Exact

MORE_OR_LESS = "two tables are neighbours if one of them has one row more, with its label"


@dataclass(frozen=True)
class LinearNeighbours:
    """What is publicly known of the number of rows, and the neighbours that objective perturbation protects.

    Its objective, the sum of the rows' losses and Lambda/2 |w|², holds the number of rows in Lambda alone. So there are
    three forms: Lambda = n lambda with n public; Lambda = n_rows lambda with a public bound on n, and rows of zeros up
    to it, of which each may become a row or another one; and, where a row more or less is all that is hidden, any
    public Lambda and half of the noise.

    Parameters
    ----------
    n_rows : int or None
        A public number of rows: a bound, or with relation "add-remove" any guess that sets how much is regularised.
    relation : Relation, str or None
        "add-remove": the last form. Otherwise one of the first two, by whether ``n_rows`` is given.
    parts : bool
        Whether disjoint parts of the rows are learned from apart; a row may then go from one to another, so that the
        last form is not offered, and "add-remove" needs a bound.
    """

    n_rows: int | None = None
    relation: Relation | str | None = None
    parts: bool = False

    def __post_init__(self) -> None:
        if self.relation is not None:
            checks.one_of("relation", self.relation, list(Relation))
        if self.parts and self.relation == Relation.ADD_REMOVE and self.n_rows is None:
            raise InputError(
                "n_rows must be given with relation 'add-remove' where parts of the rows are learned from apart, "
                "stacked or tuned: a public bound on their number. Or average, with one regularisation."
            )

    @property
    def added(self) -> bool:
        """Whether noise is made for a row more or less alone."""
        return self.relation == Relation.ADD_REMOVE and not self.parts

    @property
    def kind(self) -> str:
        """The neighbours as objective perturbation calls them."""
        return "added" if self.added else "replaced"

    @property
    def relations(self) -> Relations:
        """What is proved: one row exchanged, one more or less, or both where a row of zeros is no row."""
        if self.added:
            return (Relation.ADD_REMOVE,)
        return (Relation.REPLACE,) if self.n_rows is None else (Relation.ADD_REMOVE, Relation.REPLACE)

    @property
    def exact(self) -> tuple[Exact, ...]:
        """What leaves without noise."""
        return () if self.added or self.n_rows is not None else (Exact.ROW_COUNT,)

    @property
    def adjacency(self) -> str:
        """When two tables are neighbours, in words."""
        if self.added:
            return MORE_OR_LESS
        return REPLACED if self.n_rows is None else ADDED

    def planned_rows(self, n: int) -> int | None:
        """Return the number of rows that noise is made for in a table of ``n``; None: for any number of them."""
        if self.added:
            return self.n_rows
        return self.filled_rows(n)

    def filled_rows(self, n: int) -> int:
        """Return how many rows a query has in a table of ``n``: with a bound, rows of zeros fill up to it."""
        if self.added or self.n_rows is None:
            return n
        if n > checks.whole("n_rows", self.n_rows):
            raise InputError(
                f"n_rows must be at least the number of rows; got {self.n_rows}, and more rows. Nothing was drawn."
            )
        return self.n_rows


def curvature(regularization: float, n_rows: int | None, *, dimension: int, epsilon: float) -> float:
    """Return Lambda = n lambda; where n is not known, as if there were d/epsilon rows: noise then has length 1/lambda.

    Noise of density e^(-epsilon |b|) has length d/epsilon, and moves the minimiser by that over Lambda.
    """
    rows = dimension / epsilon if n_rows is None else max(n_rows, 1)
    return regularization * rows


def require_row_number(n_rows: int | None, regularization: object) -> None:
    """Refuse a regularisation per row where the number of rows is not known."""
    if n_rows is None and regularization is not None:
        raise InputError(
            "regularization must be None with relation 'add-remove' and no n_rows: it is meant per row, and the number "
            "of rows is hidden. Give n_rows, a public guess of it."
        )
