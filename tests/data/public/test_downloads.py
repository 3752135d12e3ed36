"""Public data sets from their public sources, here from small imitations of them."""

import gzip
import io
import tarfile
import zipfile
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from tacit.data.public import downloads
from tacit.errors import MissingDataError


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def arrays(content: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def test_every_source_is_reached_over_https() -> None:
    urls = [value for name, value in vars(downloads).items() if name.isupper() and str(value).startswith("http")]
    assert len(urls) == 10
    assert all(url.startswith("https://") for url in urls)


def test_mnist_is_kept_as_it_comes() -> None:
    assert downloads.mnist(lambda url: url.encode()) == {"mnist.npz": downloads.MNIST.encode()}


def test_usps_pixels_are_moved_to_the_unit_interval() -> None:
    rows = {"train": np.linspace(-1, 1, 512).reshape(2, 256), "test": np.full((1, 256), -1.0)}

    def get(url: str) -> bytes:
        part = "train" if "train" in url else "test"
        lines = [" ".join(map(str, [6.0, *row])) for row in rows[part]]
        return gzip.compress("\n".join(lines).encode())

    found = arrays(downloads.usps(get)["usps.npz"])
    assert found["x_train"].shape == (2, 16, 16)
    np.testing.assert_allclose(found["x_train"].reshape(2, 256), (rows["train"] + 1) / 2, atol=1e-7)
    assert found["x_test"].max() == 0
    assert found["y_train"].tolist() == [6, 6]


def test_office_counts_and_labels_are_taken_over() -> None:
    def get(url: str) -> bytes:
        file: Any = io.BytesIO()
        position = [domain in url for domain in downloads.OFFICE_DOMAINS].index(True)
        savemat(file, {"fts": np.full((2, 800), position), "labels": np.array([[1], [10]])})
        return bytes(file.getvalue())

    found = arrays(downloads.office_caltech(get)["office_caltech_surf.npz"])
    assert [int(found[f"{domain}_X"].max()) for domain in downloads.OFFICE_DOMAINS] == [0, 1, 2, 3]
    assert found["webcam_y"].tolist() == [1, 10]
    assert tuple(found["classes"]) == downloads.OFFICE_CLASSES


ADULT_ROW = "39, State-gov, 77516, Bachelors, 13, Never-married, ?, Not-in-family, White, Male, 0, 0, 40, Cuba, "


def test_adult_parts_become_one_table_with_the_same_classes() -> None:
    source = zipped(
        {
            "adult.data": f"{ADULT_ROW}<=50K\n\n".encode(),
            "adult.test": f"|1x3 Cross validator\n{ADULT_ROW}>50K.\n".encode(),
        }
    )
    lines = gzip.decompress(downloads.adult(lambda _: source)["adult.csv.gz"]).decode().splitlines()
    assert lines[0] == ",".join((*downloads.ADULT_COLUMNS, "split"))
    assert lines[1].endswith("Cuba,<=50K,train")
    assert lines[2].endswith("Cuba,>50K,test")
    assert len(lines) == 3


def test_a_row_of_another_length_is_noticed() -> None:
    source = zipped({"adult.data": b"39, State-gov\n", "adult.test": b""})
    with pytest.raises(ValueError, match="another length"):
        downloads.adult(lambda _: source)


def test_the_bank_table_is_taken_out_of_its_two_archives() -> None:
    source = zipped({"bank.zip": zipped({"bank-full.csv": b"age;y\n"})})
    assert gzip.decompress(downloads.bank(lambda _: source)["bank-full.csv.gz"]) == b"age;y\n"


def test_the_four_hospitals_become_one_table_with_empty_cells() -> None:
    row = b"63,1,1,145,233,1,2,150,0,2.3,3,?,6.0,2\n"
    source = zipped({f"processed.{centre}.data": row for centre in downloads.HEART_CENTRES})
    lines = downloads.heart_centres(lambda _: source)["heart_disease_4centres.csv"].decode().splitlines()
    assert lines[0] == "centre,age,sex,cp,trestbps,chol,fbs,restecg,thalach,exang,oldpeak,slope,ca,thal,num"
    assert lines[4] == "va,63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,,6.0,2"
    assert len(lines) == 5


def test_cifar_planes_become_pixels() -> None:
    planes = np.arange(3 * 32 * 32).reshape(3, 32, 32) % 251
    record = bytes([7]) + planes.astype(np.uint8).tobytes()
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name in [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]:
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = len(record)
            archive.addfile(member, io.BytesIO(record))
    found = arrays(downloads.cifar10(lambda _: file.getvalue())["cifar10.npz"])
    assert found["x_train"].shape == (5, 32, 32, 3)
    assert found["y_test"].tolist() == [7]
    for channel in range(3):
        np.testing.assert_array_equal(found["x_test"][0, :, :, channel], planes[channel])


def test_the_fitbit_months_stand_below_each_other() -> None:
    def get(url: str) -> bytes:
        month = "May" if "4.12.16-5.12.16" in url else "April"
        members = {
            "dailyActivity_merged.csv": f"Id,Day\r\n1,{month}\r\n",
            "weightLogInfo_merged.csv": f"Id,W\r\n1,{month}\r\n",
        }
        if month == "May":
            members["sleepDay_merged.csv"] = "Id,S\r\n1,May\r\n"
        return zipped({f"Fitabase Data/{name}": text.encode() for name, text in members.items()})

    tables = downloads.fitbit(get)
    assert tables["fitbit/dailyActivity_merged.csv"] == b"Id,Day\n1,May\n1,April\n"
    assert tables["fitbit/sleepDay_merged.csv"] == b"Id,S\n1,May\n"


def test_the_glasgow_study_says_how_to_get_it() -> None:
    with pytest.raises(MissingDataError, match=r"R objects.*TACIT_DATA.*nodes_long.csv"):
        downloads.glasgow(lambda _: b"")
