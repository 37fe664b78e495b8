"""Fetches files: from the first mirror that answers, checked, and never half written.

mirror 1 -> mirror 2 -> ...     a file beside the wanted one; a broken connection is taken up again
  -> hash as expected?          otherwise the next mirror
  -> renamed into place         so that a broken download is never taken for the file

`get_file` is `tf.keras.utils.get_file`: the same with Keras's folder, `~/.keras`, and archives.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from minitf.library.formats.file_io import regular

TIMEOUT_S = 15
RETRIES = 3  # how often one address is asked again for the rest of a file
_CHUNK = 1 << 20
# Published data packs to a fortieth at best; what is packed tighter is there to fill the disk.
_RATIO, _SMALL, _BLOCK = 100, 100_000_000, 4096  # a member takes a block of the disk at least


class DownloadError(OSError):
    """No mirror gave the file."""


class WrongContent(DownloadError, ValueError):
    """What came is not the file that was asked for."""


def fetch(urls: Sequence[str], path: str, digest: str = "", show: bool = False) -> str:
    """Downloads a file unless it is there.

    Args:
      urls: where it may be had, best first.
      path: where it goes; the folders above it are made.
      digest: the expected SHA-256, or MD5, in hexadecimal; "" takes any content.
      show: print the address and a bar.
    Returns: `path`.
    Raises:
      DownloadError: when no address gave it; the message has each one's reason.
      WrongContent: when the last one gave something else.
    """
    return path if os.path.exists(path) else _download(urls, path, digest, show)


def _download(urls: Sequence[str], path: str, digest: str, show: bool) -> str:
    from http.client import HTTPException  # e-mail, TLS: 30 ms, and most files are there already

    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    reasons, kind = [], DownloadError
    for url in urls:
        handle, aside = tempfile.mkstemp(dir=folder, prefix=os.path.basename(path), suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                _copy(url, file, _Bar(url) if show else None)
            found = hash_of(aside, len(digest)) if digest else ""
            if found != digest:
                name = "MD5" if len(digest) == 32 else "SHA-256"
                raise WrongContent(f"wrong content, {name} {found}, expected {digest}")
            os.replace(aside, path)
            return path
        except (OSError, ValueError, HTTPException) as error:
            kind = WrongContent if isinstance(error, WrongContent) else DownloadError
            reasons.append(f"{url}: {getattr(error, 'reason', error)}")
        finally:
            if os.path.exists(aside):
                os.unlink(aside)
    raise kind("; ".join(reasons))


def _copy(url: str, file: Any, bar: Callable[[int, int], None] | None) -> None:
    """Copies what an address holds into a file, with as many connections as that takes."""
    import urllib.request
    from http.client import HTTPException

    have = total = 0
    for _ in range(1 + RETRIES):
        wanted = {"Range": f"bytes={have}-"} if have else {}
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=wanted), timeout=TIMEOUT_S
        ) as response:
            if have and response.status != 206:  # this server knows no ranges: from the start
                have = 0
                file.seek(0)
                file.truncate()
            total = have + int(response.headers.get("Content-Length") or 0)
            try:
                while chunk := response.read(_CHUNK):
                    file.write(chunk)
                    have += len(chunk)
                    if bar:
                        bar(have, total)
            except (ConnectionError, TimeoutError, HTTPException):
                continue
        if have >= total:
            return
    raise DownloadError(f"the connection broke {1 + RETRIES} times, at {have} of {total} bytes")


class _Bar:
    """A line on the screen that fills while a file comes."""

    def __init__(self, url: str) -> None:
        print(f"Downloading data from {url}")
        self._shown = 0.0

    def __call__(self, have: int, total: int) -> None:
        last = have >= total
        if last or time.monotonic() - self._shown > 0.1:
            self._shown = time.monotonic()
            size = f"{have}/{total}" if total else f"{have}"
            done = "=" * (30 * have // total if total else 0)
            end = "\n" if last and total else ""
            print(f"\r{size} [{done:.<30}]", end=end, file=sys.stdout, flush=True)


def hash_of(path: str, digits: int = 64) -> str:
    """The hash of a file in hexadecimal: SHA-256, or MD5 when it is to have 32 digits."""
    with open(path, "rb", opener=regular) as file:
        return hashlib.file_digest(file, "md5" if digits == 32 else "sha256").hexdigest()


# ---- Keras's cache ------------------------------------------------------------------------------


def cache_folder(cache_dir: str | None = None) -> str:
    """Keras's folder, `~/.keras`; one below /tmp where that cannot be written."""
    folder = os.path.expanduser(cache_dir or os.path.join("~", ".keras"))
    with contextlib.suppress(OSError):  # a place that cannot be written: the next line sees it
        os.makedirs(folder, exist_ok=True)
    return folder if os.access(folder, os.W_OK) else os.path.join("/tmp", ".keras")


