"""Further draws of lines of `tacit reproduce joint-owners`: `python bench/joint_draws.py RECEIVER FIRST DRAWS`.

RECEIVER is a hospital or region as the table names it, such as "heart: va"; the draws have the seeds from FIRST on,
others than those of the table (101 to 110).
"""

import sys
from collections import defaultdict

import numpy as np

from tacit.experiments.tables.joint_owners import DIFFERENCE, compared_offers, doctor_visits, heart_centres

ALONE = "labels alone", "ROC AUC"


def differences(receiver: str, first: int, draws: int) -> dict[str, list[float]]:
    """Return the differences of areas in each draw, by the line and what is compared."""
    listed = heart_centres(0) if receiver.startswith("heart") else doctor_visits(0)
    situation = next(each for each in listed if each.name == receiver)
    measured = defaultdict(list)
    for seed in range(first, first + draws):
        for line, figures in compared_offers(situation, seed):
            for (method, metric), figure in figures.items():
                if metric == DIFFERENCE:
                    measured[f"{line}: {method}"].append(figure)
            if ALONE in figures:
                measured[f"{line}: joint less labels alone"].append(figures["joint", "ROC AUC"] - figures[ALONE])
    return measured


def main(receiver: str, first: int, draws: int) -> None:
    """Print the mean of each difference with its standard error over the draws."""
    for name, values in differences(receiver, first, draws).items():
        error = np.std(values, ddof=1) / len(values) ** 0.5
        print(f"{name:<70}{np.mean(values):+.4f} ± {error:.4f}, {len(values)} draws")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
