"""One real run of a session, recorded op by op, for the graph widget to step through.

    sess.watch(fetches, Recorder) -> steps, in the order in which the ops ran -> recording (data)

The session runs once; each op is summarised as it ends, so that buffers may be written
over and nothing large is kept. Of a session that cannot be watched, such as a cluster's, all needed
tensors are fetched in one run instead; the order is then the graph's.

What is shown of a tensor's value: a short text, a small picture or a histogram.

    value -> summary -> {"text": "0.01 ... 3.2", "type": "float32 (32, 10)", "bars": [...], ...}

Only summaries leave the kernel, so that a run of any size stays small on the page. Pictures are
PNGs of a few thousand pixels.
"""

from __future__ import annotations

import collections
import math
import types
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minitf_widgets.graph.details import run_times
from minitf_widgets.graph.model import Box, GraphModel, Node, short_device
from minitf_widgets.graph.shapes import SMALL, text_width
from minitf_widgets.pictures import data_uri, png

__all__ = ["Recorder", "names_of", "outline", "places_of_steps", "record", "shown", "summary"]

IMAGE_BYTES = 300_000  # that one recording may hold; later images are histograms alone
MOST_LINES = 200  # of the outline
FEW = 3  # values that one box or wire shows together
MOST_INSIDE = 12  # ops of a loop or branch that a step tells of
BAR, HIGH = 3.0, 16.0  # of a histogram: the width of a bar, the height of the highest
CHIP = 11.0  # the height of a value's text at its box
OVER = 28.0  # how much wider than its box a value may be
PICTURE = 34.0  # the most height of an image
SHAPE = 9  # characters of a value that takes the place of its wire's shape


class Recorder:
    """Takes in the ops of a watched run.

    Args:
      model: the graph, which tells the ops of the graph from those inside loops and branches.
    """

    def __init__(self, model: GraphModel) -> None:
        self.model = model
        self.steps: list[dict[str, Any]] = []
        self.alarm: dict[str, Any] = {}
        self._told: dict[str, dict[str, Any]] = {}  # tensor -> its summary
        self._inner: dict[str, tuple[int, str]] = {}  # op of a loop -> how often, the last value
        self._image_bytes = 0

    def __call__(self, event: Any) -> None:
        """Records one op: anything with `name`, `op`, `device`, `tensors` and `fed`."""
        if self.model.leaf(event.name) is None:
            count, _ = self._inner.get(event.name, (0, ""))
            last = next(iter(event.tensors.values()), None)
            self._inner[event.name] = (count + 1, summary(last)["text"])
            return
        outs = []
        for name, value in event.tensors.items():
            told = summary(value, event.fed, self._image_bytes < IMAGE_BYTES)
            self._image_bytes += len(told["image"]["src"]) if "image" in told else 0
            self._told[name] = told
            outs.append({"name": name} | told | ({"fed": True} if event.fed else {}))
        node = self.model.nodes[event.name]
        ins = [] if event.fed else [f"{name}:{index}" for name, index in node.inputs if index >= 0]
        step: dict[str, Any] = {"op": event.name, "type": event.op, "ins": ins, "outs": outs}
        step |= {"device": short_device(event.device)} if event.device else {}
        step |= {"fed": True} if event.fed else {}
        if self._inner:
            step |= self._inside(node)
            self._inner = {}
        self.steps.append(step)
        bad = next((out for out in outs if out.get("bad")), None)
        if bad is not None and not self.alarm and event.op != "Const":
            self.alarm = {"step": len(self.steps) - 1, "text": self._origin(event, node, ins, bad)}

    def _inside(self, node: Node) -> dict[str, Any]:
        """What is told of a loop or a branch: how often it ran, and its last turn."""
        rows = [[name, count, text] for name, (count, text) in self._inner.items()]
        asked = [self._inner[n][0] for n in _inner_names(node, "cond") if n in self._inner]
        turns = asked[0] - 1 if asked else max((count for _, count, _ in rows), default=0)
        note = f"{turns} turn{'s' * (turns != 1)}; inside are the values of the last"
        if node.op == "If":
            taken = _inner_names(node, "then_branch").isdisjoint(self._inner)
            note = f"the {'else' if taken else 'then'} branch ran"
        return {"note": note, "inside": rows[:MOST_INSIDE]}

    def _origin(self, event: Any, node: Node, ins: list[str], bad: Mapping[str, Any]) -> str:
        """Says where the first NaN or infinity comes from."""
        what = bad["full"]
        if event.fed:
            return f"{event.name} was fed with {what}"
        if node.kind == "variable":
            return f"The variable {event.name} holds {what}: an earlier run put it there"
        given = [f"{name} = {self._told[name]['full']}" for name in ins if name in self._told]
        return f"{event.name} ({event.op}) made {what} from {'; '.join(given) or 'no input'}"

    def recording(self, metadata: Any = None, error: str = "", why: str = "") -> dict[str, Any]:
        """Returns what was recorded, as plain data.

        Args:
          metadata: the run's RunMetadata, for times.
          error: what ended the run early.
          why: why it was not watched op by op.
        """
        _, times = run_times(metadata)
        for step in self.steps:
            if step["op"] in times:
                step["micros"] = times[step["op"]]
        return {
            "steps": self.steps,
            "alarm": self.alarm,
            "error": error,
            "why": why,
            "needed": len(self.steps),
            "ops": len(self.model.nodes),
        }