def get_file(
    fname: str | None = None,
    origin: str | None = None,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: Any = "auto",
    cache_dir: str | None = None,
) -> str:
    """Downloads a file into Keras's cache unless it is there.

    Args:
      fname: its name in the cache, or a whole path; None takes the name in `origin`.
      origin: its address.
      untar: it is a .tar.gz of a folder called `fname`; unpack it, return the folder.
      md5_hash: its MD5; `file_hash` is the word for it now.
      file_hash: its SHA-256 or MD5 in hexadecimal; a file that does not match is fetched anew.
      cache_subdir: the folder below the cache, or a whole path.
      hash_algorithm: "sha256", "md5" or "auto", by the length of the hash.
      extract: unpack it beside itself, if it is an archive.
      archive_format: "tar", "zip", a list of them, "auto" for both, or None for neither.
      cache_dir: the cache; `~/.keras` when None.
    Returns: the path of the file; with `untar` of the folder.
    Raises:
      ValueError: when there is no origin, or what came does not have the hash (`WrongContent`).
      DownloadError: when it cannot be had; the message says where to put it by hand.
    """
    if origin is None:
        raise ValueError('Please specify the "origin" argument (URL of the file to download).')
    name = os.fspath(fname) if fname else os.path.basename(urlsplit(origin).path)
    if not name:
        raise ValueError(f"Can't parse the file name from the origin provided: '{origin}'.")
    whole = os.path.isabs(name) or os.path.isabs(cache_subdir)
    folder = os.path.join("" if whole else cache_folder(cache_dir), cache_subdir)
    unpacked = os.path.join(folder, name.removesuffix(".tar.gz"))
    path = f"{unpacked}.tar.gz" if untar else os.path.join(folder, name)
    if untar and os.path.exists(unpacked):
        return unpacked
    digest = file_hash or md5_hash or ""
    there = os.path.exists(path)
    if there and digest and hash_of(path, len(digest)) != digest:
        there = False
        print(
            "A local file was found, but it seems to be incomplete or outdated because the "
            f"{hash_algorithm} file hash does not match the original value of {digest} so we will "
            "re-download the data."
        )
    if not there:
        try:
            _download([origin], path, digest, show=True)
        except DownloadError as error:
            raise type(error)(
                f"URL fetch failure on {error}. Without a network: get {origin} elsewhere and put "
                f"it at {path}"
            ) from None
    if untar:
        _unpack(path, ["tar"])
        return unpacked
    if extract:
        formats = ["tar", "zip"] if archive_format == "auto" else archive_format or []
        _unpack(path, [formats] if isinstance(formats, str) else formats)
    return path


def _unpack(path: str, formats: Sequence[str]) -> None:
    """Unpacks an archive beside itself; nothing of it lands elsewhere, and nothing half.

    Raises:
      ValueError: when a member would lie outside, is a link or a device, or when far more is packed
        than an archive of data holds.
    """
    folder, most = os.path.dirname(os.path.abspath(path)), _SMALL + _RATIO * os.path.getsize(path)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unpacking") as aside:
        taken = 0
        for name, content in _members(path, formats):
            target = os.path.normpath(os.path.join(aside, name))
            if os.path.commonpath([aside, target]) != aside:
                raise ValueError(f"{path}: the member {name!r} would lie outside of its folder.")
            taken += _BLOCK
            os.makedirs(os.path.dirname(target) if content else target, exist_ok=True)
            if content:
                with content, open(target, "wb") as file:
                    while taken <= most and (chunk := content.read(_CHUNK)):
                        file.write(chunk)
                        taken += len(chunk)
            if taken > most:
                raise ValueError(
                    f"{path}: it holds more than {most} bytes, which are {_RATIO} times its size "
                    f"and {_SMALL}; {_BLOCK} are counted for each member besides its own."
                )
        for name in os.listdir(aside):
            source, target = os.path.join(aside, name), os.path.join(folder, name)
            if os.path.isdir(source):
                shutil.copytree(source, target, dirs_exist_ok=True, copy_function=os.replace)
            else:
                os.replace(source, target)


def _members(path: str, formats: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """What an archive holds: names with a file to read, or None for a folder."""
    with open(path, opener=regular):
        pass
    if "tar" in formats and tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            for member in archive:
                if not (member.isfile() or member.isdir()):
                    raise ValueError(f"{path}: the member {member.name!r} is a link or a device.")
                yield member.name, archive.extractfile(member)
    elif "zip" in formats and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            for part in packed.infolist():
                yield part.filename, None if part.is_dir() else packed.open(part)
