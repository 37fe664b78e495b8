"""Tensors made visible: rank and shape as nested boxes, slices as a cut, broadcasting as copies.

    TensorView([2, 3, 4])                    a shape, or an array, or a tensor and session=
    TensorView(a, b)                         how two tensors meet

A drawing is a list of items (cells, frames, texts) with places in pixels. The page draws them in
its own colours, `to_svg` in fixed ones; a cell of a result knows the cells it comes from, and the
page lights these when it is pointed at.

What may be typed over a tensor: a slice, a reduction, another shape; read without `eval`.

    x[1:, ::2]    x[..., None]    reduce_sum(x, axis=1)    x.sum(axis=1)    reshape(x, [2, -1])

Each gives a result of which every number knows the places of `x` it comes from. Errors are said as
TensorFlow says them, or in the words of a slice.
"""

from __future__ import annotations

import ast
import dataclasses
import math
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf_widgets import svg
from minitf_widgets.base import STATIC
from minitf_widgets.chart import format_value, stacked
from minitf_widgets.colors import GREY, color_of
from minitf_widgets.live.controls import Choice, Text
from minitf_widgets.live.live import Live
from minitf_widgets.svg import LIGHT

__all__ = ["Result", "TensorView", "broadcast", "evaluate", "parse_shape"]

_CELL, _ROW, _GAP, _HEAD = 44.0, 26.0, 12.0, 18.0
_NARROW, _SIGN = 26.0, 9.0  # the least width of a cell, and what each sign of its number takes
_PAGE = 800.0  # so wide is a notebook beside the file browser of a window of 1280 pixels
_SHOWN = (4, 4, 4, 8, 9)  # how many of an axis are drawn: of the last one, the one before, ...
_OPS = {
    "a + b": operator.add,
    "a - b": operator.sub,
    "a * b": operator.mul,
    "a / b": operator.truediv,
}
_LOOKS = {
    "cell": ("#f4f6f8", GREY, None),
    "lit": ("#cde6f7", color_of("now"), None),
    "ghost": ("#ffffff", GREY, "3 3"),
    "bad": ("#fbe3d3", color_of("wrong"), None),
    "frame": ("none", "#c4c9d0", None),
}

Item = dict[str, Any]


