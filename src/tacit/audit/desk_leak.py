"""What a desk's scores give away: an attack on rounded or noisy accuracies, and its advantage.

The attacker knows 2n labelled rows, of which n are in the table, and asks Q random candidates. Each accuracy is the
mean over the table of known zeros and ones, so Q answers are Q linear equations in who is a member. Ridge regression
solves them, and the half with the larger solution is called members: linear reconstruction [reconstruction].
"""

import numpy as np
from sklearn.utils import check_random_state

from tacit import checks
from tacit.arrays import FloatArray
from tacit.errors import InputError
from tacit.records import record
from tacit.situations.feedback.desk.architecture import Architecture
from tacit.situations.feedback.desk.scoring import Scorer
from tacit.situations.feedback.desk.terms import DeskTerms

# Columns of the made-up rows.
WIDTH = 20
# Beyond these the equations take minutes to solve.
MOST_ROWS, MOST_QUERIES = 5_000, 5_000


@record
class Leak:
    """The attack's advantage: true minus false positive rate, 0 for guessing and 1 for knowing everything."""

    queries: int
    answers: str
    advantage: float


def rounding_leaks(
    n_rows: int, *, queries: tuple[int, ...], decimals: tuple[int, ...], seed: int | None = None
) -> list[Leak]:
    """Return the attack's advantage for each number of queries, with each number of decimals and no noise."""
    attack = _Reconstruction(n_rows, max(queries), seed)
    leaks = []
    for asked in queries:
        for digits in decimals:
            # Rounding errors are spread evenly over one unit of the last digit.
            answers, spread = np.round(attack.scores[:asked], digits), 10.0**-digits / np.sqrt(12)
            leaks.append(Leak(asked, f"{digits} decimals", attack.advantage(answers, spread)))
    return leaks


def noisy_leak(n_rows: int, *, queries: int, epsilon: float, delta: float, seed: int | None = None) -> Leak:
    """Return the attack's advantage on answers whose noise keeps epsilon and delta for the whole run."""
    attack = _Reconstruction(n_rows, queries, seed)
    terms = DeskTerms(attack.architecture, "accuracy", 15, queries, n_rows, epsilon=epsilon, delta=delta)
    # Made-up rows need no secure noise: what counts is its width.
    noise = attack.generator.normal(0.0, terms.noise, queries)
    return Leak(queries, f"epsilon {epsilon:g}", attack.advantage(attack.scores + noise, terms.noise))


class _Reconstruction:
    """Made-up rows of which half are members, random candidates, and the exact score of each candidate."""

    def __init__(self, n_rows: int, queries: int, seed: int | None) -> None:
        if checks.whole("n_rows", n_rows) > MOST_ROWS or checks.whole("queries", queries) > MOST_QUERIES:
            raise InputError(f"the attack is made for at most {MOST_ROWS} rows and {MOST_QUERIES} queries.")
        self.generator = check_random_state(seed)
        self.architecture = Architecture("linear", WIDTH, 1)
        rows = self.generator.uniform(size=(2 * n_rows, WIDTH))
        y = self.generator.randint(0, 2, size=2 * n_rows)
        scorer = Scorer(rows, y, self.architecture, metric="accuracy")
        # Hyperplanes through the middle of the cube: each candidate is right about half of the rows.
        weights = self.generator.normal(size=(queries, WIDTH))
        candidates = np.column_stack([weights, -weights.sum(axis=1) / 2])
        self.right = (scorer.predicted(candidates) == y).astype(np.float64)  # [Q, 2n]
        self.member = self.generator.permutation(2 * n_rows) < n_rows
        self.scores: FloatArray = self.right[:, self.member].mean(axis=1)

    def advantage(self, answers: FloatArray, noise: float) -> float:
        """Return true minus false positive rate of the half of the rows that the equations point to."""
        n_rows = len(self.member) // 2
        # Half of the rows are members: the equations are about differences from that.
        A = (self.right[: len(answers)] - 0.5) / n_rows
        shift = answers - 0.5 - A.sum(axis=1) / 2
        ridge = 4 * max(noise, 1e-9) ** 2  # each membership varies by 1/4 around its mean
        solution = A.T @ np.linalg.solve(A @ A.T + ridge * np.eye(len(A)), shift)
        guessed = np.zeros(2 * n_rows, dtype=bool)
        guessed[np.argsort(solution)[n_rows:]] = True
        return float(guessed[self.member].mean() - guessed[~self.member].mean())
