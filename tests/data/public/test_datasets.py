"""Public data sets, on the real files where they are at hand."""

import gzip
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit.data.public import datasets, downloads, sources
from tacit.data.public.datasets import ImageSet, TableSet
from tacit.data.reading.table_source import read_table
from tacit.data.rows.inspection import inspect_table
from tacit.errors import InputError, MissingDataError

DATA = Path(os.environ.get("TACIT_DATA") or "")


def needs(file: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        not os.environ.get("TACIT_DATA") or not (DATA / file).is_file(),
        reason=f"{file} is not in the folder TACIT_DATA",
    )


def check_images(images: ImageSet) -> None:
    """Pixels are float32 rows in [0, 1] that reach both ends, and labels are codes of the classes."""
    n_pixels = int(np.prod(images.image_shape))
    for X, y in ((images.X_train, images.y_train), (images.X_test, images.y_test)):
        assert X.dtype == np.float32
        assert X.shape == (len(y), n_pixels)
        assert (X.min(), X.max()) == (0, 1)
        assert y.dtype == np.int64
        assert set(y.tolist()) == set(range(len(images.classes)))


@needs("mnist.npz")
def test_mnist_is_the_well_known_one() -> None:
    mnist = datasets.load_mnist()
    check_images(mnist)
    assert mnist.X_train.shape == (60000, 784)
    assert mnist.y_train[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert np.bincount(mnist.y_test).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert float(mnist.X_train.mean(dtype=np.float64)) == pytest.approx(0.1307, abs=1e-4)
    assert mnist.schema.image is not None
    assert mnist.schema.image.shape == (28, 28)


@needs("usps.npz")
def test_usps_labels_are_digits() -> None:
    usps = datasets.load_usps()
    check_images(usps)
    assert np.bincount(usps.y_train).tolist() == [1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644]
    # A nought has an empty middle, a one does not: labels that were off by one would swap them.
    middles = [usps.X_train[usps.y_train == digit].reshape(-1, 16, 16)[:, 7:9, 7:9].mean() for digit in (0, 1)]
    assert middles[0] < 0.2 < 0.6 < middles[1]


@needs("cifar10.npz")
def test_cifar_has_the_same_number_of_each_class() -> None:
    cifar = datasets.load_cifar10()
    check_images(cifar)
    assert cifar.image_shape == (32, 32, 3)
    for y in (cifar.y_train, cifar.y_test):
        assert len(set(np.bincount(y).tolist())) == 1


@needs("office_caltech_surf.npz")
def test_office_domains_have_their_well_known_sizes() -> None:
    office = datasets.load_office_caltech()
    sizes = {name: len(domain.X) for name, domain in office.domains.items()}
    assert sizes == {"amazon": 958, "caltech10": 1123, "dslr": 157, "webcam": 295}
    for domain in office.domains.values():
        assert domain.X.shape[1] == 800
        assert set(domain.y.tolist()) == set(range(10))
    assert office.classes[0] == "backpack"


@needs("adult.csv.gz")
def test_adult_fits_its_documented_schema_without_clipping() -> None:
    adult = datasets.load_adult()
    found = inspect_table(adult.table, adult.schema)
    assert found.classes == {"<=50K": 37155, ">50K": 11687}
    assert {column.name: column.missing for column in found.columns if column.missing} == {
        "workclass": 2799,
        "occupation": 2809,
        "native-country": 857,
    }
    assert sum(column.clipped + column.unknown + column.refused for column in found.columns) == 0


@needs("adult.csv.gz")
def test_adult_comes_in_its_two_parts() -> None:
    assert datasets.load_adult("train").table.height == 32561
    assert datasets.load_adult("test").encode(labels="required").X.shape == (16281, 108)
    with pytest.raises(InputError, match="part must be one of 'all', 'train', 'test'"):
        datasets.load_adult("validation")  # type: ignore[arg-type]


@needs("bank-full.csv.gz")
def test_bank_is_encoded_with_few_values_clipped() -> None:
    bank = datasets.load_bank()
    found = inspect_table(bank.table, bank.schema)
    assert found.classes == {"no": 39922, "yes": 5289}
    assert 0 < sum(column.clipped for column in found.columns) < 20
    assert bank.encode(labels="required").X.shape == (45211, 51)


@needs("heart_disease_4centres.csv")
def test_heart_centres_keep_what_is_missing_visible() -> None:
    centres = datasets.load_heart_centres()
    classes = {name: inspect_table(centre.table, centre.schema).classes for name, centre in centres.items()}
    assert classes["cleveland"] == {"healthy": 164, "ill": 139}
    assert classes["hungarian"] == {"healthy": 188, "ill": 106}
    assert {name: centre.table.height for name, centre in centres.items()} == {
        "cleveland": 303,
        "hungarian": 294,
        "switzerland": 123,
        "va": 200,
    }
    encoded = {name: centre.encode(labels="required") for name, centre in centres.items()}
    chol = centres["va"].schema.encoded_names.index("chol is missing")
    thal = centres["va"].schema.encoded_names.index("thal is missing")
    # A cholesterol of 0 means unrecorded: all of Switzerland, 49 and 7 empty cells at VA.
    assert {name: int(e.X[:, chol].sum()) for name, e in encoded.items()} == {
        "cleveland": 0,
        "hungarian": 23,
        "switzerland": 123,
        "va": 56,
    }
    assert int(encoded["hungarian"].X[:, thal].sum()) == 266


@needs("glasgow/nodes_long.csv")
def test_glasgow_has_three_waves_of_pupils_and_friendships() -> None:
    glasgow = datasets.load_glasgow()
    encoded = glasgow.encode(labels="required")
    first = glasgow.table["wave"].to_numpy() == "1"
    assert np.bincount(encoded.y[first] + 1).tolist() == [10, 71, 56, 6, 17]
    assert glasgow.friendships["wave"].value_counts(sort=True)["count"].to_list() == [587, 516, 497]
    assert set(glasgow.friendships["type"].to_list()) == {1, 2}


@needs("fitbit/dailyActivity_merged.csv")
def test_fitbit_has_each_user_day_once_and_keeps_the_fuller_one() -> None:
    fitbit = datasets.load_fitbit()
    assert fitbit.table.height == 1397 - 24
    assert fitbit.table.select("Id", "ActivityDate").is_unique().all()
    row = fitbit.table.filter((pl.col("Id") == "1503960366") & (pl.col("ActivityDate") == "2016-04-12"))
    assert row["TotalSteps"].to_list() == ["13162"]
    assert fitbit.table["Id"].n_unique() == 35
    assert fitbit.encode().X.shape == (1373, 13)
    assert (fitbit.sleep.height, fitbit.weight.height) == (410, 98)


def test_digits_come_with_scikit_learn() -> None:
    digits = datasets.load_digits()
    check_images(digits)
    assert (len(digits.X_train), len(digits.X_test)) == (1347, 450)


@pytest.mark.parametrize(
    ("load", "shape", "classes"),
    [
        (datasets.load_breast_cancer, (569, 30), {"malignant": 212, "benign": 357}),
        (datasets.load_wine, (178, 13), {"class_0": 59, "class_1": 71, "class_2": 48}),
        (datasets.load_iris, (150, 4), {"setosa": 50, "versicolor": 50, "virginica": 50}),
    ],
)
def test_tables_that_come_with_scikit_learn_fit_their_schemas(
    load: Callable[[], TableSet], shape: tuple[int, int], classes: dict[str, int]
) -> None:
    loaded = load()
    found = inspect_table(loaded.table, loaded.schema)
    assert found.classes == classes
    assert sum(column.clipped + column.refused + column.missing for column in found.columns) == 0
    assert loaded.encode(labels="required").X.shape == shape


@pytest.fixture
def empty_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No data folder, an empty cache: everything must come from the public source."""
    monkeypatch.delenv("TACIT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tacit"


@needs("adult.csv.gz")
def test_adult_from_its_public_source_is_the_same_table(empty_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = read_table(DATA / "adult.csv.gz")

    def part(name: str, ending: str) -> bytes:
        rows = table.filter(pl.col("split") == name).drop("split").rows()
        return "".join(", ".join(row) + ending + "\n" for row in rows).encode()

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("adult.data", part("train", ""))
        archive.writestr("adult.test", b"|1x3 Cross validator\n" + part("test", "."))
    monkeypatch.setattr(sources, "download", lambda _: file.getvalue())
    assert datasets.load_adult().table.equals(table)
    assert (empty_folders / "adult.csv.gz").is_file()


@needs("heart_disease_4centres.csv")
def test_hearts_from_their_public_source_are_the_same_table(
    empty_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = read_table(DATA / "heart_disease_4centres.csv").fill_null("?")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for centre in downloads.HEART_CENTRES:
            rows = table.filter(pl.col("centre") == centre).drop("centre").rows()
            archive.writestr(f"processed.{centre}.data", "\n".join(",".join(row) for row in rows))
    monkeypatch.setattr(sources, "download", lambda _: file.getvalue())
    fetched = datasets.load_heart_centres()
    assert pl.concat([centre.table for centre in fetched.values()]).fill_null("?").equals(table)


@needs("usps.npz")
def test_usps_from_its_public_source_is_the_same_set(empty_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with np.load(DATA / "usps.npz") as file:
        kept = {name: file[name] for name in file.files}

    def download(url: str) -> bytes:
        part = "train" if "train" in url else "test"
        rows = np.column_stack([kept[f"y_{part}"], kept[f"x_{part}"].reshape(-1, 256) * 2.0 - 1.0])
        lines = io.BytesIO()
        np.savetxt(lines, rows, fmt="%.6f")
        return gzip.compress(lines.getvalue(), compresslevel=1)

    monkeypatch.setattr(sources, "download", download)
    fetched = datasets.load_usps()
    np.testing.assert_allclose(fetched.X_train, kept["x_train"].reshape(-1, 256), atol=1e-6)
    np.testing.assert_array_equal(fetched.y_test, kept["y_test"])


def test_a_source_with_another_number_of_rows_is_not_taken_for_the_set(
    empty_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.BytesIO()
    np.savez(file, x_train=np.zeros((3, 28, 28)), y_train=np.zeros(3), x_test=np.zeros((1, 28, 28)), y_test=np.zeros(1))
    monkeypatch.setattr(sources, "download", lambda _: file.getvalue())
    with pytest.raises(MissingDataError, match=r"mnist.npz must hold .*60000, 10000.* got \(3, 1\)"):
        datasets.load_mnist()


def test_glasgow_without_its_files_says_what_to_do(empty_folders: Path) -> None:
    with pytest.raises(MissingDataError, match="TACIT_DATA"):
        datasets.load_glasgow()


@needs("tables/flights.parquet")
@pytest.mark.parametrize(("outcome", "mean"), [("late", 0.24), ("arr_delay", 6.9)])
def test_flights_are_the_departures_of_2013(outcome: str, mean: float) -> None:
    flights = datasets.load_flights(outcome)  # type: ignore[arg-type]
    sample = TableSet("flights", flights.table.sample(20_000, seed=0), flights.schema)
    rows = sample.encode(labels="required")
    assert rows.outcomes.mean() == pytest.approx(mean, rel=0.2)
    ignored = {"late", "arr_delay", "dep_delay", "air_time", "origin", "tailnum"} - {outcome}
    assert not ignored & {column.name for column in flights.schema.features}


@needs("tables/vietnam_health.csv.gz")
def test_surveys_tell_who_is_insured() -> None:
    for load, n_columns, share in (
        (datasets.load_vietnam_health, 13, 0.163),
        (datasets.load_doctor_visits, 25, 0.776),
    ):
        rows = load().encode(labels="required")
        assert rows.X.shape[1] == n_columns
        assert rows.y.mean() == pytest.approx(share, abs=0.001)
        assert ((rows.X >= 0) & (rows.X <= 1)).all()


def test_surveys_must_be_given() -> None:
    with pytest.raises(MissingDataError, match="Ecdat"):
        downloads.survey_table(lambda _: b"")


@needs("tables/diamonds.csv.gz")
def test_diamonds_have_prices() -> None:
    rows = datasets.load_diamonds().encode(labels="required")
    assert rows.targets is not None
    assert rows.targets.max() == 18823
    assert rows.X.shape == (53_940, 26)


def test_diamonds_are_packed_as_they_come() -> None:
    content = downloads.diamonds(lambda _: b"carat,price")
    assert gzip.decompress(content["tables/diamonds.csv.gz"]) == b"carat,price"


def test_flights_must_be_given() -> None:
    with pytest.raises(MissingDataError, match="TACIT_DATA"):
        downloads.flights(lambda _: b"")