class _Drawing:
    """Items on a plane, and where the next tensor goes."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.width, self.height = 0.0, 0.0
        self.cell = _CELL  # how wide one is, in the tensor at work

    def add(self, kind: str, x: float, y: float, w: float, h: float, text: str = "", **more: Any):
        self.items.append({"kind": kind, "x": x, "y": y, "w": w, "h": h, "text": text, **more})
        self.width, self.height = max(self.width, x + w), max(self.height, y + h)

    def text(self, x: float, y: float, text: str, kind: str = "text") -> None:
        self.add(kind, x, y - 12, (6.0 if kind == "small" else 7.0) * len(text), 16, text)

    def tensor(self, x: float, y: float, values: np.ndarray, **more: Any) -> tuple[float, float]:
        """Draws nested boxes with the left top corner at (x, y); returns width and height.

        `more` may have "name" ("x" -> ids of cells), "lit" and "ghost" (sets of flat places), and
        "sources" (the ids of cells that each comes from).
        """
        most = max((len(_number(each)) for each in values.ravel()), default=0)
        self.cell = min(_CELL, max(_NARROW, _SIGN * most + 8))
        return self._part(x, y, values, (), more)

    def _part(
        self, x: float, y: float, values: np.ndarray, at: tuple[int, ...], more: dict[str, Any]
    ) -> tuple[float, float]:
        left = values.ndim - len(at)
        if left == 0:
            self._cell(x, y, values, at, more)
            return self.cell, _ROW
        inner = left <= 2
        across = left % 2 == 1
        shown = _picks(values.shape[len(at)], _SHOWN[-left] if left <= len(_SHOWN) else 3)
        width = height = 0.0
        for index in shown:
            px, py = (x + width, y) if across else (x, y + height)
            if index is None:
                w, h = self.cell / (2 if across else 1), _ROW
                self.add("dots", px, py, w, h, "…" if across else "⋮")
            elif inner:
                w, h = self._part(px, py, values, (*at, index), more)
            else:
                w, h = self._part(px + 8, py + _HEAD, values, (*at, index), more)
                w, h = w + 16, h + _HEAD + 8
                frame = {"kind": "frame", "x": px, "y": py, "w": w, "h": h, "text": ""}
                self.items.insert(0, frame)
                self.text(px + 8, py + 14, f"[{', '.join(map(str, (*at, index)))}]", "small")
            gap = 0 if inner else _GAP
            last = index == shown[-1]
            width = width + w + (0 if last else gap) if across else max(width, w)
            height = max(height, h) if across else height + h + (0 if last else gap)
        if not shown:
            self.add("ghost", x, y, self.cell, _ROW, "none")
            return self.cell, _ROW
        self.width, self.height = max(self.width, x + width), max(self.height, y + height)
        return width, height

    def _cell(
        self, x: float, y: float, values: np.ndarray, at: tuple[int, ...], more: dict[str, Any]
    ) -> None:
        place = int(np.ravel_multi_index(at, values.shape)) if at else 0
        kind = next((k for k in ("lit", "ghost") if place in more.get(k, ())), "cell")
        value = values[at]
        text = _number(value)
        name = more.get("name", "")
        said = f"{name}[{', '.join(map(str, at))}]" if at else name
        item = {"id": f"{name}{place}", "said": f"{said} = {text}"}
        if "sources" in more:
            item["from"] = more["sources"][place]
        self.add(kind, x, y, self.cell, _ROW, text, **item)


def _number(value: Any) -> str:
    """What a cell says."""
    number = isinstance(value, (int, float, np.number))
    return format_value(float(value)) if number else str(value)[:6]


def _picks(size: int, most: int) -> list[int | None]:
    """Which indices of an axis are drawn; None stands for those left out."""
    return list(range(size)) if size <= most else [*range(most - 2), None, size - 1]


class TensorView(Live):
    """Shows a tensor as nested boxes, what a slice cuts out of it, or how two tensors broadcast.

    With one tensor the reader types a slice, a reduction or another shape; with two, other shapes.
    A number of the result that is pointed at lights the numbers it comes from.

    Args:
      value: an array or nested list, a shape (a tuple), or a tensor, of which the static shape is
        shown, or with `session` its value.
      other: a second one; then it is about broadcasting.
      expression: what is typed at first, as "x[1:, ::2]".
      session, feed_dict: for tensors that shall be run.
      title: what stands above.
    Raises:
      ValueError: for a tensor whose shape is not known, or more than 10,000 numbers.
    Example:
      >>> TensorView((3, 4), expression="x[1:, ::2]")
      <TensorView: Tensor: x has rank 2 and shape [3, 4]: 12 numbers. x[1:, ::2] has shape [2, 2].>
      >>> TensorView((3, 1), (4,))
      <TensorView: Broadcasting: [3, 1] and [4] make [3, 4].>
    """

    _esm = STATIC / "tensor.js"
    _css = STATIC / "tensor.css"

    def __init__(
        self,
        value: Any,
        other: Any = None,
        *,
        expression: str = "",
        session: Any = None,
        feed_dict: Any = None,
        title: str = "",
    ) -> None:
        given = [_values(each, session, feed_dict) for each in (value, other) if each is not None]
        self._arrays = given
        if other is None:
            controls: dict[str, Any] = {"expression": Text(expression, width=30)}
        else:
            texts = [Text(str(list(each.shape)), name, width=12) for each, name in zip(given, "ab")]
            controls = {"a": texts[0], "b": texts[1], "op": Choice(*_OPS, label="result")}
        self._scene: dict[str, Any] = {}
        super().__init__(title=title or ("Tensor" if other is None else "Broadcasting"), **controls)
        self._build()

    def _changed(self, values: dict[str, Any], content: dict[str, Any]) -> None:
        self._build()
        self.send({"type": "scene", **self._scene})

    def _send_news(self, whole: bool = False) -> None:
        super()._send_news(whole)
        if whole:
            self.send({"type": "scene", **self._scene})

    def _build(self) -> None:
        drawing = _Drawing()
        words, problem = (self._cut if len(self._arrays) == 1 else self._meet)(drawing)
        with self._lock:
            self._scene = {
                "items": drawing.items,
                "width": drawing.width + 2,
                "height": drawing.height + 2,
                "words": words,
                "wrong": problem,
            }

    def _cut(self, drawing: _Drawing) -> tuple[str, str]:
        """Draws x, and beside or below it what the expression makes of it."""
        x, typed = self._arrays[0], self.expression.strip()
        result, problem = None, ""
        if typed not in ("", "x"):
            try:
                result = evaluate(typed, x)
            except ValueError as error:
                problem = str(error)
        lit = {place for each in result.sources for place in each} if result else set()
        plural = "" if x.size == 1 else "s"
        words = f"x has rank {x.ndim} and shape {list(x.shape)}: {x.size:,} number{plural}."
        drawing.text(0, 14, f"x   shape {list(x.shape)}   rank {x.ndim}   {x.dtype}", "strong")
        drawing.text(0, 32, _axes(x), "small")
        _, height = drawing.tensor(0, 44, x, name="x", lit=lit)
        if result is not None:
            trial = _Drawing()
            self._result(trial, typed, result, 0.0, 0.0)
            left = drawing.width + 32
            at = (left, 0.0) if left + trial.width < _PAGE else (0.0, height + 70)
            self._result(drawing, typed, result, *at)
            words += f" {typed} has shape {list(result.values.shape)}."
        return words, problem

    def _result(self, drawing: _Drawing, typed: str, made: Result, x: float, y: float) -> None:
        drawing.text(x, y + 14, f"{typed}   shape {list(made.values.shape)}", "strong")
        drawing.text(x, y + 32, _axes(made.values), "small")
        sources = [[f"x{place}" for place in each[:400]] for each in made.sources]
        drawing.tensor(x, y + 44, made.values, name="result", sources=sources)

    def _meet(self, drawing: _Drawing) -> tuple[str, str]:
        """Draws two shapes, axis over axis, and both tensors stretched to the result's shape."""
        try:
            shapes = [parse_shape(self.a), parse_shape(self.b)]
        except ValueError as error:
            return "No two shapes yet.", str(error)
        kept = [
            given if given.shape == shape else np.arange(math.prod(shape)).reshape(shape)
            for given, shape in zip(self._arrays, shapes)
        ]
        whole, fits = broadcast(*shapes)
        self._aligned(drawing, shapes, whole, fits)
        one, two = (str(list(shape)) for shape in shapes)
        if whole is None:
            worst = len(fits) - 1 - fits[::-1].index(False)
            sizes = [s[worst - len(fits)] for s in shapes]
            problem = (
                f"Incompatible shapes: {one.replace(' ', '')} vs. {two.replace(' ', '')}. "
                f"On axis {worst} stand {sizes[0]} and {sizes[1]}; they must be equal, or one be 1."
            )
            return f"{one} and {two} do not fit.", problem
        if math.prod(whole) > 10_000:
            return f"{one} and {two} make {list(whole)}.", "That is too large to be drawn."
        x, y = 0.0, drawing.height + 34
        places = []
        for name, values in zip("ab", kept):
            place = np.broadcast_to(np.arange(values.size).reshape(values.shape), whole)
            firsts = np.unique(place, return_index=True)[1] if place.size else []
            ghosts = set(range(place.size)) - set(map(int, firsts))
            x, y = self._placed(drawing, x, y, name, np.broadcast_to(values, whole), ghost=ghosts)
            places.append(place.ravel().tolist())
        with np.errstate(all="ignore"):
            made = _OPS[self.op](*(each.astype(float) if "/" in self.op else each for each in kept))
        sources = [[f"a{at}", f"b{at}"] for at in range(made.size)]
        self._placed(drawing, x, y, self.op, made, sources=sources)
        return f"{one} and {two} make {list(whole)}.", ""

    @staticmethod
    def _placed(
        drawing: _Drawing, x: float, y: float, name: str, values: np.ndarray, **more: Any
    ) -> tuple[float, float]:
        """Draws a tensor with its name above; returns where the next one goes."""
        stretched = ", stretched (dashed copies)" if more.get("ghost") else ""
        drawing.text(x, y, name + stretched, "strong")
        width, height = drawing.tensor(x, y + 12, values, name=name, **more)
        width = max(width, 7.0 * len(name + stretched))
        return (x + width + 40, y) if x + 2 * width + 40 < _PAGE else (0.0, y + height + 46)

    @staticmethod
    def _aligned(
        drawing: _Drawing,
        shapes: list[tuple[int, ...]],
        whole: tuple[int, ...] | None,
        fits: list[bool],
    ) -> None:
        rank = len(fits)
        for axis in range(rank):
            drawing.text(70 + axis * 52, 14, f"axis {axis}", "small")
        for row, (name, shape) in enumerate(zip(("a", "b", "result"), [*shapes, whole])):
            y = 24 + row * 32
            drawing.text(0, y + 18, name, "strong")
            if shape is None:
                drawing.text(70, y + 18, "none: they do not fit", "text")
                continue
            for axis in range(rank):
                at = axis - rank + len(shape)
                size = shape[at] if at >= 0 else None
                other = whole[axis] if whole is not None else size
                kind = "bad" if not fits[axis] else "cell" if row == 2 or size == other else "ghost"
                text = "·" if size is None else str(size)
                if size != other and kind == "ghost":
                    text += f"→{other}"
                drawing.add(kind, 70 + axis * 52, y, 46, 26, text)

    def to_svg(self) -> str:
        with self._lock:
            scene = dict(self._scene)
        parts = []
        for item in scene["items"]:
            x, y, w, h, words, kind = (item[key] for key in ("x", "y", "w", "h", "text", "kind"))
            middle = x + w / 2, y + h / 2 + 4, words
            if kind in _LOOKS:
                fill, stroke, dash = _LOOKS[kind]
                how = {"fill": fill, "stroke": stroke, "stroke_dasharray": dash}
                wide = 2 if kind in ("lit", "bad") else 1
                parts.append(svg.rect(x + 1, y + 1, w - 2, h - 2, rx=3, stroke_width=wide, **how))
                parts.append(svg.text(*middle, fill=LIGHT.ink, anchor="middle"))
            elif kind == "dots":
                parts.append(svg.text(*middle, anchor="middle"))
            else:
                strong = kind == "strong"
                fill = LIGHT.ink if strong else LIGHT.muted
                parts.append(svg.text(x, y + 12, words, fill=fill, bold=strong))
        note = scene["wrong"] or scene["words"]
        size = max(680.0, scene["width"] + 32)
        return stacked(self._name(), [(svg.join(*parts), scene["height"])], note, size)

    def to_text(self) -> str:
        with self._lock:
            scene = dict(self._scene)
        lines = [" ".join(filter(None, [f"{self._name()}: {scene['words']}", scene["wrong"]]))]
        if len(self._arrays) == 1:
            lines.append(np.array2string(self._arrays[0], threshold=100, precision=3))
        return "\n".join(lines)


