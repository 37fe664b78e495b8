"""One colour for one thing in all widgets and in the lessons' figures.

    look_of("gradient"), look_of("worker 0")  ->  its Swatch: a colour, a dash, a marker

The table is colors.json, which the front end reads, too (src/common/look.ts). Most colours are
those of Okabe and Ito, which people with any kind of colour vision can tell apart. Colour alone
must never carry the meaning: whatever is coloured is also dashed, marked or labelled. A line on a
plain ground has a fifth of the text's colour in it (`inked`): so it is seen in both themes.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable
from pathlib import Path

__all__ = [
    "CURVES",
    "GREY",
    "PALETTE",
    "Swatch",
    "color_of",
    "device_looks",
    "inked",
    "look_of",
    "mix",
]

_TABLE = json.loads(Path(__file__).with_name("colors.json").read_text("utf-8"))
_DEVICE = re.compile(r"(?:/job:(?!localhost)(\w+).*?/task:(\d+))?.*?(?:(GPU|CPU):(\d+))?$", re.I)


@dataclasses.dataclass(frozen=True)
class Swatch:
    """A colour with what else sets it apart: a dash pattern for lines, a marker for text."""

    name: str
    color: str
    dash: str
    marker: str


PALETTE = tuple(Swatch(name, *each) for name, each in _TABLE["palette"].items())
_BY_NAME = {each.name: each for each in PALETTE}
#: of curves that are no things of the table, in the order in which lines are seen best
CURVES = tuple(_BY_NAME[name] for name in _TABLE["curves"])


def look_of(thing: str) -> Swatch | None:
    """Returns the look of a thing, or None when the table does not know it.

    Args:
      thing: a name of the table, or a task: "ps 0", "worker 3"; a "member" of a group is a worker.
    Example:
      >>> look_of("ring").name, look_of("worker 1").name, look_of("loss")
      ('blue', 'bluish green', None)
    """
    job, _, number = thing.replace("member ", "worker ").partition(" ")
    if number.isdecimal() and job in _TABLE["numbered"]:
        row = _TABLE["numbered"][job]
        return _BY_NAME[row[int(number) % len(row)]]
    return _BY_NAME.get(_TABLE["things"].get(thing, ""))


def color_of(thing: str) -> str:
    """Returns the colour of a thing of the table."""
    return _BY_NAME[_TABLE["things"][thing]].color


GREY = color_of("scope")


def device_looks(devices: Iterable[str]) -> dict[str, Swatch]:
    """Returns the looks of devices: a task's own; without tasks GPU k has that of worker k.

    Two devices of one picture never share a look while there are free ones.

    Example:
      >>> {device: look.name for device, look in device_looks(["/device:GPU:0", "/cpu:0"]).items()}
      {'/cpu:0': 'blue', '/device:GPU:0': 'orange'}
    """
    looks: dict[str, Swatch] = {}
    for device in sorted(devices):
        job, task, kind, number = _DEVICE.search(device).groups()  # type: ignore[union-attr]
        own = f"{job} {task}" if job else f"{'worker' if kind == 'GPU' else 'ps'} {number or 0}"
        wanted = look_of(own) or look_of(f"worker {task or 0}")
        free = [look for look in (wanted, *PALETTE) if look not in looks.values()]
        looks[device] = free[0] or wanted if free else wanted  # type: ignore[assignment]
    return looks


def mix(color: str, other: str, share: float) -> str:
    """Mixes two colours.

    Args:
      color: "#rrggbb".
      other: "#rrggbb".
      share: how much of `color` goes in, 0 to 1.
    Returns: "#rrggbb".
    Example:
      >>> mix("#000000", "#ffffff", 0.5)
      '#808080'
    """
    pairs = ((int(color[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


def inked(color: str, ink: str = "#1f2328") -> str:
    """Returns the colour of a line on a ground on which text has the colour `ink`."""
    return mix(color, ink, 0.8)
