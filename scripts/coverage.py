"""Lists which names that programs use exist in minitf: `docs/coverage.tsv` -> `docs/coverage.md`.

The table counts how many programs (courses, talks and examples of 2016 to 2019) use a name of
TensorFlow, and has the keyword arguments with which they call it:

    name             programs   in 1.15   keywords
    tf.train.Saver   61         yes       max_to_keep var_list

    python scripts/coverage.py            writes docs/coverage.md
    python scripts/coverage.py --check    says whether it is up to date, by the exit status
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from minitf.compat.tensorflow import alias  # noqa: E402

TABLE = ROOT / "docs/coverage.tsv"
PAGE = ROOT / "docs/coverage.md"

#: Parts of what programs use that minitf leaves out: TPUs alone and Google's cloud have them.
LEFT_OUT = (
    "tf.contrib.cloud",
    "tf.contrib.tpu",
    "tf.python.keras.preprocessing.sequence._remove_long_seq",
)

HAS, MISSING, OUT, NOT_1_15 = "yes", "missing", "left out", "not in 1.15"


@dataclass(frozen=True)
class Symbol:
    """One name, with how it is used."""

    name: str
    programs: int
    in_1_15: bool
    keywords: tuple[str, ...] = ()


def read_symbols(path: Path = TABLE) -> list[Symbol]:
    """The table, most used names first."""
    symbols = []
    for line in path.read_text().splitlines():
        name, programs, there, keywords = line.split("\t")
        symbols.append(Symbol(name, int(programs), there == "yes", tuple(keywords.split())))
    return symbols


def resolve(name: str) -> Any:
    """What a name means in minitf; it is imported as a program would.

    Args:
      name: as "tf.train.Saver".
    Raises:
      AttributeError: when minitf lacks it.
    """
    alias.install()
    path = alias.ALIAS
    found: Any = importlib.import_module(path)
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(path)
            except ModuleNotFoundError:
                raise AttributeError(alias.missing(path)) from None
    return found


def is_left_out(name: str) -> bool:
    """Whether a name belongs to a part that minitf leaves out."""
    return any(name == part or name.startswith(part + ".") for part in LEFT_OUT)


def state(symbol: Symbol) -> str:
    """HAS, MISSING, OUT or NOT_1_15."""
    try:
        resolve(symbol.name)
    except AttributeError:
        if is_left_out(symbol.name):
            return OUT
        return MISSING if symbol.in_1_15 else NOT_1_15
    return HAS


def unknown_keywords(symbol: Symbol) -> list[str]:
    """The keyword arguments of programs that minitf's function does not take."""
    thing = resolve(symbol.name)
    try:
        parameters = inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return []
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return []
    taken = {name for name, p in parameters.items() if p.kind is not p.POSITIONAL_ONLY}
    taken.add("**")  # a dictionary, of which the table does not say what is in it
    return [keyword for keyword in symbol.keywords if keyword not in taken]


def page(symbols: list[Symbol]) -> str:
    """The text of docs/coverage.md."""
    states = {symbol.name: state(symbol) for symbol in symbols}
    counts = Counter(states.values())
    uses: Counter[str] = Counter()
    for symbol in symbols:
        uses[states[symbol.name]] += symbol.programs
    lines = [
        "# Names of TensorFlow 1.15 in minitf",
        "",
        "`python scripts/coverage.py` makes this page from `docs/coverage.tsv`. It lists the names",
        "of TensorFlow that programs use (courses, talks and examples of 2016 to 2019), and in how",
        "many of these programs each is used. *Left out* marks parts that need TPUs or Google's",
        "cloud; *not in 1.15* marks names that were removed before 1.15 or added after it.",
        "",
        "| state | names | uses in programs |",
        "|---|---:|---:|",
    ]
    for key in (HAS, MISSING, OUT, NOT_1_15):
        lines.append(f"| {key} | {counts[key]} | {uses[key]} |")
    lines += ["", "## Names", "", "| name | programs | minitf |", "|---|---:|---|"]
    for symbol in symbols:
        lines.append(f"| `{symbol.name}` | {symbol.programs} | {states[symbol.name]} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes the page, or checks it."""
    text = page(read_symbols())
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text() != text)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
