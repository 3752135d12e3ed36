"""Peers that need other versions of our dependencies: scripts of ``bench/``, run by an environment of their own."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

# Made by `make bench`; TACIT_PEERS names another interpreter.
PYTHON = ".venv-peers/bin/python"
SCRIPTS = Path("bench")


def ask_peer(script: str, *arguments: str) -> Any | None:
    """Return what a script of ``bench/`` prints as JSON; None where the environment, script or peer is lacking."""
    python = Path(os.environ.get("TACIT_PEERS", PYTHON))
    if not python.exists() or not (SCRIPTS / script).exists():
        return None
    command = [str(python), str(SCRIPTS / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own script
    return json.loads(done.stdout) if done.returncode == 0 else None
