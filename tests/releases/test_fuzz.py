"""Mutated files: each gives a clean error or an equal release, in little time and memory."""

import io
import json
import resource
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng

from tacit.errors import ReleaseError
from tacit.files import archive
from tacit.releases.file import Release, read_release, write_release

Forge = Callable[[Mapping[str, bytes]], Path]
Mutation = Callable[[bytes, Generator], bytes]

SPARE_MEMORY = 256 * 2**20
SECONDS_PER_FILE = 10
ABSENT = object()


def two_places(raw: bytes, chance: Generator) -> tuple[int, int]:
    first, second = chance.integers(len(raw) + 1, size=2).tolist()
    return min(first, second), max(first, second)


def flip_bits(raw: bytes, chance: Generator) -> bytes:
    changed = np.frombuffer(raw, np.uint8).copy()
    places = chance.integers(len(raw), size=chance.integers(1, 9))
    changed[places] ^= (1 << chance.integers(8, size=len(places))).astype(np.uint8)
    return changed.tobytes()


def cut(raw: bytes, chance: Generator) -> bytes:
    start, stop = two_places(raw, chance)
    return [raw[:start], raw[start:], raw[:start] + raw[stop:]][chance.integers(3)]


def insert(raw: bytes, chance: Generator) -> bytes:
    place = chance.integers(len(raw) + 1)
    return raw[:place] + chance.bytes(int(chance.integers(1, 64))) + raw[place:]


def splice(raw: bytes, chance: Generator) -> bytes:
    """Copy one range over another, so that headers and names turn up where they do not belong."""
    length = int(chance.integers(1, 128))
    source, target = chance.integers(len(raw) - length, size=2)
    return raw[:target] + raw[source : source + length] + raw[target + length :]


def fill(raw: bytes, chance: Generator) -> bytes:
    start, stop = two_places(raw, chance)
    return raw[:start] + [b"\x00", b"\xff"][chance.integers(2)] * (stop - start) + raw[stop:]


def extreme_number(raw: bytes, chance: Generator) -> bytes:
    """Write an extreme number of 2, 4 or 8 bytes, where a size or an offset may be."""
    width = 2 << int(chance.integers(3))
    place = int(chance.integers(len(raw) - width))
    largest = (1 << 8 * width) - 1
    value = [0, 1, 65_535, largest >> 1, largest][chance.integers(5)]
    return raw[:place] + value.to_bytes(width, "little") + raw[place + width :]


def repeat(raw: bytes, chance: Generator) -> bytes:
    place = chance.integers(len(raw))
    return [raw + raw, raw[:place] + raw, raw + raw[place:]][chance.integers(3)]


RAW_MUTATIONS: list[Mutation] = [flip_bits, cut, insert, splice, fill, extreme_number, repeat]


@contextmanager
def little_time_and_memory() -> Iterator[Callable[[], object]]:
    """Let a big allocation fail and a hang be interrupted; the function given starts the clock anew."""

    def too_slow(*_: object) -> None:
        raise TimeoutError("reading one file took too long")

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    previous = signal.signal(signal.SIGALRM, too_slow)
    resource.setrlimit(resource.RLIMIT_AS, (used + SPARE_MEMORY, hard))
    try:
        yield lambda: signal.setitimer(signal.ITIMER_REAL, SECONDS_PER_FILE)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def outcome(path: Path) -> Release | None:
    """Return the release read, or None for a clean error; any other exception fails the test."""
    try:
        return read_release(path)
    except ReleaseError as problem:
        message = str(problem)
    assert message.startswith(str(path))
    return None


