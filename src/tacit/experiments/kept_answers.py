"""Answers of peers and figures of draws, kept in a folder by what they were asked: an interrupted run goes on."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.experiments import peers
from tacit.files.atomic import write_text

# Names the folder of the answers; without it they lie in the repository's ignored folder of benchmark output.
VARIABLE = "TACIT_PEER_ANSWERS"
PACKAGE = Path(__file__).resolve().parents[1]


def kept_answer(script: str, mode: str, arrays: Mapping[str, NDArray[Any]]) -> Any | None:
    """Return a peer's answer, asked only if it is not in the folder; without the peers' environment only kept ones.

    An answer belongs to the script as it is, the mode and the arrays to the last bit; failures are not kept.
    """
    if peers.peer_python() is None and not answers_folder().is_dir():
        return None
    path = answers_folder() / f"{question_digest(script, mode, arrays)}.json"
    if path.is_file():
        return json.loads(path.read_text(encoding="utf-8"))
    answer = peers.ask_peer(script, mode, arrays)
    if answer is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(answer))
    return answer


def kept_figures(question: Iterable[Any], measure: Callable[[], Any]) -> Any:
    """Return what ``measure`` returned for this JSON-ready ``question``, run only if it is not in the folder.

    Figures belong to the package's sources as they are: any change of a file of it measures again. Nothing is kept
    where the folder is not named, so that a table that is run again is measured again.
    """
    if not os.environ.get(VARIABLE):
        return measure()
    digest = hashlib.sha256(json.dumps([source_digest(), *question]).encode()).hexdigest()[:32]
    path = answers_folder() / f"{digest}.json"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(measure()))
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def source_digest() -> str:
    """Return a digest of every source file of the package, by path and content."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def answers_folder() -> Path:
    """Return where answers are kept."""
    return Path(os.environ.get(VARIABLE) or peers.ROOT / "bench-output" / "peer-answers")


def question_digest(script: str, mode: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a digest of the script's text, the mode, and the arrays with their names, types and shapes."""
    digest = hashlib.sha256(peers.bench_script(script).read_bytes())
    digest.update(json.dumps([script, mode]).encode())
    for name, array in sorted(arrays.items()):
        digest.update(json.dumps([name, str(array.dtype), array.shape]).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