def _values(what: Any, session: Any, feed_dict: Any) -> np.ndarray:
    """An array out of a value, a shape or a tensor."""
    static = getattr(what, "shape", None)
    if hasattr(static, "as_list"):
        if session is not None:
            return _values(session.run(what, feed_dict), None, None)
        if static.ndims is None or None in static.as_list():
            raise ValueError(f"The shape {static} is not known yet: give session= and feed_dict=.")
        what = tuple(static.as_list())
    if isinstance(what, tuple) and all(isinstance(size, int) for size in what):
        parse_shape(str(list(what)))
        return np.arange(math.prod(what)).reshape(what)
    array = np.asarray(what)
    parse_shape(str(list(array.shape)))
    return array


def _axes(values: np.ndarray) -> str:
    """Where each axis runs."""
    ways = []
    for axis, size in enumerate(values.shape):
        left = values.ndim - axis
        way = "across →" if left % 2 else "down ↓"
        ways.append(f"axis {axis}: {size} {way if left <= 2 else f'boxes {way}'}")
    return ",  ".join(ways) or "a single number, no axis"


_HINT = (
    "Type a slice such as x[1:, ::2], or reduce_sum(x, axis=0), transpose(x), reshape(x, [2, -1])."
)
_NEW_AXIS = {"None", "newaxis", "tf.newaxis", "np.newaxis"}
_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "reduce_sum": np.sum,
    "reduce_mean": np.mean,
    "reduce_max": np.max,
    "reduce_min": np.min,
    "reduce_prod": np.prod,
}


