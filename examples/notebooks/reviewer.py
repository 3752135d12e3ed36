"""
The reviewer's notebook
=======================

You are asked to approve a release: a data-protection officer, an auditor, an ethics board. You need no private row
for most of it. You read the card, have its epsilon computed again from what was drawn, check the account behind it,
and, inside the owner's walls, try to find out who was in the table.
"""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import tacit
from tacit.audit.game import epsilon_lower_bound
from tacit.privacy.mechanisms import Laplace
from tacit.privacy.stream import NoiseStream
from tacit.workflows.attack import attack
from tacit.workflows.audit import audit

folder = Path(tempfile.mkdtemp())


def invented_patients(n_rows: int, seed: int) -> pl.DataFrame:
    """Return a table of invented patients; who is ill depends on age, blood pressure and smoking."""
    rng = np.random.default_rng(seed)
    age, pressure = rng.integers(20, 90, n_rows), rng.normal(130, 20, n_rows).round().clip(70, 230)
    smokes, sex = rng.choice(["no", "yes"], n_rows, p=[0.7, 0.3]), rng.choice(["female", "male"], n_rows)
    risk = (age - 60) / 12 + (pressure - 130) / 15 + 1.5 * (smokes == "yes") - 0.5
    ill = np.where(rng.random(n_rows) < 1 / (1 + np.exp(-risk)), "yes", "no")
    return pl.DataFrame({"age": age, "pressure": pressure, "smokes": smokes, "sex": sex, "ill": ill})


# %%
# What the owner did
# ------------------
# Made here so that the notebook runs by itself: a ledger, and a release charged to it.
facts = {
    "age": (0, 110),
    "pressure": (60, 240),
    "smokes": ["no", "yes"],
    "sex": ["female", "male"],
    "ill": ["no", "yes"],
}
patients = invented_patients(2000, seed=1)
schema = tacit.Schema.from_frame(patients, label="ill", bounds=facts)
ledger = tacit.Ledger.create(folder / "patients.ledger", tacit.Budget(3.0, 1e-6, unit="record"))
tacit.release(patients, schema, epsilon=1.0, ledger=ledger, output=folder / "clinic-a.tacit")

# %%
# The card
# --------
# What one epsilon protects, what it means for a person with several rows, what is assumed, and what is *not*
# protected.
release = tacit.read_release(folder / "clinic-a.tacit")
release.card

# %%
# Its epsilon, computed again
# ---------------------------
# From the events on the card; then each mechanism plays the distinguishing game: it is drawn thousands of times on
# two neighbouring inputs, and its epsilon is bounded from below.
checked = audit(release)
print(f"claimed {checked.claimed:g}, recomputed {checked.recomputed:.4f}, passed: {checked.passed}")
for each in checked.results:
    print(f"{each.what}: claimed {each.claimed:.3f}, at least {each.lower_bound:.3f}")

# %%
# Would the game notice?
# ----------------------
# A count with half the noise that its epsilon of 1 needs. The lower bound exceeds the claim: it is caught.
for words, scale in (("noise as promised", 1.0), ("half the noise", 0.5)):
    mechanism, stream = Laplace(scale, 1.0), NoiseStream(7)
    samples = [mechanism.draw(np.full(20_000, count), stream) for count in (100.0, 101.0)]
    print(f"{words}: epsilon is at least {epsilon_lower_bound(*samples):.2f}, claimed 1")

# %%
# The account
# -----------
# Every charge follows from the one before; an edited, removed or moved line is named.
lines = ledger.verify()
ledger

# %%
# Who was in the table?
# ---------------------
# The strongest attacks that are known for this kind, with the private rows at hand. A low score proves nothing, the
# guarantee does; a high one would contradict it.
tried = attack(folder / "clinic-a.tacit", patients, invented_patients(2000, seed=2))
picture = tacit.RocDisplay.from_attack(tried).plot()
