"""What a receiver may need, and the kind of release that serves it."""

from tacit.records import record


@record
class Need:
    """A need, and what serves it: a workflow, its method (None: by the schema), the ending of its file, its unit."""

    name: str
    workflow: str = "release"
    method: str | None = None
    ending: str = ".tacit"
    unit: str = ""


NEEDS = {
    need.name: need
    for need in (
        Need("model"),
        Need("rows", workflow="fabricate", ending=".csv"),
        Need("scores", method="linear"),
        Need("counts", method="marginals"),
        Need("regression", method="additive"),
        Need("distance", method="pairs", unit="pair"),
    )
}
