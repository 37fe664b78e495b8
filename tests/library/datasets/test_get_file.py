"""`get_file`, and downloads that break."""

import hashlib
import http.server
import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from minitf.library.datasets import download
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


def packed(path: Path, *members: tuple[str, bytes, str]) -> Path:
    """A .tar of files and links: a name, the kind of the member, what is in it or its target."""
    with tarfile.open(path, "w") as archive:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind == tarfile.REGTYPE:
                info.size = len(content)
            else:
                info.linkname = content
            archive.addfile(info, io.BytesIO(content.encode()))
    return path


def long_way_out(folder: Path) -> list[tuple[str, bytes, str]]:
    """Links whose path, once followed, is too long for the system to say where it ends."""
    part, members, here = "d" * 247, [], ""
    for step in "abcdefghijklmnop":
        members.append((here + part, tarfile.DIRTYPE, ""))
        members.append((here + step, tarfile.SYMTYPE, part))
        here += step + "/"
    escape = here + "l" * 254
    ups = "../" * 16
    return [
        *members,
        (escape, tarfile.SYMTYPE, ups),
        ("escape", tarfile.SYMTYPE, escape + "/../.."),
        ("escape/out.txt", tarfile.REGTYPE, "outside"),
    ]


@pytest.mark.parametrize(
    "members",
    [
        [("set/fine.txt", tarfile.REGTYPE, ""), ("../../../out.txt", tarfile.REGTYPE, "")],
        [("/out.txt", tarfile.REGTYPE, "")],
        [("up", tarfile.SYMTYPE, "../.."), ("up/out.txt", tarfile.REGTYPE, "")],
        [("set/out.txt", tarfile.SYMTYPE, "../../../outside")],
        [("out.txt", tarfile.LNKTYPE, "../../outside")],
        [("out.txt", tarfile.SYMTYPE, "/etc/hostname")],
        [("set", tarfile.REGTYPE, ""), ("out.txt", tarfile.LNKTYPE, "set")],
        [("out.txt", tarfile.FIFOTYPE, "")],
        [("out.txt", tarfile.CHRTYPE, "")],
        "long",
    ],
)
def test_an_archive_that_reaches_out_leaves_nothing(tmp_path: Path, members) -> None:
    deep = tmp_path / "a/b"
    deep.mkdir(parents=True)
    (tmp_path / "outside").write_text("not a member")
    members = long_way_out(tmp_path) if members == "long" else members
    path = packed(deep / "bad.tar", *members)
    with pytest.raises(
        ValueError, match=r"bad\.tar: the member '.*' (would lie outside|is a link or a device)"
    ):
        get_file(str(path), "file:none", extract=True)
    assert not [each for each in tmp_path.rglob("out.txt") if each.exists()]
    assert [each.name for each in deep.iterdir()] == ["bad.tar"]
    zipped = deep / "bad.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("set/a.txt", "a")
        archive.writestr("../../out.txt", "never outside")
    with pytest.raises(ValueError, match=r"bad\.zip: the member '\.\./\.\./out\.txt' would lie"):
        get_file(str(zipped), "file:none", extract=True)
    assert not list(tmp_path.rglob("out.txt"))


def test_an_archive_may_be_unpacked_twice_and_writes_through_no_link(tmp_path: Path) -> None:
    members = [("set/a", tarfile.REGTYPE, "new"), ("b", tarfile.REGTYPE, "new")]
    path, mine = packed(tmp_path / "set.tar", *members), tmp_path / "mine"
    for _ in range(2):
        get_file(str(path), "file:none", extract=True)
        assert (tmp_path / "set/a").read_text() == (tmp_path / "b").read_text() == "new"
    mine.write_text("mine")
    for name in ("set/a", "b"):
        (tmp_path / name).unlink()
        (tmp_path / name).symlink_to(mine)
    get_file(str(path), "file:none", extract=True)
    assert (tmp_path / "set/a").read_text() == (tmp_path / "b").read_text() == "new"
    assert mine.read_text() == "mine"


def test_an_archive_that_swells_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(download, "_SMALL", 1_000_000)
    with zipfile.ZipFile(tmp_path / "big.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(3_000_000))
    with tarfile.open(tmp_path / "many.tar.gz", "w:gz") as archive:
        for number in range(2_000):
            archive.addfile(tarfile.TarInfo(f"{number}"))
    with tarfile.open(tmp_path / "sparse.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("sparse")
        info.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(1 << 40)}
        archive.addfile(info)
    before = sorted(tmp_path.iterdir())
    assert len(before) == 3
    for path in before:
        words = rf"{path}: it holds more than \d+ bytes, .*4096 are counted for each member"
        with pytest.raises(ValueError, match=words):
            get_file(str(path), "file:none", extract=True)
    assert sorted(tmp_path.iterdir()) == before


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
