"""`get_file`, and downloads that break."""

import hashlib
import http.server
import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from minitf.library.datasets.download import DownloadError, WrongContent, fetch, get_file
from tests.library.datasets.published import Quiet, archive, serving

CONTENT = bytes(range(256)) * 40


class Breaking(Quiet):
    """Ends each connection after some bytes; takes ranges if its path says so."""

    def do_GET(self) -> None:
        self.server.asked.append(self.headers.get("Range", ""))
        start = 0
        if "Range" in self.headers and "ranges" in self.path:
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        self.wfile.write(CONTENT[start : start + 4000])

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def source(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "data.bin").write_bytes(CONTENT)
    (folder / "set.tar.gz").write_bytes(archive({"set/a.txt": b"a", "set/deep/b.txt": b"b"}))
    with zipfile.ZipFile(folder / "set.zip", "w") as packed:
        packed.writestr("set/a.txt", "a")
        packed.writestr("../../out.txt", "never outside")
    outside = io.BytesIO()
    with tarfile.open(fileobj=outside, mode="w:gz") as bad:
        bad.addfile(tarfile.TarInfo("set/fine.txt"))
        bad.addfile(tarfile.TarInfo("../../../out.txt"))
    (folder / "bad.tar.gz").write_bytes(outside.getvalue())
    with serving(Quiet, folder) as found:
        yield found


def test_a_file_is_kept_in_the_cache(source, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = get_file("mine.bin", source[0] + "data.bin")
    assert path == str(tmp_path / ".keras/datasets/mine.bin")
    assert Path(path).read_bytes() == CONTENT
    shown = capsys.readouterr().out
    assert shown.startswith(f"Downloading data from {source[0]}data.bin\n")
    assert shown.endswith("10240/10240 [==============================]\n")
    get_file("mine.bin", source[0] + "data.bin")
    assert len(source[1]) == 1
    assert get_file(origin=source[0] + "data.bin", cache_subdir="models").endswith(
        "models/data.bin"
    )


def test_hashes(source, tmp_path: Path, capsys) -> None:
    options = {"origin": source[0] + "data.bin", "cache_dir": str(tmp_path)}
    sha256, md5 = (hashlib.new(kind, CONTENT).hexdigest() for kind in ("sha256", "md5"))
    path = get_file(file_hash=sha256, **options)
    Path(path).write_bytes(b"damaged")
    assert Path(get_file(md5_hash=md5, **options)).read_bytes() == CONTENT
    assert "A local file was found" in capsys.readouterr().out
    with pytest.raises(WrongContent, match=f"expected {'0' * 64}"):
        get_file("other", file_hash="0" * 64, **options)
    with pytest.raises(ValueError):
        get_file("other", file_hash="0" * 64, **options)
    assert sorted(each.name for each in (tmp_path / "datasets").iterdir()) == ["data.bin"]


def test_archives(source, tmp_path: Path) -> None:
    address, asked = source
    folder = get_file("set", address + "set.tar.gz", untar=True, cache_dir=str(tmp_path))
    assert folder == str(tmp_path / "datasets/set")
    assert Path(folder, "deep/b.txt").read_text() == "b"
    get_file("set", address + "set.tar.gz", untar=True, cache_dir=str(tmp_path))
    assert len(asked) == 1
    zipped = get_file("s.zip", address + "set.zip", extract=True, cache_dir=str(tmp_path / "z"))
    assert zipped.endswith("s.zip")
    assert (tmp_path / "z/datasets/set/a.txt").read_text() == "a"
    assert not list(tmp_path.glob("out.txt"))


def test_an_archive_that_reaches_out_leaves_nothing(source, tmp_path: Path) -> None:
    deep = tmp_path / "a/b"
    with pytest.raises(tarfile.FilterError):
        get_file("bad", source[0] + "bad.tar.gz", untar=True, cache_dir=str(deep))
    assert not list(tmp_path.rglob("out.txt"))
    assert [each.name for each in (deep / "datasets").iterdir()] == ["bad.tar.gz"]


@pytest.mark.parametrize(
    ("path", "ranges"),
    [("ranges", ["", "bytes=4000-", "bytes=8000-"]), ("none", ["", "bytes=4000-"] * 2)],
)
def test_a_broken_connection_is_taken_up_again(tmp_path: Path, path: str, ranges: list) -> None:
    with serving(Breaking, tmp_path) as (address, asked):
        if path == "ranges":
            fetch([address + path], str(tmp_path / "file"))
            assert (tmp_path / "file").read_bytes() == CONTENT
        else:
            with pytest.raises(DownloadError, match="the connection broke 4 times"):
                fetch([address + path], str(tmp_path / "file"))
            assert not list(tmp_path.iterdir())
        assert asked[:2] == ranges[:2]


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='Please specify the "origin" argument'):
        get_file("name")
    with pytest.raises(ValueError, match="Can't parse the file name"):
        get_file(origin="http://127.0.0.1/")
    with serving(http.server.SimpleHTTPRequestHandler, tmp_path) as _:
        pass
