"""Peers that need other versions of our dependencies: scripts of ``bench/``, run by an environment of their own."""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

# The repository, if the package is used from its sources: src/tacit/experiments/peers.py lies four levels below it.
ROOT = Path(__file__).resolve().parents[3]
# Names the interpreter of the peers; without it the environment that `make bench` creates is used.
VARIABLE = "TACIT_PEERS"


def peer_python() -> Path | None:
    """Return the interpreter of the peers' environment; None if there is none."""
    python = Path(os.environ.get(VARIABLE) or ROOT / ".venv-peers" / "bin" / "python")
    return python if python.exists() else None


def bench_script(name: str) -> Path:
    """Return a script of the repository's folder ``bench``; raise InputError if it is absent.

    An installed package has no such folder: peers can be run only from the sources.
    """
    path = ROOT / "bench" / name
    if not path.is_file():
        raise InputError(
            f"peers need the script {path}, which is not there. Use tacit from a clone of its repository "
            f"(pip install -e .), or unset {VARIABLE} to leave peers out."
        )
    return path


def peer_command(script: str) -> list[str] | None:
    """Return how to run a script of ``bench/``; None without the peers' environment."""
    python = peer_python()
    return None if python is None else [str(python), str(bench_script(script))]


def ask_peer(script: str, mode: str, arrays: Mapping[str, NDArray[Any]] | None = None) -> Any | None:
    """Return what a script of ``bench/`` prints as JSON; None without the peers' environment or if the script fails.

    ``arrays`` are saved to an NPZ file whose path is the script's last argument.
    """
    command = peer_command(script)
    if command is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        arguments = [mode]
        if arrays is not None:
            path = Path(folder) / "arrays.npz"
            np.savez(path, allow_pickle=False, **arrays)
            arguments.append(str(path))
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)  # noqa: S603 - our own
    return json.loads(done.stdout) if done.returncode == 0 else None
