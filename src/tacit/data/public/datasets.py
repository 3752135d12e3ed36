"""Public data sets for tests, benchmarks and demonstrations, each with its schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import sklearn.datasets
from numpy.typing import DTypeLike, NDArray

from tacit import checks
from tacit.arrays import Float32Array, IntArray
from tacit.data.public import downloads
from tacit.data.public import schemas as public_schemas
from tacit.data.public.sources import locate
from tacit.data.reading.table_source import read_table
from tacit.data.reading.tables import read_arrays
from tacit.data.rows.encoding import Encoded, LabelPresence, encode
from tacit.data.schemas.schema import Schema
from tacit.errors import MissingDataError

DIGITS = tuple("0123456789")
CIFAR10_CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
# scikit-learn's digits come without a split: the last quarter is for testing.
DIGITS_TRAIN = 1347


@dataclass(frozen=True)
class ImageSet:
    """Pictures as rows: ``X`` float32 in [0, 1] with one column per pixel, ``y`` class codes."""

    name: str
    X_train: Float32Array
    y_train: IntArray
    X_test: Float32Array
    y_test: IntArray
    image_shape: tuple[int, ...]
    classes: tuple[str, ...]

    @cached_property
    def schema(self) -> Schema:
        """The schema of a table with one column per pixel and a label."""
        return public_schemas.image_schema(self.image_shape, self.classes)


@dataclass(frozen=True)
class TableSet:
    """A table as it was read, and its schema with public bounds."""

    name: str
    table: pl.DataFrame
    schema: Schema

    def encode(self, *, labels: LabelPresence = "optional", dtype: DTypeLike = np.float64) -> Encoded:
        """Return the table as numbers in [0, 1]."""
        return encode(self.table, self.schema, labels=labels, dtype=dtype, source=self.name)


@dataclass(frozen=True)
class Domain:
    """One domain of Office-Caltech: 800 SURF counts a picture, and class codes."""

    X: Float32Array
    y: IntArray


@dataclass(frozen=True)
class OfficeCaltech:
    """The four domains of Office-Caltech: amazon, caltech10, dslr, webcam."""

    domains: Mapping[str, Domain]
    classes: tuple[str, ...]


@dataclass(frozen=True)
class Glasgow(TableSet):
    """Pupils by wave, and their friendships: columns wave, from, to, type (1 best friend, 2 friend)."""

    friendships: pl.DataFrame


@dataclass(frozen=True)
class Fitbit(TableSet):
    """Days of activity, each user-day once, and the logs of sleep and weight."""

    sleep: pl.DataFrame
    weight: pl.DataFrame


def load_mnist() -> ImageSet:
    """Return MNIST: 60000 and 10000 handwritten digits of 28 × 28 pixels."""
    return _images("mnist", locate("mnist.npz", downloads.mnist), DIGITS, rows=(60_000, 10_000))


def load_usps() -> ImageSet:
    """Return USPS: 7291 and 2007 handwritten digits of 16 × 16 pixels."""
    return _images("usps", locate("usps.npz", downloads.usps), DIGITS, rows=(7_291, 2_007))


def load_cifar10() -> ImageSet:
    """Return CIFAR-10, small colour photographs: the whole set when fetched, or what the data folder holds of it."""
    return _images("cifar10", locate("cifar10.npz", downloads.cifar10), CIFAR10_CLASSES)


def load_digits() -> ImageSet:
    """Return scikit-learn's digits: 1347 and 450 of 8 × 8 pixels, in their own order."""
    X, y = sklearn.datasets.load_digits(return_X_y=True)
    pixels, codes = (X / 16).astype(np.float32), y.astype(np.int64)
    train, test = slice(None, DIGITS_TRAIN), slice(DIGITS_TRAIN, None)
    return ImageSet("digits", pixels[train], codes[train], pixels[test], codes[test], (8, 8), DIGITS)


def load_office_caltech() -> OfficeCaltech:
    """Return Office-Caltech: 2533 pictures of 10 things from four sources, as raw SURF counts."""
    arrays = read_arrays(locate("office_caltech_surf.npz", downloads.office_caltech))
    domains = {
        name: Domain(arrays[f"{name}_X"].astype(np.float32), arrays[f"{name}_y"].astype(np.int64) - 1)
        for name in downloads.OFFICE_DOMAINS
    }
    return OfficeCaltech(domains, downloads.OFFICE_CLASSES)


def load_adult(part: Literal["all", "train", "test"] = "all") -> TableSet:
    """Return UCI Adult: 48842 people, and whether they earn more than 50000 dollars."""
    checks.one_of("part", part, ("all", "train", "test"))
    table = _table(locate("adult.csv.gz", downloads.adult), rows=48_842)
    chosen = table if part == "all" else table.filter(pl.col("split") == part)
    return TableSet("adult", chosen, public_schemas.adult_schema())


def load_bank() -> TableSet:
    """Return UCI Bank Marketing: 45211 calls, and whether a deposit was made."""
    table = _table(locate("bank-full.csv.gz", downloads.bank), rows=45_211)
    return TableSet("bank", table, public_schemas.bank_schema())


def load_flights(outcome: Literal["late", "arr_delay"] = "late") -> TableSet:
    """Return New York's 327346 departures of 2013 with weather and plane, to predict lateness or the delay."""
    checks.one_of("outcome", outcome, ("late", "arr_delay"))
    table = _table(locate("tables/flights.parquet", downloads.flights), rows=327_346)
    return TableSet("flights", table, public_schemas.flights_schema(outcome))


