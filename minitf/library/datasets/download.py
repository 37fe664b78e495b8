"""Fetches files: from the first mirror that answers, checked, and never half written.

mirror 1 -> mirror 2 -> ...     a file beside the wanted one, hashed while it comes
  -> SHA-256 as expected?       otherwise the next mirror
  -> renamed into place         so that a broken download is never taken for the file
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.error
import urllib.request
from collections.abc import Sequence

TIMEOUT_S = 15
_CHUNK = 1 << 20


class DownloadError(OSError):
    """No mirror gave the file."""


def fetch(urls: Sequence[str], path: str, sha256: str = "") -> str:
    """Downloads a file unless it is there.

    Args:
      urls: where it may be had, best first.
      path: where it goes; the folders above it are made.
      sha256: the expected hash in hexadecimal; "" takes any content.
    Returns: `path`.
    Raises:
      DownloadError: when no address gave it; the message has each one's reason.
    """
    if os.path.exists(path):
        return path
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    reasons = []
    for url in urls:
        handle, aside = tempfile.mkstemp(dir=folder, prefix=os.path.basename(path), suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                found = _copy(url, file)
            if sha256 and found != sha256:
                raise DownloadError(f"wrong content, SHA-256 {found}")
            os.replace(aside, path)
            return path
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            reasons.append(f"{url}: {reason}")
        finally:
            if os.path.exists(aside):
                os.unlink(aside)
    raise DownloadError("; ".join(reasons))


def _copy(url: str, file) -> str:
    """Copies what an address holds into a file; returns its SHA-256."""
    digest = hashlib.sha256()
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as response:
        while chunk := response.read(_CHUNK):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()
