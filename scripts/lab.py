"""Hands the lessons out and opens JupyterLab on them; this is what `make lab` runs.

    python scripts/lab.py FOLDER [arguments of JupyterLab]

Students write into notebooks. If they wrote into those of the repository, git would hold every
answer for a change of the project, and the next `git pull` would stop at it. So they get copies, in
a folder that git ignores, and JupyterLab shows nothing else, so that no solution lies about.

    notebooks/02-graphs.ipynb --+--> my-lessons/02-graphs.ipynb          if missing, or as given
                                |
                                +--> my-lessons/02-graphs-updated.ipynb  if the first was changed

`.given.json` in that folder keeps the digest of every file as it was given, which tells an
untouched copy from one that was worked on. What a student changed is never written to.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
CONFIGS = ROOT / "scripts" / "jupyter"
RECORD = ".given.json"


# The lessons, and the sheets without solutions.
STUDENTS = ("*.ipynb", "exercises/release/*/*.ipynb", "builders/release/*/*.ipynb")


def lessons(notebooks: Path = NOTEBOOKS, patterns: Sequence[str] = STUDENTS) -> list[str]:
    """What students get, or whatever `patterns` name: paths in `notebooks`."""
    found = {path for pattern in patterns for path in notebooks.glob(pattern)}
    return sorted(path.relative_to(notebooks).as_posix() for path in found)


def hand_out(
    folder: Path, notebooks: Path = NOTEBOOKS, patterns: Sequence[str] = STUDENTS
) -> list[str]:
    """Brings the copies in `folder` up to date, without writing to what was changed there.

    A copy that was thrown away comes back as new; so that is how to start a lesson over.

    Args:
      folder: where students work; it is made if it is missing.
      notebooks: where the lessons come from.
      patterns: which of the files there.

    Returns: the paths in `folder` that lie beside an older copy which the student has changed, and
      are new there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / RECORD
    given = _read(record)
    beside = []
    for name in lessons(notebooks, patterns):
        content = (notebooks / name).read_bytes()
        digest = _digest(content)
        for place in _places(name):
            path = folder / place
            before = given.get(place)
            if not path.exists():
                if place != name and before == digest:
                    break  # this version has come already, and was thrown away
                _write(path, content)
                if place != name:
                    beside.append(place)
            else:
                now = _digest(path.read_bytes())
                if now != digest and now in given.values():  # as it was given
                    _write(path, content)
                elif now != digest and before == digest:
                    break  # the student works on this version
                elif now != digest:
                    continue  # the student works on an older one
            given[place] = digest
            break
    _write(record, (json.dumps(given, indent=1, sort_keys=True) + "\n").encode())
    return beside


def _places(name: str) -> Iterator[str]:
    """Where a lesson may lie: under its name, or beside copies of it that were changed."""
    yield name
    stem = name.removesuffix(".ipynb")
    yield f"{stem}-updated.ipynb"
    yield from (f"{stem}-updated-{number}.ipynb" for number in count(2))


def _read(record: Path) -> dict[str, str]:
    """The record; an empty one where it is lost or broken, so that all counts as changed."""
    try:
        given = json.loads(record.read_text())
    except (OSError, ValueError):
        return {}
    return given if isinstance(given, dict) else {}


def _digest(content: bytes) -> str:
    """The digest of what a reader sees: cells and outputs.

    JupyterLab rewrites the metadata of a notebook as soon as it is opened, which changes nothing.
    """
    try:
        cells = json.loads(content)["cells"]
        seen = [[each["cell_type"], "".join(each["source"]), each.get("outputs")] for each in cells]
    except (ValueError, KeyError, TypeError):  # whatever it is, it is not a notebook any more
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Writes a file whole or, if something comes between, not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.part")
    draft.write_bytes(content)
    draft.replace(path)


def open_lab(folder: Path, *arguments: str, configs: Sequence[str] = ("student",)) -> NoReturn:
    """Becomes a JupyterLab that shows `folder`, with all other arguments.

    Args:
      folder: what it shows, and where it works.
      *arguments: JupyterLab's.
      configs: folders in scripts/jupyter with settings beside those that all have.
    """
    sys.stdout.flush()
    ours = [str(CONFIGS / each) for each in configs]
    paths = [*ours, str(CONFIGS), *filter(None, [os.getenv("JUPYTER_CONFIG_PATH")])]
    surroundings = {
        **os.environ,
        "MINITF_LESSONS": str(folder),
        "JUPYTER_CONFIG_PATH": os.pathsep.join(paths),
    }
    config = f"--config={ROOT / 'scripts' / 'lab_config.py'}"
    os.execve(
        sys.executable, [sys.executable, "-m", "jupyterlab", config, *arguments], surroundings
    )


def main() -> None:
    """Hands out into the folder named first, and becomes JupyterLab, with all other arguments."""
    folder = Path(sys.argv[1]).expanduser().resolve()
    for place in hand_out(folder):
        print(f"A lesson that you have worked on has a new version. It is beside yours: {place}")
    print(f"Serving your copies of the lessons, {folder}, to this machine only. Ctrl-C stops it.")
    open_lab(folder, *sys.argv[2:])


if __name__ == "__main__":
    main()