@pytest.fixture(scope="module")
def signed(release: Release, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("signed") / "signed.tacit"
    write_release(release, path, signing_key=Ed25519PrivateKey.from_private_bytes(bytes(32)))
    return path.read_bytes()


@pytest.fixture(scope="module")
def signed_members(signed: bytes) -> dict[str, bytes]:
    file = io.BytesIO(signed)
    return {name: archive.read_member(file, member) for name, member in archive.read_directory(file).items()}


def test_seven_thousand_mutated_files_give_a_clean_error_or_an_equal_release(
    release: Release, honest: bytes, signed: bytes, tmp_path: Path
) -> None:
    chance = default_rng(0)
    path = tmp_path / "mutated.tacit"
    sources = [honest, signed]
    refused = 0
    with little_time_and_memory() as restart:
        for i in range(7_000):
            mutated = RAW_MUTATIONS[i % len(RAW_MUTATIONS)](sources[i % len(sources)], chance)
            path.write_bytes(mutated)
            restart()
            read = outcome(path)
            assert read is None or (read == release and mutated in sources)
            refused += read is None
    assert refused > 6_900


def test_two_thousand_members_mutated_under_right_hashes_give_a_clean_error_or_a_sound_release(
    members: dict[str, bytes], forge: Forge, tmp_path: Path
) -> None:
    chance = default_rng(1)
    read = 0
    with little_time_and_memory() as restart:
        for i in range(2_000):
            name = ["release.json", "arrays.safetensors"][i % 2]
            mutate = RAW_MUTATIONS[i // 2 % len(RAW_MUTATIONS)]
            path = forge({**members, name: mutate(members[name], chance)})
            restart()
            read += is_sound(path, tmp_path)
    assert 0 < read < 1_900


def is_sound(path: Path, folder: Path) -> bool:
    """Whether the file is read; if so, what was read must be finite and survive another file."""
    read = outcome(path)
    if read is None:
        return False
    assert all(np.isfinite(array).all() for array in read.arrays.values())
    assert read.card.to_text()
    write_release(read, folder / "again.tacit")
    assert read_release(folder / "again.tacit") == read
    return True


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return ``value`` with the part at ``path`` replaced by ``new``, or left out if that is ``ABSENT``."""
    if not path:
        return {} if new is ABSENT else new
    copy = value.copy()
    if len(path) == 1 and new is ABSENT:
        del copy[path[0]]
    else:
        copy[path[0]] = changed(copy[path[0]], path[1:], new)
    return copy


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = {"event": "repeated", "count": 1, "of": value}
    return value


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from([0, -1, 2**31, 2**63, 2**64, 10**400, 1e308, float("nan"), float("inf"), "\ud800", "../x", ""]),
    st.sampled_from(["float64", "bool", "object", "laplace", "gaussian", "sequential", "entry", "record"]),
)
values = st.one_of(
    st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)),
    st.integers(0, 100).map(nested),
    st.lists(st.sampled_from([0, 1, 2, 2**32, 2**62]), max_size=12),
    st.just(ABSENT),
)
quietly = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@given(data=st.data())
@settings(quietly, max_examples=1_000)
def test_a_thousand_documents_with_a_changed_field_give_a_clean_error_or_a_sound_release(
    data: st.DataObject, members: dict[str, bytes], forge: Forge, tmp_path: Path
) -> None:
    document = json.loads(members["release.json"])
    document = changed(document, data.draw(st.sampled_from(list(places(document)))), data.draw(values))
    with little_time_and_memory() as restart:
        restart()
        is_sound(forge({**members, "release.json": json.dumps(document).encode()}), tmp_path)


@given(data=st.data(), name=st.sampled_from(["manifest.json", "signature.json"]))
@settings(quietly, max_examples=300)
def test_a_manifest_or_signature_with_a_changed_field_is_a_clean_error_or_the_same(
    data: st.DataObject, name: str, release: Release, signed_members: dict[str, bytes], tmp_path: Path
) -> None:
    content = json.loads(signed_members[name])
    content = changed(content, data.draw(st.sampled_from(list(places(content)))), data.draw(values))
    raw = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    with (tmp_path / "changed.tacit").open("wb") as file:
        archive.write_archive(file, {each: [old] for each, old in {**signed_members, name: raw}.items()})
    with little_time_and_memory() as restart:
        restart()
        read = outcome(tmp_path / "changed.tacit")
    assert read is None or (read == release and raw == signed_members[name])
