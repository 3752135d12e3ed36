"""A party's folder: its table, schema and ledger, its terms, and the private rows it answers from."""

import fcntl
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from tacit import checks
from tacit.data.encoding import encode_file
from tacit.data.schema_file import read_schema
from tacit.errors import InputError, NotReleasableError
from tacit.files import atomic
from tacit.kinds.noisy_rows import KIND as NOISY_ROWS
from tacit.privacy.ledger import Ledger
from tacit.releases.file import Release, read_release, write_release

SETTINGS = "party.toml"


@dataclass(frozen=True)
class Terms:
    """What a party agrees to, from its ``party.toml``; the aggregator has no say in it.

    Attributes
    ----------
    name : str
        What the others may call the party.
    table, schema, ledger, release : str
        Files, relative to the folder: private rows, their public schema, the account, and the noisy rows.
    epsilon, delta : float
        The promise for one entry of the table.
    refit : bool
        Whether new noise may be drawn, and charged again, when the aggregator asks for it.
    hand_out : bool
        Whether the noisy rows themselves may leave the party; without it, only sums and distances do.
    """

    name: str
    epsilon: float
    delta: float
    table: str = "table.csv"
    schema: str = "schema.toml"
    ledger: str = "party.ledger"
    release: str = "private-rows.tacit"
    refit: bool = False
    hand_out: bool = False

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the terms in the file at ``path``."""
        try:
            given = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
            raise InputError(f"{path.name} cannot be read: {problem}.") from problem
        known = {field.name: field for field in fields(cls)}
        unknown, missing = sorted(set(given) - set(known)), sorted({"name", "epsilon", "delta"} - set(given))
        if unknown or missing:
            raise InputError(
                f"{path.name} must have name, epsilon and delta, and may have {', '.join(sorted(known))}; "
                f"it lacks {missing} and has {unknown}."
            )
        for name, value in given.items():
            _check_kind(path.name, name, value, known[name].type)
        return cls(**given)


class Home:
    """One party's folder.

    Parameters
    ----------
    folder : Path
        Holds ``party.toml`` and the files that it names.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.terms = Terms.read(folder / SETTINGS)

    def rows(self, *, refit: bool = False) -> Release:
        """Return the party's noisy rows: those drawn before, or, the first time or on a refit, new ones, charged.

        Once drawn, the rows answer every later question and survive restarts; nothing is charged again.
        """
        with self._alone():
            place = self.folder / self.terms.release
            if refit and not self.terms.refit:
                raise NotReleasableError("the party does not let the aggregator ask for new noise (refit = false).")
            if place.exists() and not refit:
                return self._still_as_agreed(read_release(place))
            release = self._draw()
            # Charged and drawn: a crash here wastes the charge, and the next run has to pay again.
            write_release(release, place)
            place.chmod(atomic.OWNER_ONLY)
            return release

    def spent(self) -> float:
        """Return the epsilon charged to the party's ledger so far."""
        return Ledger(self.folder / self.terms.ledger).spent()

    def _draw(self) -> Release:
        schema = read_schema(self.folder / self.terms.schema)
        table = encode_file(self.folder / self.terms.table, schema)
        return NOISY_ROWS.release(
            table.X,
            table.y,
            schema,
            epsilon=checks.positive("epsilon", self.terms.epsilon),
            delta=checks.fraction("delta", self.terms.delta, zero=True),
            ledger=self.folder / self.terms.ledger,
        )

    def _still_as_agreed(self, release: Release) -> Release:
        drawn = (release.card.epsilon, release.card.delta)
        schema = read_schema(self.folder / self.terms.schema).to_dict()
        if drawn != (self.terms.epsilon, self.terms.delta) or schema != release.schema:
            raise NotReleasableError(
                f"{SETTINGS} or the schema changed since the private rows were drawn: refit, or change them back."
            )
        return release

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one process at a time look for the private rows, so that two questions at once are charged once."""
        lock = self.folder / f".{self.terms.release}.lock"
        try:
            file = lock.open("ab")
        except OSError as problem:
            raise InputError(f"the party's folder cannot be written: {problem.strerror}.") from problem
        with file:
            lock.chmod(atomic.OWNER_ONLY)
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _check_kind(source: str, name: str, value: Any, kind: Any) -> None:
    wanted = {str: str, float: (int, float), bool: bool}[kind]
    if not isinstance(value, wanted) or (kind is float and isinstance(value, bool)):  # type: ignore[arg-type]  # a table of types
        raise InputError(f"{source}: {name} must be a {kind.__name__}; got {value!r}.")
