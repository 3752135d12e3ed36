"""How long owners' commands take to load, and which libraries that are slow to load they need.

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
    "tacit audit": "tacit.interfaces.cli.audit",
    "polars alone": "polars",
}
HEAVY = ("sklearn", "pandas", "narwhals", "scipy", "scipy.stats", "scipy.optimize", "torch", "distributed")
REPEATS = 5
# As `tacit` does it: garbage is not collected meanwhile.
PROGRAM = """
import gc, importlib, sys, time
gc.disable()
importlib.import_module({module!r})
print(round(time.process_time(), 2), *(name for name in {heavy!r} if name in sys.modules))
"""


def main() -> None:
    """Print the CPU seconds of each command's imports, the least of a few runs, and what heavy packages they load."""
    for name, module in COMMANDS.items():
        program = PROGRAM.format(module=module, heavy=HEAVY)
        seconds, *loaded = min((answer(program) for _ in range(REPEATS)), key=lambda words: float(words[0]))
        print(f"{name:16s} {seconds:>5s} CPU-s  loads {', '.join(loaded) or 'none of ' + ', '.join(HEAVY)}")


def answer(program: str) -> list[str]:
    """Return the words that a program of Python prints."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ).stdout.split()


if __name__ == "__main__":
    main()