def _inner_names(node: Node, attr: str) -> set[str]:
    """The names of the ops of a function that an attribute holds."""
    function = node.attrs.get(attr, {})
    return {each["name"] for each in function.get("func", {}).get("node_def", ())}


def record(
    model: GraphModel,
    sess: Any,
    fetches: Any,
    feed_dict: Mapping[Any, Any] | None,
    metadata: Any,
) -> tuple[Any, dict[str, Any], Exception | None]:
    """Runs `fetches` once and records the run; `metadata` gets its `step_stats`.

    Returns: the fetched values, the recording, and the error that ended the run, if one did.
    """
    recorder = Recorder(model)
    try:
        if not hasattr(sess, "watch"):
            return _fetched(recorder, sess, fetches, feed_dict, f"a {type(sess).__name__}")
        values = sess.watch(fetches, recorder, feed_dict, metadata)
    except Exception as error:
        if type(error).__name__ == "UnimplementedError" and not recorder.steps:
            return _fetched(recorder, sess, fetches, feed_dict, "a session of a cluster")
        failed = getattr(getattr(error, "op", None), "name", None)
        words = str(getattr(error, "message", error)).partition("\n")[0]
        words = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)  # SVG takes few
        if failed in model.nodes:
            told = {"name": "", "text": "failed", "full": words, "type": "error"}
            kind = model.nodes[failed].op
            recorder.steps.append({"op": failed, "type": kind, "ins": [], "outs": [told]})
        return None, recorder.recording(metadata, error=words), error
    return values, recorder.recording(metadata), None


def _fetched(
    recorder: Recorder, sess: Any, fetches: Any, feed_dict: Mapping[Any, Any] | None, what: str
) -> tuple[Any, dict[str, Any], Exception | None]:
    """Records a run by fetching every tensor that it needs."""
    nodes = recorder.model.nodes
    feeds = {str(getattr(key, "name", key)): value for key, value in (feed_dict or {}).items()}
    asked = [name.partition(":")[0] for name in names_of(fetches)]
    needed = recorder.model.needed([name for name in asked if name in nodes], feeds)
    needed |= {name.partition(":")[0] for name in feeds}
    order = [name for name in nodes if name in needed]
    tensors = {}
    for name in order:
        for index, (dtype, _) in enumerate(nodes[name].outputs):
            held = dtype.endswith("_ref") or dtype in ("", "resource", "variant")
            if f"{name}:{index}" not in feeds and not held:
                tensors[f"{name}:{index}"] = f"{name}:{index}"
    found = sess.run({"asked": fetches, "all": tensors}, feed_dict)
    for name in order:
        outs = range(len(nodes[name].outputs))
        own = [f"{name}:{index}" for index in outs]
        fed = any(tensor in feeds for tensor in own)
        values = {t: feeds.get(t, found["all"].get(t)) for t in own if t in feeds or t in tensors}
        node = nodes[name]
        event = {"name": name, "op": node.op, "device": node.device, "tensors": values, "fed": fed}
        recorder(types.SimpleNamespace(**event))
    why = f"{what} cannot be watched: all tensors were fetched in one run; the order is the graph's"
    return found["asked"], recorder.recording(why=why), None


