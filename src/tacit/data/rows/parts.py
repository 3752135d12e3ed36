"""In which part of a table a row lies where parts are used apart: by what the row holds, never by its place."""

import hashlib
from collections import Counter

import numpy as np

from tacit import checks
from tacit.arrays import FloatArray, IntArray
from tacit.errors import InputError

# Public: a promise that holds for the parts under every key holds for those under a known one. The key keeps the parts
# of tacit apart from what anyone else derives from digests of the same rows.
KEY = b"tacit: parts of rows, 1"


def row_parts(X: FloatArray, codes: IntArray, n_parts: int) -> IntArray:
    """Return in which of ``n_parts`` each row of ``X`` [N, p] with class code ``codes`` [N] lies.

    The part is a keyed digest of the row's values, its code, and how many equal rows stand before it, modulo
    ``n_parts``. Of m equal rows it is the numbers 0 .. m - 1 that lie somewhere, whichever row is which; so the rows
    with their parts, taken as a multiset, change in one element when a row is added or removed, and in one element out
    and one in when a row is replaced, in any order of the table. Parts by place would move every row of a sorted table.
    """
    checks.whole("n_parts", n_parts)
    if len(X) != len(codes):
        raise InputError(f"codes must hold one class for each of {len(X)} rows; got {len(codes)}.")
    parts = np.zeros(len(X), dtype=np.int64)
    if n_parts == 1:
        return parts
    equal: Counter[bytes] = Counter()
    for place, (row, code) in enumerate(zip(X, codes, strict=True)):
        # 0.0 is added to make one number of the two zeros.
        content = (np.asarray(row, dtype=np.float64) + 0.0).tobytes() + int(code).to_bytes(8, "little", signed=True)
        parts[place] = _digest(content, equal[content]) % n_parts
        equal[content] += 1
    return parts


def _digest(content: bytes, number: int) -> int:
    # All contents of one table are equally long, so that the number after them is read apart.
    text = content + number.to_bytes(8, "little")
    return int.from_bytes(hashlib.blake2b(text, key=KEY, digest_size=8).digest(), "little")
