"""Speed and memory of the release file: writes and reads one float32 array of the size of MNIST (188 MB).

Run: ``python bench/release.py [--folder FOLDER]``.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tacit.privacy.budget import Unit
from tacit.privacy.card import Card
from tacit.privacy.card_content import Part
from tacit.privacy.events import LaplaceEvent
from tacit.releases.file import Release, read_release, write_release

MEGABYTE = 1e6
REPEATS = 3


def peak_memory() -> float:
    """Return the largest resident memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE


def best_seconds(action: Callable[[], object]) -> float:
    """Return the shortest of a few runs."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    """Print megabytes per second of writing and reading, and the memory that each needed beyond the array."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--folder", default=None, help="where to write; the system's folder for temporary files")
    parsed = arguments.parse_args()
    part = Part("rows", {"mechanism": "laplace", "scale": 1.0}, "one entry moves by at most 1", LaplaceEvent(1.0, 1.0))
    card = Card("bench", Unit.ENTRY, 1.0, 0.0, "one entry differs", (part,))
    rows = np.random.default_rng(0).standard_normal((60_000, 784), dtype=np.float32)
    release = Release("rows", {"rows": rows}, {}, card)
    size = rows.nbytes / MEGABYTE
    with tempfile.TemporaryDirectory(dir=parsed.folder) as folder:
        path = Path(folder) / "rows.tacit"
        before = peak_memory()
        writing = best_seconds(lambda: write_release(release, path))
        written = peak_memory()
        reading = best_seconds(lambda: read_release(path))
        read = peak_memory()
    print(f"array {size:.0f} MB")
    print(f"write {size / writing:6.0f} MB/s   {written - before:4.0f} MB of memory beyond the array")
    print(f"read  {size / reading:6.0f} MB/s   {read - before:4.0f} MB of memory beyond the array that was written")


if __name__ == "__main__":
    main()
