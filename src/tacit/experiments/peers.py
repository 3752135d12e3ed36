"""Peers that need other versions of our dependencies: scripts of ``bench/``, run by an environment of their own."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

# Made by `make bench`; TACIT_PEERS names another interpreter.
PYTHON = ".venv-peers/bin/python"
SCRIPTS = Path("bench")


def peer_command(script: str) -> list[str] | None:
    """Return how to run a script of ``bench/``; None where it or the environment is lacking."""
    python = Path(os.environ.get("TACIT_PEERS", PYTHON))
    return [str(python), str(SCRIPTS / script)] if python.exists() and (SCRIPTS / script).exists() else None


def ask_peer(script: str, *arguments: str) -> Any | None:
    """Return what a script of ``bench/`` prints as JSON; None where the environment, script or peer is lacking."""
    command = peer_command(script)
    if command is None:
        return None
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)  # noqa: S603 - our own
    return json.loads(done.stdout) if done.returncode == 0 else None
