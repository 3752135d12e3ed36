"""How long owners' commands take to start, and that none of them loads scikit-learn.

Run: python bench/start.py
"""

import os
import subprocess
import sys

COMMANDS = {
    "tacit --help": "tacit.interfaces.cli.main",
    "tacit release": "tacit.interfaces.cli.release",
    "tacit fabricate": "tacit.interfaces.cli.fabricate",
    "tacit ledger": "tacit.interfaces.cli.ledger",
    "tacit card": "tacit.interfaces.cli.card",
    "polars alone": "polars",
}
HEAVY = ("sklearn", "pandas", "scipy.stats", "torch", "distributed")
PROGRAM = """
import importlib, sys, time
importlib.import_module({module!r})
print(round(time.process_time(), 2), *(name for name in {heavy!r} if name in sys.modules))
"""


def main() -> None:
    """Print the CPU seconds of each command's imports, and what heavy packages they load."""
    for name, module in COMMANDS.items():
        program = PROGRAM.format(module=module, heavy=HEAVY)
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ
        )
        seconds, *loaded = done.stdout.split()
        print(f"{name:16s} {seconds:>5s} CPU-s  loads {', '.join(loaded) or 'none of ' + ', '.join(HEAVY)}")


if __name__ == "__main__":
    main()