def load_diamonds() -> TableSet:
    """Return 53940 diamonds: weight, quality, measures and, to be predicted, the price."""
    table = _table(locate("tables/diamonds.csv.gz", downloads.diamonds), rows=53_940)
    return TableSet("diamonds", table, public_schemas.diamonds_schema())


def load_vietnam_health() -> TableSet:
    """Return a health survey of 27765 people in 194 communes of Vietnam, and whether they are insured."""
    table = _table(locate("tables/vietnam_health.csv.gz", downloads.survey_table), rows=27_765)
    return TableSet("vietnam_health", table, public_schemas.vietnam_health_schema())


def load_doctor_visits() -> TableSet:
    """Return 4406 elderly in four regions, their visits to doctors, and whether they have a private insurance."""
    table = _table(locate("tables/doctor_visits_elderly.csv.gz", downloads.survey_table), rows=4_406)
    return TableSet("doctor_visits_elderly", table, public_schemas.doctor_visits_schema())


def load_heart_centres() -> dict[str, TableSet]:
    """Return UCI Heart Disease by hospital: cleveland, hungarian, switzerland, va; 920 patients, ill or healthy.

    Missing values follow the hospital: hungarian has almost no ``ca`` and ``thal``, switzerland no cholesterol.
    """
    table = _table(locate("heart_disease_4centres.csv", downloads.heart_centres), rows=920)
    schema = public_schemas.heart_schema()
    return {
        centre: TableSet(centre, table.filter(pl.col("centre") == centre), schema) for centre in downloads.HEART_CENTRES
    }


def load_glasgow() -> Glasgow:
    """Return the Glasgow study: 160 pupils in three yearly waves, their habits and friendships."""
    nodes = _table(locate("glasgow/nodes_long.csv", downloads.glasgow), rows=480)
    edges = _table(locate("glasgow/friendship_edges.csv", downloads.glasgow), rows=1_600)
    return Glasgow("glasgow", nodes, public_schemas.glasgow_schema(), edges.cast(pl.Int64))


def load_fitbit() -> Fitbit:
    """Return the Fitbit log: 1373 user-days of 35 users in spring 2016, with sleep and weight where they were logged.

    The two exports behind it overlap in one day, which the earlier one holds only in part: of the 24 user-days that
    occur twice the fuller one (more calories burnt) is kept. Repeated lines of the other logs are dropped.
    """
    daily, sleep, weight = (
        _table(locate(f"fitbit/{name}_merged.csv", downloads.fitbit), rows=rows)
        for name, rows in (("dailyActivity", 1_397), ("sleepDay", 413), ("weightLogInfo", 100))
    )
    # Both 04/12/2016 and 4/12/2016 occur.
    dated = daily.with_columns(pl.col("ActivityDate").str.to_date("%m/%d/%Y").cast(pl.String))
    fuller = dated.sort(pl.col("Calories").cast(pl.Float64), descending=True, maintain_order=True)
    once = fuller.unique(["Id", "ActivityDate"], keep="first").sort("Id", "ActivityDate")
    return Fitbit(
        "fitbit",
        once,
        public_schemas.fitbit_schema(),
        sleep=sleep.unique(maintain_order=True),
        weight=weight.unique(maintain_order=True),
    )


def load_breast_cancer() -> TableSet:
    """Return the Wisconsin breast cancer set of scikit-learn: 569 tumours, malignant or benign."""
    return _bundled("breast_cancer", sklearn.datasets.load_breast_cancer(), public_schemas.breast_cancer_schema())


def load_wine() -> TableSet:
    """Return the wine set of scikit-learn: 178 wines of three cultivars."""
    return _bundled("wine", sklearn.datasets.load_wine(), public_schemas.wine_schema())


def load_iris() -> TableSet:
    """Return the iris set of scikit-learn: 150 flowers of three species."""
    return _bundled("iris", sklearn.datasets.load_iris(), public_schemas.iris_schema())


def _bundled(name: str, bunch: Any, schema: Schema) -> TableSet:
    names = [column.name for column in schema.features]
    if schema.label is None or names != list(bunch.feature_names):
        raise MissingDataError(f"{name}: scikit-learn's columns have changed; update tacit.")
    codes = pl.Series(schema.label.name, [schema.classes[code] for code in bunch.target])
    return TableSet(name, pl.DataFrame(bunch.data, schema=names).with_columns(codes), schema)


def _images(name: str, path: Path, classes: tuple[str, ...], *, rows: tuple[int, int] | None = None) -> ImageSet:
    arrays = read_arrays(path)
    sizes = (len(arrays["x_train"]), len(arrays["x_test"]))
    if rows is not None and sizes != rows:
        raise _unexpected(path, f"{rows} pictures", sizes)
    return ImageSet(
        name=name,
        X_train=_pixels(arrays["x_train"]),
        y_train=arrays["y_train"].astype(np.int64),
        X_test=_pixels(arrays["x_test"]),
        y_test=arrays["y_test"].astype(np.int64),
        image_shape=arrays["x_train"].shape[1:],
        classes=classes,
    )


def _pixels(images: NDArray[Any]) -> Float32Array:
    """Return pictures as rows in [0, 1]; bytes are divided by 255."""
    rows = images.reshape(len(images), -1).astype(np.float32)
    return rows / np.float32(255) if images.dtype == np.uint8 else rows


def _table(path: Path, *, rows: int) -> pl.DataFrame:
    table = read_table(path)
    if table.height != rows:
        raise _unexpected(path, f"{rows} rows", table.height)
    return table


def _unexpected(path: Path, expected: str, content: object) -> MissingDataError:
    return MissingDataError(
        f"{path} must hold {expected}; got {content}. Remove it, or set TACIT_DATA to another folder."
    )
