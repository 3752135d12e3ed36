"""
The receiver's notebook
=======================

You have rows like the owner's, and of few of them you know the outcome. You read what the owner's release promises,
adopt it, see what it adds on your own labels, and predict. You spend nobody's budget: what left the owner is
private already.
"""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.metrics import accuracy_score

import tacit

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
# What you get from others
# ------------------------
# A file from each of two clinics. They are made here so that the notebook runs by itself; the second clinic mixed up
# its labels, which nobody told you.
facts = {
    "age": (0, 110),
    "pressure": (60, 240),
    "smokes": ["no", "yes"],
    "sex": ["female", "male"],
    "ill": ["no", "yes"],
}
theirs = invented_patients(6000, seed=1)
schema = tacit.Schema.from_frame(theirs, label="ill", bounds=facts)
mixed = theirs.with_columns(ill=theirs["ill"].shuffle(seed=0))
for name, table in (("clinic-a", theirs), ("clinic-b", mixed)):
    tacit.release(table, schema, epsilon=1.0, output=folder / f"{name}.tacit")

# %%
# What you have
# -------------
# 400 patients, of whom 40 have a diagnosis. An empty label means that it is unknown.
known = np.arange(400) < 40
truth = invented_patients(400, seed=3)
ours = truth.with_columns(ill=pl.when(pl.Series(known)).then(pl.col("ill")))
ours["ill"].value_counts(sort=True)

# %%
# What a release promises
# -----------------------
release = tacit.read_release(folder / "clinic-a.tacit")
release

# %%
# Adopt
# -----
# Every figure is out of sample: each of your labelled rows is predicted by models that learned without it.
model = tacit.adopt([folder / "clinic-a.tacit", folder / "clinic-b.tacit"], ours, schema)
model.evidence

# %%
# What each release adds
# ----------------------
# Right of 0 it helps. The clinic that mixed up its labels is found out by your few, and left aside.
picture = tacit.ReleaseGainDisplay.from_model(model).plot()

# %%
# Predict
# -------
# The names of classes, and how sure the model is. Patients nobody has learned from judge it here.
new = invented_patients(3000, seed=4)
predictions = tacit.predict(model, new.drop("ill"))
own_labels = tacit.adopt([], ours, schema)
for name, each in (("with the releases", model), ("your labels alone", own_labels)):
    print(f"{name}: {accuracy_score(new['ill'], tacit.predict(each, new)['prediction']):.3f} right")
predictions.head()

# %%
# Keep
# ----
# The model is yours: it holds your rows and is not for handing out. The page says what you adopted and whom it
# helped.
tacit.write_model(model, folder / "model.tacit")
page = tacit.report(folder / "model.tacit", output=folder / "model.html")
print(len(page), "characters")
