"""Masks that hide what a party sends and cancel out in the total, and the shares by which a lost mask is recovered.

Every pair of parties agrees on a key (X25519) from which a fresh seed follows for each query: one of the two adds the
words that the seed gives, the other takes them off. On top of that each party adds a mask of its own, whose seed it
reveals once the total is to be opened; Shamir shares of that seed lie sealed with the others, in case the party is gone
by then. This is the double masking of [secagg], with one difference: what pairs agreed on for a query is revealed by
the survivor of a pair, for that query alone, so that no party's key is ever put together again.

MaskWords come from AES in counter mode. Flower's own generator takes 32 bits of a seed for a Mersenne Twister, which
anyone can try out.
"""

import os
from collections.abc import Iterable, Sequence

import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from numpy.typing import NDArray

from tacit.situations.joint.refusals import JoinRefusal, JoinRefusedError

MaskWords = NDArray[np.uint64]
# Shamir's field has 128 bits; all seeds have this size.
SEED = 16
_NONCE = 12
SEALED = _NONCE + SEED + 16


def shared_key(own: X25519PrivateKey, other: bytes, plan: str) -> bytes:
    """Return the key of a pair of parties for one plan."""
    secret = own.exchange(X25519PublicKey.from_public_bytes(other))
    return HKDF(hashes.SHA256(), 32, salt=bytes.fromhex(plan), info=b"tacit join: pair").derive(secret)


def pair_seed(pair: bytes, query: int) -> bytes:
    """Return the seed of a pair of parties for one query."""
    return HKDF(hashes.SHA256(), SEED, salt=None, info=f"tacit join: mask {query}".encode()).derive(pair)


def mask_words(seed: bytes, count: int) -> MaskWords:
    """Return ``count`` uniform 64-bit words that follow from ``seed``."""
    encryptor = Cipher(algorithms.AES(seed), modes.CTR(bytes(16))).encryptor()
    return np.frombuffer(encryptor.update(bytes(8 * count)), dtype="<u8").astype(np.uint64)


def masked(words: MaskWords, own_seed: bytes, seeds: Iterable[tuple[int, bytes]]) -> MaskWords:
    """Return ``words`` plus the party's own mask, plus or minus that of each pair, modulo 2^64.

    ``seeds`` are signs and seeds of pairs.
    """
    total = words + mask_words(own_seed, len(words))
    for sign, seed in seeds:
        mask = mask_words(seed, len(words))
        total = total + mask if sign > 0 else total - mask
    return total


def unmasked(
    masked_words: Sequence[MaskWords], own_seeds: Iterable[bytes], left: Iterable[tuple[int, bytes]]
) -> MaskWords:
    """Return the total of what the parties masked.

    ``own_seeds`` are those of all who are in the total; ``left`` are signs and seeds of pairs of one who is in it and
    one who is not, as the one who is in it used them.
    """
    total = np.zeros_like(masked_words[0])
    for words in masked_words:
        total = total + words
    for seed in own_seeds:
        total = total - mask_words(seed, len(total))
    for sign, seed in left:
        mask = mask_words(seed, len(total))
        total = total - mask if sign > 0 else total + mask
    return total


def sign_of(party: int, other: int) -> int:
    """Return whether ``party`` adds (1) or takes off (-1) the mask that it has with ``other``."""
    return 1 if party < other else -1


def as_words(cells: NDArray[np.int64]) -> MaskWords:
    """Return signed whole numbers modulo 2^64, in one row."""
    return cells.ravel().view(np.uint64)


def as_cells(words: MaskWords, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the signed whole numbers that `as_words` wrapped."""
    return words.view(np.int64).reshape(shape)


def seal(pair: bytes, share: bytes, context: str) -> bytes:
    """Return ``share`` readable by the other of the pair alone; ``context`` says what it is for."""
    nonce = os.urandom(_NONCE)
    return nonce + ChaCha20Poly1305(_sealing_key(pair)).encrypt(nonce, share, context.encode())


def unseal(pair: bytes, sealed: bytes, context: str) -> bytes:
    """Return what was sealed for this context; anything else is refused."""
    try:
        return ChaCha20Poly1305(_sealing_key(pair)).decrypt(sealed[:_NONCE], sealed[_NONCE:], context.encode())
    except InvalidTag:
        raise JoinRefusedError(JoinRefusal.MESSAGE) from None


def _sealing_key(pair: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt=None, info=b"tacit join: seal").derive(pair)
