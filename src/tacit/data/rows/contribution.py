"""Which rows of a person are used when a person may have several: a bounded number, chosen by a key."""

import hashlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit import checks
from tacit.arrays import BoolArray
from tacit.errors import InputError

SHORTEST_KEY = 16
LONGEST_KEY = 64


def kept_rows(persons: ArrayLike, *, rows_per_person: int, key: bytes) -> BoolArray:
    """Return a mask [N] of rows with at most ``rows_per_person`` rows of each person, all rows of those with fewer.

    Of a person with m rows, the rows j = 0 .. m - 1 in the table's order with the smallest keyed digests of (person, j)
    stay. The choice reads neither values nor other persons' rows, so that adding or removing a person with all their
    rows changes at most ``rows_per_person`` of the rows kept, and nobody else's.

    Parameters
    ----------
    persons : array-like [N]
        Who each row belongs to: numbers or texts, none missing.
    rows_per_person : int
        The bound, a public number.
    key : bytes
        16 to 64 bytes, drawn without looking at the table. The same key keeps the same rows in every release.
    """
    most = checks.whole("rows_per_person", rows_per_person)
    if not SHORTEST_KEY <= len(key) <= LONGEST_KEY:
        raise InputError(f"key must be {SHORTEST_KEY} to {LONGEST_KEY} bytes; got {len(key)}.")
    names = _names(persons)
    unique, codes, counts = np.unique(names, return_inverse=True, return_counts=True)
    places = _places(codes, counts)
    kept = np.ones(len(names), dtype=np.bool_)
    many = np.flatnonzero(counts[codes] > most)
    digests = np.array([_digest(key, unique[codes[row]], int(places[row])) for row in many], dtype=np.uint64)
    # Per person in order of digests: the first ``most`` stay.
    order = np.lexsort((digests, codes[many]))
    starts = np.r_[True, np.diff(codes[many][order]) != 0] if many.size else np.zeros(0, dtype=np.bool_)
    first = np.maximum.accumulate(np.where(starts, np.arange(many.size), 0))
    kept[many[order]] = np.arange(many.size) - first < most
    return kept


def most_rows(persons: ArrayLike) -> int:
    """Return the number of rows of the person with the most: a private number, for the owner's eyes alone."""
    names = _names(persons)
    return int(np.unique(names, return_counts=True)[1].max(initial=0))


def _names(persons: ArrayLike) -> NDArray[np.str_]:
    """Return who each row belongs to as text, so that 7 and "7" are one person whatever the file's types."""
    names = np.asarray(persons)
    if names.ndim != 1:
        raise InputError(f"persons must be one column; got shape {names.shape}.")
    named = ["" if each is None else str(each).strip() for each in names.tolist()]
    missing = sum(name in ("", "nan", "NaT") for name in named)
    if missing:
        raise InputError(
            f"persons must name a person in every row; {missing} rows are without. "
            "Drop these rows, or give each of them a person of their own."
        )
    return np.array(named, dtype=np.str_)


def _places(codes: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return which of its person's rows each row is, from 0 on, in the table's order."""
    order = np.argsort(codes, kind="stable")
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    places = np.empty(len(codes), dtype=np.intp)
    places[order] = np.arange(len(codes)) - starts
    return places


def _digest(key: bytes, person: str, place: int) -> int:
    # The length before the name keeps (person, place) pairs apart.
    name = str(person).encode()
    text = len(name).to_bytes(8, "little") + name + place.to_bytes(8, "little")
    return int.from_bytes(hashlib.blake2b(text, key=key, digest_size=8).digest(), "little")
