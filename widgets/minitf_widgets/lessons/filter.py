"""A filter that slides over an image: the convolution, one place at a time, by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import traitlets

from minitf_widgets import svg
from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.colors import color_of
from minitf_widgets.lessons.drawings import INK, pixels
from minitf_widgets.pictures import GREYS, SIGNED

__all__ = ["FilterView"]

CELL = 24


class FilterView(PictureWidget):
    """Slides a filter over an image: the pixels below it, the products, and the response so far.

    The reader plays, steps or scrubs, clicks on a place, and types other weights.

    Args:
      picture: [h, w], from 0 (white) to 1 (ink).
      weights: [k, k], the filter.
      place: where it stands, counted row by row from 0.
    Attributes:
      weights, place: as above, as they are now on the page.
      answers: the response of the filter at every position, [h - k + 1, w - k + 1].
    Raises:
      ValueError: when the image is no matrix, or the filter no square that fits into it.
    Example:
      >>> view = FilterView(digit, [[1, 1, 1], [0, 0, 0], [-1, -1, -1]])
      >>> view                                # as the last line of a cell: shows it
    """

    _esm = STATIC / "filter.js"
    _css = STATIC / "filter.css"

    picture = traitlets.List().tag(sync=True)
    weights = traitlets.List().tag(sync=True)
    place = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(self, picture: Any, weights: Any, place: int = 0) -> None:
        table = np.asarray(picture, float)
        if table.ndim != 2:
            raise ValueError(f"An image has rank 2, not the shape {table.shape}.")
        self._table = table
        filter_ = np.asarray(weights, float).tolist()
        super().__init__(picture=table.tolist(), weights=filter_, place=place)

    @traitlets.validate("weights")
    def _check_weights(self, proposal: Mapping[str, Any]) -> list[list[float]]:
        weights = np.asarray(proposal["value"], float)
        square = weights.ndim == 2 and weights.shape[0] == weights.shape[1] > 0
        if not square or len(weights) > min(self._table.shape):
            shape = weights.shape
            raise ValueError(f"A filter {shape} is no square within an image {self._table.shape}.")
        return weights.tolist()

    @traitlets.observe("weights", "place")
    def _redraw(self, change: Mapping[str, Any]) -> None:
        if hasattr(self, "_shown"):
            self.update_picture()

    @property
    def answers(self) -> np.ndarray:
        """The response of the filter at every position."""
        weights = np.asarray(self.weights)
        windows = np.lib.stride_tricks.sliding_window_view(self._table, weights.shape)
        return (windows * weights).sum(axis=(2, 3))

    def _here(self) -> tuple[int, int]:
        rows, columns = self.answers.shape
        return divmod(min(self.place, rows * columns - 1), columns)

    def to_text(self) -> str:
        row, column = self._here()
        answers = self.answers
        return (
            f"A filter {self.weights} over an image of {self._table.shape} pixels; in row "
            f"{row + 1}, column {column + 1} the response is {answers[row, column]:.2f}. Responses "
            f"go from {answers.min():.2f} to {answers.max():.2f}."
        )

    def to_svg(self) -> str:
        (row, column), answers, size = self._here(), self.answers, len(self.weights)
        pieces, left = [], 10
        for title, table, signed, frame in (
            ("the image", self._table, False, size),
            ("the filter", np.asarray(self.weights), True, 0),
            ("the responses", answers, True, 1),
        ):
            most = np.abs(table).max() or 1.0
            high, wide = (CELL * length for length in table.shape)
            how = (-most, most, SIGNED) if signed else (0.0, 1.0, GREYS)
            pieces.append(svg.text(left, 16, title, fill=INK))
            pieces.append(pixels(table, (left, 24, wide, high), *how))
            if frame:
                box = left + column * CELL, 24 + row * CELL, frame * CELL, frame * CELL
                look = {"fill": "none", "stroke": color_of("variable"), "stroke_width": 3}
                pieces.append(svg.rect(*box, **look))
            left += wide + 30
        return svg.document(left, 34 + CELL * len(self._table), *pieces, ground="")
