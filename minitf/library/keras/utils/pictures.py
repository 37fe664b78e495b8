"""Pictures of models: boxes of layers, joined by arrows, as SVG or as a text for Graphviz.

Layers of one depth stand side by side. A model that is a class of the program, whose layers nobody
joined, is shown as a list.
"""

from __future__ import annotations

import os
from html import escape
from typing import Any

from minitf.core.graph import logging
from minitf.library.formats.file_io import written_aside

_LETTER, _LINE, _GAP = 7.3, 16, 28  # pixels


class Picture:
    """A picture of a model; a notebook shows it.

    Args:
      model: the model.
      show_shapes: whether boxes say the shapes of inputs and outputs.
      show_layer_names: whether boxes say the names of the layers.
      rankdir: "TB" for a picture from top to bottom, "LR" from left to right.
    """

    def __init__(self, model: Any, show_shapes: bool, show_layer_names: bool, rankdir: str) -> None:
        self._rankdir = rankdir
        self._rows = [[layer] for layer in model.layers]
        self._arrows = [(a, b) for (a,), (b,) in zip(self._rows, self._rows[1:])]
        if getattr(model, "_is_graph_network", False):
            levels = [[node.outbound_layer for node in v] for v in model._nodes_by_depth.values()]
            shown = {layer: i for i, level in enumerate(levels) for layer in level}
            rows = [[x for x in dict.fromkeys(v) if shown[x] == i] for i, v in enumerate(levels)]
            self._rows = [row for row in rows if row]
            nodes = [node for level in model._nodes_by_depth.values() for node in level]
            pairs = ((h.layer, n.outbound_layer) for n in nodes for h, _ in n.iterate_inbound())
            self._arrows = list(dict.fromkeys(pairs))
        self._texts = {
            layer: _lines(layer, show_shapes, show_layer_names)
            for row in self._rows
            for layer in row
        }

    def to_string(self) -> str:
        """The text for Graphviz."""
        names = {layer: f"n{index}" for index, layer in enumerate(self._texts)}
        lines = [f"digraph model {{\n  rankdir={self._rankdir};\n  node [shape=box];"]
        for layer, texts in self._texts.items():
            label = "\\n".join(text.replace('"', "'") for text in texts)
            lines.append(f'  {names[layer]} [label="{label}"];')
        lines += [f"  {names[a]} -> {names[b]};" for a, b in self._arrows]
        return "\n".join([*lines, "}"]) + "\n"

    def create(self, prog: Any = None, format: str = "svg") -> bytes:
        """The picture as the bytes of a file: "svg" or "dot"."""
        return (self.to_string() if format == "dot" else self._repr_svg_()).encode()

    def _repr_svg_(self) -> str:
        size = {
            layer: (max(map(len, texts)) * _LETTER + 16, len(texts) * _LINE + 12)
            for layer, texts in self._texts.items()
        }
        width = max((sum(size[x][0] + _GAP for x in row) for row in self._rows), default=0)
        at: dict[Any, tuple[float, float]] = {}
        top = 8.0
        for row in self._rows:
            left = (width - sum(size[x][0] + _GAP for x in row) + _GAP) / 2
            for layer in row:
                at[layer] = (left, top)
                left += size[layer][0] + _GAP
            top += max(size[layer][1] for layer in row) + _GAP
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 16:.0f}" height="{top:.0f}" '
            'font-family="sans-serif" font-size="13" stroke="#555" fill="none"><marker id="tip" '
            'viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            '<path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker>'
        ]
        for a, b in self._arrows:
            x1, y1 = at[a][0] + size[a][0] / 2, at[a][1] + size[a][1]
            x2, y2 = at[b][0] + size[b][0] / 2, at[b][1]
            parts.append(
                f'<path d="M{x1:.0f},{y1:.0f} L{x2:.0f},{y2:.0f}" marker-end="url(#tip)"/>'
            )
        for layer, (x, y) in at.items():
            w, h = size[layer]
            parts.append(
                f'<rect x="{x:.0f}" y="{y:.0f}" width="{w:.0f}" height="{h}" rx="3" fill="#fff"/>'
            )
            for number, text in enumerate(self._texts[layer], 1):
                parts.append(
                    f'<text x="{x + w / 2:.0f}" y="{y + number * _LINE + 3:.0f}" stroke="none" '
                    f'fill="#222" text-anchor="middle">{escape(text)}</text>'
                )
        return "\n".join([*parts, "</svg>"]) + "\n"


def _lines(layer: Any, show_shapes: bool, show_layer_names: bool) -> list[str]:
    kind = type(layer).__name__
    lines = [f"{layer.name}: {kind}" if show_layer_names else kind]
    for what in ("input", "output") if show_shapes else ():
        try:
            shape = getattr(layer, f"{what}_shape")
        except (AttributeError, RuntimeError):
            shape = "multiple"
        lines.append(f"{what}: {shape}")
    return lines


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    subgraph: bool = False,
) -> Picture:
    """A picture of a model, which a notebook shows.

    Args:
      model: a model that is built.
      show_shapes: whether boxes say the shapes of inputs and outputs.
      show_layer_names: whether boxes say the names of the layers.
      rankdir: "TB" or "LR", for Graphviz.
      expand_nested, dpi, subgraph: accepted.
    """
    return Picture(model, show_shapes, show_layer_names, rankdir)


def plot_model(
    model: Any,
    to_file: Any = "model.png",
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
) -> Picture:
    """Draws a model into a file.

    Args:
      to_file: a name that ends in ".svg", or in ".dot" for Graphviz. For another one an SVG is
        written, and ".svg" put in place of the ending.
      model, show_shapes, show_layer_names, rankdir, expand_nested, dpi: as for `model_to_dot`.
    Returns: the picture, which a notebook shows.
    """
    picture = Picture(model, show_shapes, show_layer_names, rankdir)
    stem, ending = os.path.splitext(os.fspath(to_file))
    if ending not in (".svg", ".dot", ".gv"):
        logging.warning("plot_model writes SVG: %s.svg, not %s", stem, to_file)
        ending = ".svg"
    with written_aside(stem + ending) as file:
        file.write(picture.create(format="svg" if ending == ".svg" else "dot"))
    return picture