def names_of(things: Any) -> list[str]:
    """The names of ops and tensors given in any form, nested or not."""
    if isinstance(things, str) or hasattr(things, "name"):
        return [getattr(things, "name", things)]
    things = things.values() if isinstance(things, Mapping) else things
    return [name for thing in things for name in names_of(thing)]


# ---- what is seen of a recording -----------------------------------------------------------


def places_of_steps(
    model: GraphModel, recording: Mapping[str, Any], scene: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Tells for each step where its values stand on the picture.

    Returns: plain data for each step:
      at: the place in scene["boxes"] of the visible box that stands for it; -1 where none does.
      chip: where the box shows a value from this step on: x, y, w, h, its `text` and the whole of
        it, and the ids of the wires whose labels it hides.
      wires: wire id -> the short value that from this step on takes the place of its shape.
    """
    wires: dict[str, list[Mapping[str, Any]]] = {}  # tensor -> the wires that it runs along
    for wire in scene["wires"]:
        for name in wire["tensors"] if len(wire["tensors"]) <= FEW else ():
            wires.setdefault(name, []).append(wire)
    labels = [
        (wire["id"], wire["lx"], wire["ly"], wire["lx"] + text_width(wire["label"], SMALL))
        for wire in scene["wires"]
        if wire["label"]
    ]
    held: dict[int, list[Mapping[str, Any]]] = {}  # by place, the values that a box shows
    told: dict[str, Mapping[str, Any]] = {}
    result = []
    for step, (place, shows) in zip(recording["steps"], _boxes_of_steps(model, recording, scene)):
        made: dict[str, Any] = {"at": place, "wires": {}}
        told |= {out["name"]: out for out in step["outs"]}
        if shows and step["outs"]:
            box = scene["boxes"][place]
            value = _joined(held.setdefault(place, []), step["outs"][0])
            chip = _chip(box, value)
            left, right = chip["x"], chip["x"] + chip["w"]
            top, bottom = chip["y"] - 5, chip["y"] + chip["h"] + 5
            hides = [
                wire for wire, x, y, end in labels if x < right and end > left and top < y < bottom
            ]
            made["chip"] = chip | {"full": value["full"], "hides": hides}
        for wire in (wire for out in step["outs"] for wire in wires.get(out["name"], ())):
            if all(name in told for name in wire["tensors"]):
                values = [told[name] for name in wire["tensors"]]
                value = _joined(values[:-1], values[-1])
                if "bars" not in value and len(value["text"]) <= SHAPE:
                    made["wires"][wire["id"]] = value["text"]
        result.append(made)
    return result


def _boxes_of_steps(
    model: GraphModel, recording: Mapping[str, Any], scene: Mapping[str, Any]
) -> list[tuple[int, bool]]:
    """For each step the place of its visible box, or -1, and whether that shows its value.

    A closed scope shows the op that has its name, else what leaves it where those are few.
    """
    visible = {box["id"]: place for place, box in enumerate(scene["boxes"])}
    leaving: collections.Counter[str] = collections.Counter()
    consumed: dict[Box, list[Box]] = {}
    for edge in model.edges:
        consumed.setdefault(edge.source, []).append(edge.target)
    result = []
    for step in recording["steps"]:
        leaf = model.leaf(step["op"])
        chain = leaf.chain if leaf is not None else ()
        box = next((each for each in reversed(chain) if each.id in visible), None)
        if leaf is None or box is None:
            result.append((-1, False))
            continue
        if box.role == "plumbing":
            shows = box is leaf
        elif box is leaf or box.own is not None:
            shows = box is leaf or box.own is leaf.node
        else:
            users = consumed.get(leaf, ())
            shows = not users or any(box not in user.chain for user in users)
            leaving[box.id] += shows
        result.append((visible[box.id], shows))
    crowded = {visible[name] for name, count in leaving.items() if count > FEW}
    return [(place, shows and place not in crowded) for place, shows in result]


def _joined(held: list[Mapping[str, Any]], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is shown in one place of several values: all of them where they are short."""
    held.append(value)
    if len(held) == 1 or any("bars" in each for each in held):
        return value
    text = "; ".join(each["text"] for each in held)
    return {**value, "text": text, "full": text}


def _chip(box: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Where the value of a box stands, and as much text as there is room for.

    It is below the box; above it in a lane, where values flow up.
    """
    words = f"fed {told['text']}" if told.get("fed") else told["text"]
    image = told.get("image")
    if image:
        height = min(PICTURE, image["h"] * 2.0)
        width = height * image["w"] / image["h"]
    elif "bars" in told and not told.get("bad"):
        width, height = BAR * len(told["bars"]), HIGH
    else:
        while len(words) > 2 and text_width(words, SMALL) > box["w"] + OVER:
            words = f"{words[:-2]}…"
        width, height = text_width(words, SMALL) + 6.0, CHIP
    width, height = width + 6, height + 6
    return {
        "x": round(box["x"] + (box["w"] - width) / 2, 1),
        "y": round(box["y"] + 5 - height if box["up"] else box["y"] + box["h"] - 5, 1),
        "w": round(width, 1),
        "h": round(height, 1),
        "text": words,
    }


def shown(scene: Mapping[str, Any], recording: Mapping[str, Any], at: int) -> dict[str, Any]:
    """Tells what a picture shows after step `at`; the same as `shown` of src/graph/player.ts.

    Returns: "states": by place in scene["boxes"], "" for an open scope, else "unneeded", "waiting",
      "done" or "now"; "chips": by place, a chip and its value; "wires": wire id -> a short value.
    """
    states = ["" if box["open"] else "unneeded" for box in scene["boxes"]]
    chips: dict[int, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
    wires: dict[str, str] = {}
    for number, (step, made) in enumerate(zip(recording["steps"], scene["run_at"])):
        place = made["at"]
        if place >= 0 and states[place]:
            past = "now" if number == at else "done"
            waits = "waiting" if states[place] == "unneeded" else states[place]
            states[place] = past if number <= at else waits
        if number <= at:
            wires |= made["wires"]
            if "chip" in made:
                chips[place] = made["chip"], step["outs"][0]
    return {"states": states, "chips": chips, "wires": wires}


def outline(recording: Mapping[str, Any], at: int) -> list[str]:
    """Returns the run's values as lines of text, the present step marked."""
    steps = recording["steps"]
    lines = [f"Run: {recording['needed']} of {recording['ops']} ops are needed; at step {at + 1}"]
    lines += [recording[key] for key in ("why", "error") if recording[key]]
    if recording["alarm"]:
        lines.append(
            f"Not finite at step {recording['alarm']['step'] + 1}: {recording['alarm']['text']}"
        )
    for number, step in enumerate(steps[:MOST_LINES]):
        mark = ">" if number == at else " "
        values = "; ".join(f"{out['full']} ({out['type']})" for out in step["outs"]) or "done"
        fed = ", fed" if step.get("fed") else ""
        note = f" [{step['note']}]" if "note" in step else ""
        lines.append(f"{mark} {number + 1}. {step['op']} ({step['type']}{fed}): {values}{note}")
    if len(steps) > MOST_LINES:
        lines.append(f"  and {len(steps) - MOST_LINES} more")
    return lines


TOLD = 12  # elements that are told one by one
SHORT, LONG = 22, 160  # characters: on a wire, in the panel
BARS = 16
SAMPLE = 4096  # elements that a histogram looks at
TILES, TILE = 8, 32  # pictures side by side, and the pixels of a side of one


def _number(value: Any, digits: int = 3) -> str:
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return str(value)
    return f"{value:.{digits}g}"


def _not_finite(numbers: np.ndarray) -> str:
    """Says which of them are not finite: "2 × nan, 1 × -inf"."""
    kinds, counts = np.unique(numbers[~np.isfinite(numbers)].astype(str), return_counts=True)
    return ", ".join(f"{count} × {kind}" for kind, count in zip(kinds, counts))


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _string(value: Any) -> str:
    return repr(value.decode(errors="replace") if isinstance(value, bytes) else str(value))


def _nested(value: Any, tell: Any) -> str:
    if isinstance(value, np.ndarray) and value.ndim:
        return f"[{', '.join(_nested(each, tell) for each in value)}]"
    return tell(value.item() if isinstance(value, np.ndarray) else value)


def summary(value: Any, fed: bool = False, images: bool = True) -> dict[str, Any]:
    """Summarises one value.

    Args:
      value: an array, a scalar, a list of them, or whatever else a tensor may hold; None for none.
      fed: whether the caller gave it: rows of a square number of elements are then images.
      images: whether an image may be made.
    Returns: plain data:
      text, full: at most 20 and 160 characters.
      type: dtype and shape.
      low, mean, high, bars: of many numbers; the counts of a histogram from low to high.
      image: {"src": data URL, "w": pixels, "h": pixels, "of": what it shows}, where there is one.
      bad: how many elements are NaN or infinite, where any is.
    Example:
      >>> summary(np.float32([1, 2]))
      {'text': '[1, 2]', 'full': '[1, 2]', 'type': 'float32 (2,)'}
    """
    if value is None:
        return {"text": "no value", "full": "no value", "type": ""}
    if isinstance(value, (list, tuple)):  # a stack, as of what a loop's turns computed
        inner = summary(value[-1]) if value else {"type": "nothing"}
        text = f"{len(value)} × {inner['type']}"
        return {"text": _shorten(text, SHORT), "full": text, "type": "stack"}
    if isinstance(value, (bytes, str)):
        return _told(_string(value), "string")
    if not isinstance(value, (np.ndarray, np.generic, bool, int, float, complex)):
        size = getattr(value, "size", None)  # of the list that a TensorArray is
        kind = f"list of {size}" if isinstance(size, int) else type(value).__name__
        return {"text": _shorten(kind, SHORT), "full": kind, "type": "resource"}
    array = np.asarray(value)
    shape = f" {array.shape}" if array.ndim else ""
    if array.dtype.kind in "OSU":
        if array.size <= TOLD:
            return _told(_nested(array, _string), "string" + shape)
        first = _shorten(_string(array.flat[0]), SHORT)
        return {"text": f"{array.size} strings", "full": f"{first}, …", "type": "string" + shape}
    dtype = array.dtype.name + shape
    if array.size <= TOLD:
        alike = array.size > 4 and bool((array == array.flat[0]).all())
        one = _number(array.flat[0], 4) if alike or not array.ndim else ""
        one = f"all {one}" if alike else one
        result = _told(one or _nested(array, _number), dtype)
        bad = array.size - int(np.isfinite(array).sum())
        if bad:
            words = _not_finite(array.ravel()) if array.size > 1 else result["text"]
            result |= {"text": _shorten(words, SHORT), "bad": bad}
        return result
    result = _many(array, dtype)
    if images and not result.get("bad") and array.dtype.kind in "iuf":
        if (found := _tiles(array, fed)) is not None:
            tiles, what = found
            pixels = _montage(tiles)
            src, (height, width) = data_uri("image/png", png(pixels)), pixels.shape[:2]
            result["image"] = {"src": src, "w": width, "h": height, "of": what}
    return result


def _told(full: str, dtype: str) -> dict[str, Any]:
    return {"text": _shorten(full, SHORT), "full": _shorten(full, LONG), "type": dtype}


def _many(array: np.ndarray, dtype: str) -> dict[str, Any]:
    """Summarises more numbers than one reads."""
    if array.dtype.kind == "b":
        text = f"{int(array.sum())} of {array.size} true"
        return {"text": text, "full": text, "type": dtype}
    flat = array.ravel()
    flat = np.abs(flat) if array.dtype.kind == "c" else flat
    bad, words = 0, ""
    with np.errstate(all="ignore"):
        mean = float(flat.mean(dtype=np.float64))
        if not math.isfinite(mean):
            finite = np.isfinite(flat)
            bad, words = flat.size - int(finite.sum()), _not_finite(flat)
            flat = flat[finite]
            mean = float(flat.mean(dtype=np.float64)) if flat.size else math.nan
    result: dict[str, Any] = {"type": dtype} | ({"bad": bad} if bad else {})
    if not flat.size:
        return result | {"text": _shorten(words, SHORT), "full": words}
    low, high = flat.min(), flat.max()
    span = float(high) - float(low)
    if not span and not bad:
        return result | _told(f"all {_number(low, 4)}", dtype)
    sample = flat[:: flat.size // SAMPLE + 1].astype(np.float64)
    places = ((sample - float(low)) * ((BARS - 1e-9) / span)).astype(np.intp) if span else [0]
    result["bars"] = np.bincount(places, minlength=BARS).tolist()
    whole = array.dtype.kind in "iu"
    low, high = (_number(each) if whole else f"{each:.3g}" for each in (low, high))
    result |= {"low": low, "mean": f"{mean:.3g}", "high": high}
    result["text"] = f"{low} … {high}"
    result["full"] = f"from {low} to {high}, mean {result['mean']}"
    if bad:
        result["text"] = _shorten(words, SHORT)
        result["full"] = f"{words}, the rest {result['full']}"
    return result


def _tiles(array: np.ndarray, fed: bool) -> tuple[Sequence[np.ndarray], str] | None:
    """The images in an array, each of rank 2 or with colours, and what they are; None for none."""
    shape = array.shape

    def like_image(height: int, width: int, least: int = 8) -> bool:
        return least <= min(height, width) and max(height, width) <= 4 * min(height, width)

    def some(images: np.ndarray, of: str) -> tuple[Sequence[np.ndarray], str]:
        shown = list(images[:TILES])
        return shown, f"{len(shown)} of {len(images)} {of}" if len(images) > 1 else of[:-1]

    if array.ndim == 2:
        side = math.isqrt(shape[1])
        if fed and side * side == shape[1] and side >= 8:
            return some(array.reshape(-1, side, side), "images")
        return ([array], "matrix") if like_image(*shape) and array.min() >= 0 else None
    if array.ndim == 3:
        if shape[2] in (1, 3, 4) and like_image(*shape[:2]):
            return [array[..., :3]], "image"
        return some(array, "images") if like_image(*shape[1:]) and array.min() >= 0 else None
    if array.ndim == 4:
        if shape[3] in (1, 3, 4) and like_image(*shape[1:3], 4):
            return some(array[..., :3], "images")
        if like_image(*shape[1:3], 4):
            return some(np.moveaxis(array[0], -1, 0), "channels of the first image")
        if 2 <= shape[0] <= 11 and 2 <= shape[1] <= 11:
            return some(np.moveaxis(array[:, :, 0], -1, 0), "filters")
    return None


def _montage(tiles: Sequence[np.ndarray]) -> np.ndarray:
    """Images of one size side by side, four in a row, as bytes: darkest 0, brightest 255."""
    step = -(-max(tiles[0].shape[:2]) // TILE)
    small = np.stack([tile[::step, ::step] for tile in tiles]).astype(np.float64)
    low, high = small.min(), small.max()
    if tiles[0].dtype != np.uint8:
        small = (small - low) * (255 / (high - low) if high > low else 0)
    small = small.reshape(*small.shape[:3], -1)
    number, height, width, colors = small.shape
    columns = min(4, number)
    rows = -(-number // columns)
    around = (0, rows * columns - number), (0, 1), (0, 1), (0, 0)
    framed = np.pad(small.astype(np.uint8), around, constant_values=127)
    grid = framed.reshape(rows, columns, height + 1, width + 1, colors).swapaxes(1, 2)
    return grid.reshape(rows * (height + 1), columns * (width + 1), colors)[:-1, :-1]
