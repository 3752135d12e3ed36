"""Shamir shares of a mask's seed: as Flower makes them, by pycryptodome."""

from collections.abc import Sequence

from Crypto.Protocol.SecretSharing import Shamir


def split_seed(seed: bytes, *, threshold: int, count: int) -> list[bytes]:
    """Return ``count`` shares of a ``seed`` of 16 bytes, any ``threshold`` of which give it back."""
    return [share for _, share in Shamir.split(threshold, count, seed, ssss=False)] if threshold > 1 else [seed] * count


def joined_seed(shares: Sequence[tuple[int, bytes]]) -> bytes:
    """Return the seed of shares with their places, counted from 0."""
    if len(shares) == 1:
        return shares[0][1]
    return bytes(Shamir.combine([(place + 1, share) for place, share in shares], ssss=False))
