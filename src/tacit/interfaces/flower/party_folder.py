"""A party's folder: its terms, table, schema and ledger, and the noisy rows that it answers from."""

import fcntl
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from tacit import checks
from tacit.data.rows.encoding import encode_file
from tacit.data.schemas.file import read_schema
from tacit.errors import InputError
from tacit.files import atomic
from tacit.interfaces.flower.refusals import NodeRefusal
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.privacy.ledger import Ledger
from tacit.privacy.refusals import RefusedError
from tacit.releases.file import Release, read_release, write_release
from tacit.workflows.card_details import with_record_policy

TERMS_FILE = "party.toml"
REQUIRED = {"name", "epsilon", "delta"}


@dataclass(frozen=True)
class PartyTerms:
    """What a party agrees to, from its ``party.toml``; the aggregator cannot change it."""

    name: str
    """Name of the party in the aggregator's report."""
    epsilon: float
    delta: float
    """Guarantee for one entry of the table."""
    table: str = "table.csv"
    schema: str = "schema.toml"
    ledger: str = "party.ledger"
    release: str = "private-rows.tacit"
    """Files, relative to the folder: private rows, their public schema, the account, and the noisy rows."""
    refit: bool = False
    """Whether the aggregator may ask for new noise, which is charged again."""
    hand_out: bool = False
    """Whether the noisy rows themselves may leave the party; otherwise only sums of each class and distances do. The
    sum of a class with a single row is that noisy row: what protects it is its noise alone."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the terms in the file at ``path``."""
        try:
            settings = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
            raise InputError(f"{path.name} cannot be read: {problem}.") from problem
        allowed = {field.name: field for field in fields(cls)}
        unknown, missing = sorted(set(settings) - set(allowed)), sorted(REQUIRED - set(settings))
        if unknown or missing:
            raise InputError(
                f"{path.name} must have name, epsilon and delta, and may have {', '.join(sorted(allowed))}; "
                f"it lacks {missing} and has {unknown}."
            )
        for name, value in settings.items():
            _check_type(path.name, name, value, allowed[name].type)
        return cls(**settings)


class PartyFolder:
    """The files of one party.

    Parameters
    ----------
    folder : Path
        Holds ``party.toml`` and the files that it names.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.terms = PartyTerms.read(folder / TERMS_FILE)

    def rows(self, *, refit: bool = False) -> Release:
        """Return the party's noisy rows: the stored ones, or, the first time or on a refit, new ones, charged.

        The stored rows answer every later question, also after a restart; nothing is charged again.
        """
        with self._locked():
            path = self.folder / self.terms.release
            if refit and not self.terms.refit:
                raise RefusedError(
                    NodeRefusal.TERMS, "the party does not let the aggregator ask for new noise (refit = false)."
                )
            if path.exists() and not refit:
                return self._checked(read_release(path))
            release = self._draw()
            # Charged and drawn: a crash here wastes the charge, and the next run is charged again.
            write_release(release, path)
            path.chmod(atomic.OWNER_ONLY)
            return release

    def spent(self) -> float:
        """Return the epsilon charged to the party's ledger so far."""
        return Ledger(self.folder / self.terms.ledger).spent()

    def _draw(self) -> Release:
        schema = read_schema(self.folder / self.terms.schema)
        table = encode_file(self.folder / self.terms.table, schema)
        made = NOISY_ROWS.release(
            table.X,
            table.y,
            schema,
            epsilon=checks.positive("epsilon", self.terms.epsilon),
            delta=checks.fraction("delta", self.terms.delta, zero=True),
            ledger=self.folder / self.terms.ledger,
        )
        return replace(made, card=with_record_policy(made.card, schema))

    def _checked(self, release: Release) -> Release:
        """Return ``release`` if it has the budget and the schema that the folder has now."""
        budget = (release.card.epsilon, release.card.delta)
        schema = read_schema(self.folder / self.terms.schema).to_dict()
        if budget != (self.terms.epsilon, self.terms.delta) or schema != release.schema:
            raise RefusedError(
                NodeRefusal.TERMS,
                f"{TERMS_FILE} or the schema changed since the private rows were drawn: refit, or change them back.",
            )
        return release

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the folder: of two questions at the same time, one draws and is charged, the other reads."""
        lock = self.folder / f".{self.terms.release}.lock"
        try:
            file = lock.open("ab")
        except OSError as problem:
            raise InputError(f"the party's folder cannot be written: {problem.strerror}.") from problem
        with file:
            lock.chmod(atomic.OWNER_ONLY)
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _check_type(source: str, name: str, value: Any, expected: Any) -> None:
    types = {str: str, float: (int, float), bool: bool}[expected]
    if not isinstance(value, types) or (expected is float and isinstance(value, bool)):  # type: ignore[arg-type]  # a table of types
        raise InputError(f"{source}: {name} must be a {expected.__name__}; got {value!r}.")
