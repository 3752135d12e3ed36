"""Masks: they hide each share, cancel out in the total, and are recovered from shares of their seeds."""

from itertools import combinations

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from tacit.situations.joint import masking
from tacit.situations.joint.refusals import JoinRefusedError

PLAN = "00" * 32
CELLS = [np.array([5, -7, 2**61], np.int64), np.array([-1, 3, 4], np.int64), np.array([10, 0, -(2**61)], np.int64)]
OWN = [bytes([n]) * 16 for n in range(3)]


def pair_seeds() -> dict[tuple[int, int], bytes]:
    keys = [X25519PrivateKey.generate() for _ in range(3)]
    public = [key.public_key().public_bytes_raw() for key in keys]
    seeds = {}
    for i, j in combinations(range(3), 2):
        seeds[i, j] = masking.pair_seed(masking.shared_key(keys[i], public[j], PLAN), 4)
        # Both of the pair have the same.
        assert seeds[i, j] == masking.pair_seed(masking.shared_key(keys[j], public[i], PLAN), 4)
        seeds[j, i] = seeds[i, j]
    return seeds


def masked(number: int, active: list[int], seeds: dict[tuple[int, int], bytes]) -> masking.MaskWords:
    pairs = [(masking.sign_of(number, other), seeds[number, other]) for other in active if other != number]
    return masking.masked(masking.as_words(CELLS[number]), OWN[number], pairs)


def test_masks_cancel_out_in_the_total() -> None:
    seeds = pair_seeds()
    words = [masked(number, [0, 1, 2], seeds) for number in range(3)]
    total = masking.as_cells(masking.unmasked(words, OWN, []), (3,))
    assert total.tolist() == sum(CELLS[1:], CELLS[0]).tolist()


def test_a_share_alone_and_a_total_still_masked_look_like_chance() -> None:
    seeds = pair_seeds()
    one = masked(0, [0, 1, 2], seeds)
    assert not np.array_equal(one, masking.as_words(CELLS[0]))
    still = masking.unmasked([one, masked(1, [0, 1, 2], seeds), masked(2, [0, 1, 2], seeds)], OWN[:2], [])
    assert np.abs(masking.as_cells(still, (3,))).max() > 2**40


def test_the_total_without_one_who_dropped_out_is_opened_by_the_others_seeds() -> None:
    seeds = pair_seeds()
    words = [masked(number, [0, 1, 2], seeds) for number in (0, 1)]
    left = [(masking.sign_of(number, 2), seeds[number, 2]) for number in (0, 1)]
    total = masking.as_cells(masking.unmasked(words, OWN[:2], left), (3,))
    assert total.tolist() == (CELLS[0] + CELLS[1]).tolist()


def test_masks_differ_from_query_to_query_and_from_plan_to_plan() -> None:
    first, second = X25519PrivateKey.generate(), X25519PrivateKey.generate().public_key().public_bytes_raw()
    pair = masking.shared_key(first, second, PLAN)
    assert pair != masking.shared_key(first, second, "11" * 32)
    assert masking.pair_seed(pair, 0) != masking.pair_seed(pair, 1)


def test_words_are_spread_evenly() -> None:
    words = masking.mask_words(b"k" * 16, 20_000)
    assert abs(np.unpackbits(words.view(np.uint8)).mean() - 0.5) < 0.002
    assert len(np.unique(words)) == 20_000


def test_a_sealed_share_is_for_one_reader_and_one_use() -> None:
    sealed = masking.seal(b"k" * 32, b"s" * 16, "plan 0 1 2")
    assert len(sealed) == masking.SEALED
    assert masking.unseal(b"k" * 32, sealed, "plan 0 1 2") == b"s" * 16
    for key, raw, context in (
        (b"x" * 32, sealed, "plan 0 1 2"),
        (b"k" * 32, sealed, "plan 1 1 2"),
        (b"k" * 32, bytes(len(sealed)), "plan 0 1 2"),
    ):
        with pytest.raises(JoinRefusedError):
            masking.unseal(key, raw, context)
