"""Public data sets from their public sources, turned into the files that the loaders read."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat

from tacit.data.public.sources import Get
from tacit.errors import MissingDataError

MNIST = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz"
USPS = "https://hastie.su.domains/ElemStatLearn/datasets/zip.{part}.gz"
OFFICE = (
    "https://raw.githubusercontent.com/LeoGautheron/OfficeCaltechDomainAdaptation/"
    "0bcf68398284dbef34b04b70e5b897815b11147b/features/surf/{domain}.mat"
)
ADULT = "https://archive.ics.uci.edu/static/public/2/adult.zip"
BANK = "https://archive.ics.uci.edu/static/public/222/bank+marketing.zip"
HEART = "https://archive.ics.uci.edu/static/public/45/heart+disease.zip"
DIAMONDS = "https://raw.githubusercontent.com/tidyverse/ggplot2/main/data-raw/diamonds.csv"
CIFAR10 = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
FITBIT = "https://zenodo.org/records/53894/files/mturkfitbit_export_{period}.zip?download=1"
GLASGOW = "https://www.stats.ox.ac.uk/~snijders/siena/Glasgow_data.zip"

OFFICE_DOMAINS = ("amazon", "caltech10", "dslr", "webcam")
OFFICE_CLASSES = (
    "backpack", "bike", "calculator", "headphones", "keyboard", "laptop", "monitor", "mouse", "mug", "projector",
)  # fmt: skip
ADULT_COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
HEART_CENTRES = ("cleveland", "hungarian", "switzerland", "va")
HEART_COLUMNS = (
    "age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak", "slope", "ca", "thal",
    "num",
)  # fmt: skip
# The later month first, as in the data folder: its first day is whole, the earlier month's last day is not.
FITBIT_PERIODS = ("4.12.16-5.12.16", "3.12.16-4.11.16")


def mnist(get: Get) -> Mapping[str, bytes]:
    """Return MNIST, which its public source already keeps in our layout."""
    return {"mnist.npz": get(MNIST)}


def usps(get: Get) -> Mapping[str, bytes]:
    """Return USPS: each line of the source is a digit and 256 pixels in [−1, 1]."""
    arrays: dict[str, NDArray[Any]] = {}
    for part in ("train", "test"):
        rows = np.loadtxt(io.BytesIO(gzip.decompress(get(USPS.format(part=part)))), ndmin=2)
        arrays[f"x_{part}"] = ((rows[:, 1:] + 1) / 2).reshape(-1, 16, 16).astype(np.float32)
        arrays[f"y_{part}"] = rows[:, 0].astype(np.uint8)
    return {"usps.npz": _npz(arrays)}


def office_caltech(get: Get) -> Mapping[str, bytes]:
    """Return the SURF counts of the four Office-Caltech domains."""
    arrays: dict[str, NDArray[Any]] = {}
    for domain in OFFICE_DOMAINS:
        file: Any = io.BytesIO(get(OFFICE.format(domain=domain)))
        content = loadmat(file)
        arrays[f"{domain}_X"] = content["fts"].astype(np.uint8)
        arrays[f"{domain}_y"] = content["labels"].ravel().astype(np.uint8)
    return {"office_caltech_surf.npz": _npz(arrays | {"classes": np.array(OFFICE_CLASSES)})}


def adult(get: Get) -> Mapping[str, bytes]:
    """Return UCI Adult as one table with a column that says which part a row was in."""
    with zipfile.ZipFile(io.BytesIO(get(ADULT))) as archive:
        parts = {"train": archive.read("adult.data").decode(), "test": archive.read("adult.test").decode()}
    lines = [",".join((*ADULT_COLUMNS, "split"))]
    for part, text in parts.items():
        # The test part writes its classes with a full stop.
        rows = _rows(text, len(ADULT_COLUMNS))
        lines += [",".join((*row[:-1], row[-1].rstrip("."), part)) for row in rows]
    return {"adult.csv.gz": _gzipped(lines)}


def bank(get: Get) -> Mapping[str, bytes]:
    """Return UCI Bank Marketing, the full table of 2011."""
    with (
        zipfile.ZipFile(io.BytesIO(get(BANK))) as outer,
        zipfile.ZipFile(io.BytesIO(outer.read("bank.zip"))) as archive,
    ):
        return {"bank-full.csv.gz": gzip.compress(archive.read("bank-full.csv"), mtime=0)}


def flights(get: Get) -> Mapping[str, bytes]:  # noqa: ARG001 - there is nothing to get
    """Raise MissingDataError: the table is joined from three public ones, and must be given."""
    raise MissingDataError(
        "tables/flights.parquet must be given: departures of nycflights13 joined with its weather and planes. "
        "Put it into the folder that TACIT_DATA names."
    )


def survey_table(get: Get) -> Mapping[str, bytes]:  # noqa: ARG001 - the source cannot be read without R
    """Raise MissingDataError: the table comes with a package of R, and must be given."""
    raise MissingDataError(
        "the tables vietnam_health and doctor_visits_elderly must be given: VietNamI and OFP of the R package Ecdat as "
        "CSV files. Put them into tables/ of the folder that TACIT_DATA names."
    )


def diamonds(get: Get) -> Mapping[str, bytes]:
    """Return ggplot2's diamonds."""
    return {"tables/diamonds.csv.gz": gzip.compress(get(DIAMONDS), mtime=0)}


