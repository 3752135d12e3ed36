"""The byte stream that all noise is made of: AES in counter mode, safe under fork, repeatable on request."""

import hashlib
import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from tacit import checks

# A fresh key after this many bytes keeps the stream far from the birthday bound of its 128-bit blocks.
BYTES_PER_KEY = 2**36


class NoiseStream:
    """Uniform random bits, cryptographically secure unless seeded.

    A secure stream takes its key from the operating system. It takes a new one in a forked child and when it is
    copied or pickled, so no two processes ever draw the same noise. A seeded stream repeats itself and is
    therefore not private; its copies continue where it stood, and parts of a program that run side by side take
    a stream each from ``spawn``.

    Parameters
    ----------
    seed : int or None
        None for a secure stream; a whole number of at least 0 for a repeatable one.

    Examples
    --------
    >>> NoiseStream(7).words(2, np.uint16).tolist() == NoiseStream(7).words(2, np.uint16).tolist()
    True
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = None if seed is None else checks.whole("random_state", seed, least=0)
        self._key_material = b"" if self.seed is None else f"tacit seeded noise {self.seed}".encode()
        self._position = 0
        self._lock = threading.Lock()
        self._start()

    @property
    def secure(self) -> bool:
        """Whether the bits are unpredictable."""
        return not self._key_material

    def spawn(self, count: int) -> Iterator["NoiseStream"]:
        """Yield ``count`` streams that share no bits with this one nor with each other."""
        for _ in range(checks.whole("count", count)):
            child = NoiseStream(self.seed)
            if not self.secure:
                child._key_material = self.words(32, np.uint8).tobytes()
                child._start()
            yield child

    def words(self, count: int, dtype: type[np.unsignedinteger[Any]]) -> NDArray[Any]:
        """Return ``count`` uniform words of an unsigned ``dtype``."""
        out = np.zeros(count, dtype)
        if count == 0:
            return out
        with self._lock:
            if self.secure and (self._owner != os.getpid() or self._position > BYTES_PER_KEY):
                self._start()
            view = out.view(np.uint8).data
            # Encrypting zeros gives the key stream; in place, so large draws need no second buffer.
            self._encryptor.update_into(view, view)
            self._position += out.nbytes
        return out

    def _start(self) -> None:
        self._owner = os.getpid()
        key = os.urandom(32) if self.secure else hashlib.sha256(self._key_material).digest()
        self._encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        self._position = 0

    def __getstate__(self) -> dict[str, Any]:
        return {"seed": self.seed, "key_material": self._key_material, "position": self._position}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.seed, self._key_material = state["seed"], state["key_material"]
        self._lock = threading.Lock()
        self._start()
        if not self.secure:
            self.words(state["position"], np.uint8)
