"""Where public data sets are found."""

import urllib.error
from collections.abc import Mapping
from pathlib import Path

import pytest

from tacit.data.public import sources
from tacit.data.public.sources import Get, cache_folder, data_folder, download, locate
from tacit.errors import MissingDataError


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return an empty data folder and an empty cache."""
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("TACIT_DATA", str(data))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return data, tmp_path / "cache" / "tacit"


def fetch(get: Get) -> Mapping[str, bytes]:
    return {"set/a.csv": get("https://example.org/a"), "set/b.csv": b"companion"}


def answer(url: str) -> bytes:
    return url.encode()


def no_network(url: str) -> bytes:
    raise urllib.error.URLError("unreachable")


def test_the_data_folder_comes_first(folders: tuple[Path, Path]) -> None:
    for folder in folders:
        (folder / "set").mkdir(parents=True)
        (folder / "set" / "a.csv").write_text("x")
    assert locate("set/a.csv", fetch, get=no_network) == folders[0] / "set" / "a.csv"


def test_what_is_fetched_is_kept_and_not_fetched_again(folders: tuple[Path, Path]) -> None:
    path = locate("set/a.csv", fetch, get=answer)
    assert path == folders[1] / "set" / "a.csv"
    assert path.read_bytes() == b"https://example.org/a"
    assert locate("set/b.csv", fetch, get=no_network).read_bytes() == b"companion"
    assert sorted(file.name for file in path.parent.iterdir()) == ["a.csv", "b.csv"]


def test_without_a_network_both_ways_out_are_said(folders: tuple[Path, Path]) -> None:
    with pytest.raises(MissingDataError) as caught:
        locate("set/a.csv", fetch, get=no_network)
    assert "set TACIT_DATA to a folder that holds it" in str(caught.value)
    assert "connect to the internet" in str(caught.value)
    assert not folders[1].exists()


def test_the_ordinary_downloader_is_used_unless_another_is_given(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "download", answer)
    assert locate("set/a.csv", fetch).read_bytes() == b"https://example.org/a"


def test_an_unexpected_answer_is_said_and_not_kept(folders: tuple[Path, Path]) -> None:
    def broken(get: Get) -> Mapping[str, bytes]:
        raise KeyError("member")

    with pytest.raises(MissingDataError, match=r"something else than expected \(KeyError\)"):
        locate("set/a.csv", broken, get=answer)
    assert not folders[1].exists()


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.delenv("TACIT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(MissingDataError, match=r"cannot be kept in .* Set XDG_CACHE_HOME"):
        locate("set/a.csv", fetch, get=answer)


def test_a_data_folder_that_is_none_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_DATA", str(tmp_path / "absent"))
    with pytest.raises(MissingDataError, match="TACIT_DATA must name a folder"):
        data_folder()
    monkeypatch.setenv("TACIT_DATA", "")
    assert data_folder() is None


def test_the_cache_is_in_the_home_folder_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == Path.home() / ".cache" / "tacit"


@pytest.mark.parametrize("url", ["http://example.org/a", "file:///etc/passwd"])
def test_nothing_but_https_is_fetched(url: str) -> None:
    with pytest.raises(MissingDataError, match="only fetched over https"):
        download(url)
