import copy
import multiprocessing
import pickle

import joblib
import numpy as np
import pytest
from scipy.stats import chisquare

from tacit.errors import InputError
from tacit.privacy.stream import NoiseStream


def first_words(stream: NoiseStream) -> list[int]:
    return [int(word) for word in stream.words(4, np.uint64)]


def _send_words(stream: NoiseStream, queue: "multiprocessing.Queue[list[int]]") -> None:
    queue.put(first_words(stream))


def test_a_seeded_stream_repeats_itself_and_is_marked() -> None:
    assert first_words(NoiseStream(3)) == first_words(NoiseStream(3))
    assert first_words(NoiseStream(3)) != first_words(NoiseStream(4))
    assert not NoiseStream(3).secure


def test_a_secure_stream_never_repeats_itself() -> None:
    assert NoiseStream().secure
    assert first_words(NoiseStream()) != first_words(NoiseStream())


def test_a_forked_worker_never_repeats_its_parents_noise() -> None:
    stream = NoiseStream()
    first_words(stream)
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[list[int]] = context.Queue()
    workers = [context.Process(target=_send_words, args=(stream, queue)) for _ in range(4)]
    for worker in workers:
        worker.start()
    seen = [queue.get(timeout=30) for _ in workers] + [first_words(stream)]
    for worker in workers:
        worker.join()
    assert len({tuple(words) for words in seen}) == len(seen)


def test_copies_and_pickles_of_a_secure_stream_draw_other_noise() -> None:
    stream = NoiseStream()
    twins = [copy.deepcopy(stream), copy.copy(stream), pickle.loads(pickle.dumps(stream))]
    seen = [tuple(first_words(each)) for each in [stream, *twins]]
    assert len(set(seen)) == 4


def test_joblib_workers_draw_noise_of_their_own() -> None:
    stream = NoiseStream()
    seen = joblib.Parallel(n_jobs=2)(joblib.delayed(stream.words)(4, np.uint64) for _ in range(4))
    assert len({tuple(words.tolist()) for words in seen}) == 4


def test_a_copy_of_a_seeded_stream_continues_where_it_stood() -> None:
    stream = NoiseStream(5)
    stream.words(7, np.uint16)
    assert first_words(pickle.loads(pickle.dumps(stream))) == first_words(stream)


@pytest.mark.parametrize("seed", [None, 9])
def test_spawned_streams_share_no_bits(seed: int | None) -> None:
    stream = NoiseStream(seed)
    children = list(stream.spawn(3))
    seen = [tuple(first_words(each)) for each in [stream, *children]]
    assert len(set(seen)) == 4
    if seed is not None:
        again = [tuple(first_words(each)) for each in NoiseStream(seed).spawn(3)]
        assert again == seen[1:]


def test_bytes_are_uniform() -> None:
    counts = np.bincount(NoiseStream(1).words(1 << 18, np.uint8), minlength=256)
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_a_seed_must_be_a_whole_number(seed: object) -> None:
    with pytest.raises(InputError, match="random_state"):
        NoiseStream(seed)  # type: ignore[arg-type]