def heart_centres(get: Get) -> Mapping[str, bytes]:
    """Return UCI Heart Disease as one table of the four hospitals, empty cells where a value is missing."""
    lines = [",".join(("centre", *HEART_COLUMNS))]
    with zipfile.ZipFile(io.BytesIO(get(HEART))) as archive:
        for centre in HEART_CENTRES:
            text = archive.read(f"processed.{centre}.data").decode()
            for row in _rows(text, len(HEART_COLUMNS)):
                cells = ["" if cell == "?" else repr(float(cell)) for cell in row[:-1]]
                lines.append(",".join((centre, *cells, row[-1])))
    return {"heart_disease_4centres.csv": ("\n".join(lines) + "\n").encode()}


def cifar10(get: Get) -> Mapping[str, bytes]:
    """Return the whole of CIFAR-10: each record of the source is a label and three planes of 32 × 32 pixels."""
    with tarfile.open(fileobj=io.BytesIO(get(CIFAR10)), mode="r:gz") as archive:
        members = {member.name.rsplit("/", 1)[-1]: member for member in archive.getmembers() if member.isfile()}

        def read(names: list[str]) -> NDArray[np.uint8]:
            streams = [archive.extractfile(members[name]) for name in names]
            return np.frombuffer(b"".join(stream.read() for stream in streams if stream), dtype=np.uint8)

        parts = {"train": read([f"data_batch_{i}.bin" for i in range(1, 6)]), "test": read(["test_batch.bin"])}
    arrays: dict[str, NDArray[Any]] = {}
    for part, raw in parts.items():
        records = raw.reshape(-1, 1 + 3 * 32 * 32)
        arrays[f"x_{part}"] = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        arrays[f"y_{part}"] = records[:, 0]
    return {"cifar10.npz": _npz(arrays)}


def fitbit(get: Get) -> Mapping[str, bytes]:
    """Return the Fitbit tables of both months, one below the other; sleep was kept in the later month only."""
    archives = [zipfile.ZipFile(io.BytesIO(get(FITBIT.format(period=period)))) for period in FITBIT_PERIODS]
    tables: dict[str, bytes] = {}
    for name in ("dailyActivity_merged.csv", "sleepDay_merged.csv", "weightLogInfo_merged.csv"):
        exports = [
            archive.read(member) for archive in archives for member in archive.namelist() if member.endswith(f"/{name}")
        ]
        header = exports[0].splitlines()[0]
        lines = [header, *(line for export in exports for line in export.splitlines()[1:])]
        tables[f"fitbit/{name}"] = b"\n".join(lines) + b"\n"
    return tables


def glasgow(get: Get) -> Mapping[str, bytes]:  # noqa: ARG001 - the source cannot be read without R
    """Say how to get the Glasgow study: its source keeps it as R objects, which are not read here."""
    raise MissingDataError(
        f"glasgow: the public source {GLASGOW} holds R objects. Either set TACIT_DATA to a folder with "
        "glasgow/nodes_long.csv and glasgow/friendship_edges.csv, or write these two tables from R: one line per pupil "
        "and wave, and one per tie with the columns wave, from, to, type."
    )


def _rows(text: str, n_columns: int) -> Iterator[list[str]]:
    """Yield the rows of a headerless comma-separated text, past blank and comment lines."""
    for line in text.splitlines():
        row = [cell.strip() for cell in line.split(",")]
        if len(row) == n_columns:
            yield row
        elif line.strip() and not line.startswith("|"):
            raise ValueError("a row of another length")


def _gzipped(lines: list[str]) -> bytes:
    return gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)


def _npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()
