"""``tacit doctor``: whether this installation works: versions, optional parts, noise and a ledger on this disk."""

import importlib.util
import json
import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from tacit.errors import TacitError
from tacit.privacy.account import Account, Plan, Step
from tacit.privacy.budget import Budget, Unit
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import Gaussian
from tacit.version import VERSION

LIBRARIES = ("numpy", "scipy", "scikit-learn", "polars", "narwhals", "dp-accounting", "cryptography")
# What each extra of the distribution brings, by a module that shows that it is there.
EXTRAS = {
    "deep": ("torch", "networks"),
    "serve": ("fastapi", "the studio in a browser, and the desk over HTTP"),
    "excel": ("fastexcel", "spreadsheets in the studio"),
    "databases": ("duckdb", "tables in DuckDB and PostgreSQL"),
    "federated": ("flwr", "federation on Flower"),
    "plots": ("matplotlib", "pictures in Python"),
    "scale": ("dask", "training on a cluster"),
}
DRAWS = 20_000
MECHANISM = Gaussian.for_budget(1.0, 1e-6, sensitivity=1.0, coordinates=DRAWS)


@dataclass(frozen=True)
class CheckResult:
    """One line of the examination: ``state`` is "ok", "absent" (an extra that is not installed) or "wrong"."""

    what: str
    state: str
    words: str


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Check this installation; exits with 1 if something is wrong.

    [bold]Example:[/] tacit doctor
    """
    findings = examination()
    if as_json:
        typer.echo(json.dumps({"version": VERSION, "findings": [asdict(each) for each in findings]}, indent=2))
    else:
        for each in findings:
            typer.echo(f"{each.state:>6}  {each.what}: {each.words}")
    if any(each.state == "wrong" for each in findings):
        raise typer.Exit(1)


def examination() -> list[CheckResult]:
    """Return what was found: Python and libraries, extras, a draw of noise, and a ledger in a temporary folder."""
    checks: list[tuple[str, Callable[[], str]]] = [("noise", _noise), ("ledger", _ledger)]
    return [_python(), *map(_library, LIBRARIES), *map(_extra, EXTRAS), *(_checked(*each) for each in checks)]


def _python() -> CheckResult:
    version = platform.python_version()
    state = "ok" if sys.version_info >= (3, 11) else "wrong"
    return CheckResult("python", state, f"{version} on {platform.system()}, tacit {VERSION}")


def _library(name: str) -> CheckResult:
    try:
        return CheckResult(name, "ok", metadata.version(name))
    except metadata.PackageNotFoundError:
        return CheckResult(name, "wrong", "not installed: pip install tacit-knowledge")


def _extra(extra: str) -> CheckResult:
    module, what = EXTRAS[extra]
    if importlib.util.find_spec(module) is not None:
        return CheckResult(f"extra {extra}", "ok", f"{what} ({module})")
    return CheckResult(f"extra {extra}", "absent", f"{what}: pip install 'tacit-knowledge[{extra}]'")


def _checked(what: str, check: Callable[[], str]) -> CheckResult:
    try:
        return CheckResult(what, "ok", check())
    except (TacitError, OSError, ArithmeticError) as problem:
        return CheckResult(what, "wrong", str(problem))


def _account(ledger: Ledger | None = None) -> tuple[Account, Step]:
    """Return an account that may draw one step of Gaussian noise on made-up numbers."""
    step = Step(MECHANISM, "zeros", "nothing moves zeros")
    plan = Plan(Budget(1.0, 1e-6, unit=Unit.RECORD), (step,), 1)
    return plan.open(ledger=ledger, random_state=None, purpose="tacit doctor"), step


def _noise() -> str:
    """Draw secure noise and compare its spread with what the mechanism states, within five standard errors."""
    account, step = _account()
    drawn = account.release(step.mechanism, np.zeros(DRAWS))
    ratio = float(drawn.std() / MECHANISM.sigma)
    if abs(ratio - 1) > 5 / np.sqrt(2 * DRAWS) or len(np.unique(drawn)) < 2:
        raise ArithmeticError(f"spread {ratio:.3f} times what was asked for: do not release anything")
    return f"secure, spread {ratio:.3f} times what was asked for in {DRAWS:,} draws"


def _ledger() -> str:
    """Make a ledger, charge it and verify it, in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.create(Path(folder) / "doctor.ledger", Budget(2.0, 1e-5, unit=Unit.RECORD))
        _account(ledger)
        lines = ledger.verify()
    return f"made, charged and verified ({len(lines)} line)"
