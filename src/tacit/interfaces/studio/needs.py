"""What a receiver may need, and the kind of release that serves it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Need:
    """A need, and what serves it: a workflow, its method (None: by the schema), the ending of its file, its unit.

    ``simulated`` says whether what epsilon buys can be simulated on stand-in rows.
    """

    name: str
    workflow: str = "release"
    method: str | None = None
    ending: str = ".tacit"
    unit: str = ""
    simulated: bool = True


NEEDS = {
    need.name: need
    for need in (
        Need("model"),
        Need("rows", workflow="fabricate", ending=".csv", simulated=False),
        Need("scores", method="linear"),
        Need("counts", method="marginals"),
        Need("regression", method="additive", simulated=False),
        Need("distance", method="pairs", unit="pair", simulated=False),
    )
}