@dataclasses.dataclass(frozen=True)
class Result:
    """What came out: values, and for each of them (flat) the flat places of `x` it is made of."""

    values: np.ndarray
    sources: list[list[int]]


def evaluate(text: str, x: np.ndarray) -> Result:
    """Evaluates what was typed over `x`; see the module for what that may be.

    Raises:
      ValueError: with a sentence for the reader, when it is nothing of that or does not fit.
    Example:
      >>> evaluate("x[1:, ::2]", np.arange(6).reshape(2, 3)).values
      array([[3, 5]])
    """
    places = np.arange(x.size).reshape(x.shape)
    text = text.strip()
    try:
        node = ast.parse(f"x{text}" if text.startswith("[") else text or "x", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ValueError(_HINT) from None
    match node:
        case ast.Name("x"):
            index: tuple[Any, ...] = ()
        case ast.Subscript(ast.Name("x"), where):
            index = _index(where, x.shape)
        case ast.Call(
            ast.Name(name) | ast.Attribute(ast.Name("tf"), name), [ast.Name("x"), *given], named
        ):
            return _call(name, _arguments(given, named), x, places)
        case ast.Call(ast.Attribute(ast.Name("x"), name), given, named):  # as NumPy's arrays
            name = f"reduce_{name}" if f"reduce_{name}" in _REDUCTIONS else name
            if name in ("reshape", "transpose") and len(given) > 1:  # x.reshape(6, 4)
                given = [ast.List(given)]
            return _call(name, _arguments(given, named), x, places)
        case ast.Attribute(ast.Name("x"), "T"):
            return _call("transpose", {}, x, places)
        case _:
            raise ValueError(_HINT)
    return Result(np.asarray(x[index]), [[int(place)] for place in np.ravel(places[index])])


def _index(where: ast.expr, shape: tuple[int, ...]) -> tuple[Any, ...]:
    index = [_part(part) for part in (where.elts if isinstance(where, ast.Tuple) else [where])]
    if index.count(Ellipsis) > 1:
        raise ValueError("Multiple ellipses not allowed")
    used = [each for each in index if each is not None and each is not Ellipsis]
    if len(used) > len(shape):
        raise ValueError(
            f"Index out of range: {len(used)} indices into a tensor of rank {len(shape)}."
        )
    axis = 0
    for each in index:
        if each is Ellipsis:
            axis += len(shape) - len(used)
        elif each is not None:
            if isinstance(each, int) and not -shape[axis] <= each < shape[axis]:
                raise ValueError(f"slice index {each} of dimension {axis} out of bounds.")
            axis += 1
    return tuple(index)


def _part(node: ast.expr) -> Any:
    if ast.unparse(node) in _NEW_AXIS:
        return None
    if isinstance(node, ast.Slice):
        ends = [_literal(end) for end in (node.lower, node.upper, node.step)]
        if ends[2] == 0:
            raise ValueError("slice step cannot be zero")
        if all(end is None or type(end) is int for end in ends):
            return slice(*ends)
    elif type(value := _literal(node)) is int or value is Ellipsis:
        return value
    told = ast.unparse(node)
    raise ValueError(f"{told!r} is no index: a number, a start:stop:step, ... or None is.")


def _literal(node: ast.expr | None) -> Any:
    """The value of a literal; of anything else, as nothing at all, what is given."""
    try:
        return ast.literal_eval(node) if node is not None else None
    except ValueError:
        return node


def _arguments(given: list[ast.expr], named: list[ast.keyword]) -> dict[str, Any]:
    """Reads (1, keepdims=True) as {"": 1, "keepdims": True}: numbers, tuples of them, booleans."""
    found: dict[str, Any] = {}
    if len(given) > 1:
        raise ValueError(
            "Only one argument besides x has no name: reduce_sum(x, 0, keepdims=True)."
        )
    pairs = [("", each) for each in given] + [(each.arg or "", each.value) for each in named]
    for name, node in pairs:
        value = _literal(node)
        many = isinstance(value, (list, tuple))
        if not {type(each) for each in (value if many else [value])} <= {int, bool, type(None)}:
            told = ast.unparse(node)
            raise ValueError(f"{told!r} is no number, list of numbers, True or False.")
        found[name] = tuple(value) if many else value
    return found


def _call(name: str, given: dict[str, Any], x: np.ndarray, places: np.ndarray) -> Result:
    first = given.pop("", None)
    try:
        if name in _REDUCTIONS:
            axis, keep = given.pop("axis", first), bool(given.pop("keepdims", False))
            axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
            worst = next((each for each in axes if not -x.ndim <= each < x.ndim), None)
            if worst is not None:
                raise ValueError(
                    f"Invalid reduction dimension {worst} for input with {x.ndim} dimensions."
                )
            chosen = tuple(int(each) % x.ndim for each in axes)
            values = np.asarray(_REDUCTIONS[name](x, axis=chosen, keepdims=keep))
            groups = np.moveaxis(places, chosen, range(-len(chosen), 0))
            result = Result(values, groups.reshape(values.size, -1).tolist())
        elif name in ("transpose", "reshape", "expand_dims", "squeeze"):
            function = getattr(np, name)
            option = {"transpose": "perm", "reshape": "shape"}.get(name, "axis")
            argument = given.pop(option, first)
            if argument is None and name in ("reshape", "expand_dims"):
                raise ValueError(f"{name} needs {option}=.")
            options = () if argument is None else (argument,)
            values, moved = (function(each, *options) for each in (x, places))
            result = Result(values, [[int(place)] for place in np.ravel(moved)])
        else:
            known = ", ".join([*_REDUCTIONS, "transpose", "reshape", "expand_dims", "squeeze"])
            raise ValueError(f"{name} is not known here; {known} are.")
    except (TypeError, OverflowError, np.exceptions.AxisError) as error:
        raise ValueError(f"{name}: {error}") from None
    if given:
        raise ValueError(f"{name} has no argument {next(iter(given))}.")
    return result


def parse_shape(text: str) -> tuple[int, ...]:
    """Reads a shape: "[3, 1]", "(3, 1)", "3, 1" or "3 1"; "" and "[]" are that of one number.

    Raises:
      ValueError: when it is none, or has more than 8 axes or 10,000 numbers.
    """
    inner = re.fullmatch(r"\s*[\[(]?([\d,\s]*)[\])]?\s*", text)
    if inner is None:
        raise ValueError(f"{text!r} is no shape: [3, 1] is.")
    shape = tuple(int(size) for size in re.findall(r"\d+", inner[1]))
    if len(shape) > 8 or math.prod(shape) > 10_000 or max(shape, default=0) > 10_000:
        raise ValueError("That is too large to be drawn: at most 8 axes and 10,000 numbers are.")
    return shape


def broadcast(
    one: tuple[int, ...], other: tuple[int, ...]
) -> tuple[tuple[int, ...] | None, list[bool]]:
    """Aligns two shapes at their last axes.

    Returns: the shape of the result, or None where they do not fit; and for each axis of the longer
    one whether it fits.
    Example:
      >>> broadcast((3, 1), (4,)), broadcast((3, 2), (4,))
      (((3, 4), [True, True]), (None, [True, False]))
    """
    rank = max(len(one), len(other))
    pairs = list(zip((1,) * (rank - len(one)) + one, (1,) * (rank - len(other)) + other))
    fits = [a == b or 1 in (a, b) for a, b in pairs]
    return (tuple(b if a == 1 else a for a, b in pairs) if all(fits) else None), fits
