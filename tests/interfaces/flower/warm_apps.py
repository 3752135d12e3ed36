"""Runs Flower's commands in forks of one process that has imported everything: ``warm_apps.py PORT MODULE...``.

Flower starts ``flwr-clientapp`` for every message and ``flwr-serverapp`` for every run, and most of their time is
imports. A fork is a process of its own all the same, with nothing in it but modules: what a node says still comes from
its folder alone.
"""

import importlib
import json
import os
import signal
import socket
import sys
from pathlib import Path

from flwr.superlink.cli import flwr_serverapp
from flwr.supernode.cli import flwr_clientapp

COMMANDS = {"flwr-clientapp": flwr_clientapp, "flwr-serverapp": flwr_serverapp}


def serve(port: int, modules: list[str]) -> None:
    """Fork for each command that comes, for ever."""
    for module in modules:
        importlib.import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.create_server(("127.0.0.1", port)) as place:
        while True:
            connection, _ = place.accept()
            with connection, connection.makefile("rb") as lines:
                arguments = lines.read()
            if arguments and os.fork() == 0:
                place.close()
                run(json.loads(arguments))


def run(arguments: list[str]) -> None:
    """Run the command in this process, and end it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.argv = arguments
    try:
        COMMANDS[Path(arguments[0]).name]()
    finally:
        os._exit(0)


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2:])
