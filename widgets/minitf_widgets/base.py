"""What every widget shares: the built front end, and a picture that stays when no kernel runs.

Showing a widget makes two outputs. The first is a picture (an SVG in an `<img>`) with a text for
readers and tools without pictures; it is what a saved notebook, a web page made from it, or a
repository's viewer shows. The second is the live view, which hides the picture while it lives:

    display(widget) -> 1. text/html  <div class="mtfw-picture-3f2a"><img src="data:..."></div>
                       2. the live view, which adds  .mtfw-picture-3f2a { display: none }

A rule rather than a change of the picture itself, since the notebook may draw the picture later,
or again. One mime bundle with both would not do: its fallback is never shown after reopening. The
second output's text is empty: a page made from the notebook would show it below the picture.

With the extra `print` a picture is there as PNG, too, for LaTeX. Making it takes some tenths of a
second, so it comes after the live view, and a moment after the last of many changes.
"""

from __future__ import annotations

import atexit
import base64
import pathlib
import textwrap
import threading
import uuid
from typing import Any

import anywidget
import traitlets
from IPython.display import display, update_display

from minitf_widgets.offline import STATIC, Offline, keep
from minitf_widgets.page import standalone
from minitf_widgets.svg import escape

try:
    import resvg_py
except ImportError:  # pictures are SVG alone then, which LaTeX does not show
    resvg_py = None

__all__ = ["PictureWidget", "STATIC", "picture_html"]

_PRINT_AFTER = 1.0  # seconds
# Without its kernel, JupyterLab puts a line of text in the live view's place, "model not found".
_HIDE_LINE = (
    "<style>.jp-OutputArea-child:has(> * > .mtfw-picture) + .jp-OutputArea-child"
    " > .jupyter-widgets:not(:has(*)) { display: none }</style>"
)
_ending = threading.Event()  # whether the kernel shuts down: nothing is sent any more
atexit.register(_ending.set)


def picture_html(svg: str, alt: str, css_class: str) -> str:
    """Wraps an SVG picture as HTML that any notebook viewer shows.

    Args:
      svg: the text of a whole SVG document.
      alt: what the picture says, in words.
      css_class: the class by which the live view finds and hides the picture.
    Returns: HTML text.
    """
    data = base64.b64encode(svg.encode()).decode()
    return (
        f'<div class="mtfw-picture {css_class}"><img alt="{escape(alt)}" '
        f'style="max-width:100%" src="data:image/svg+xml;base64,{data}"></div>{_HIDE_LINE}'
    )


class PictureWidget(anywidget.AnyWidget):
    """A widget that leaves a static picture behind.

    A subclass sets `_esm` and `_css` to its files in `STATIC` and defines `to_svg` and `to_text`.
    Its front end calls `mount` of src/common/widget.ts, which hides the picture while it lives.
    """

    picture_class = traitlets.Unicode().tag(sync=True)
    selected_op = traitlets.Unicode(
        None, allow_none=True, help="the name of the operation that is selected, here or elsewhere"
    )

    _printing: threading.Timer | None = None

    def __init__(self, **traits: Any) -> None:
        self._shown = False  # first, since traits given may already ask for another picture
        super().__init__(picture_class=f"mtfw-picture-{uuid.uuid4().hex[:12]}", **traits)

    def link(self, *others: PictureWidget) -> None:
        """Links selections: an operation selected here is selected in `others`, and back.

        Each widget sets its `selected_op` to the name of an operation of the graph when the reader
        selects what belongs to one, and shows another's in `show_op`.

        Args:
          others: widgets about the same graph.
        Example:
          >>> graph_view.link(traffic_view)       # a message clicked there lights up its operation
        """
        for other in others:
            traitlets.link((self, "selected_op"), (other, "selected_op"))

    def show_op(self, name: str) -> None:
        """Selects what stands for the operation `name`; does nothing where nothing does."""

    @traitlets.observe("selected_op")
    def _selected_elsewhere(self, change: Any) -> None:
        if change["new"]:
            self.show_op(change["new"])

    def open(self) -> None:
        """Opens the channel to the page."""
        super().open()
        # JupyterLab names a thread of the kernel for its messages, so that they arrive while a cell
        # runs. ipykernel 7.4 sends them to the cell's own thread instead, where they wait for its
        # end, once the cell has sent something; here the page's word counts.
        if self.comm is not None:
            self.comm._reply_subshell_for = lambda data, asked: asked

    def to_svg(self) -> str:
        """Returns the widget's present state as the text of an SVG document."""
        raise NotImplementedError(f"{type(self).__name__} must define to_svg()")

    def to_text(self) -> str:
        """Returns the widget's present state in words: the picture's text alternative."""
        raise NotImplementedError(f"{type(self).__name__} must define to_text()")

    def offline(self) -> Offline:
        """Returns what a page without Python has to know; by default nothing but the traits."""
        return Offline()

    def save_svg(self, path: str | pathlib.Path) -> None:
        """Writes the static picture to the file `path`."""
        pathlib.Path(path).write_text(self.to_svg(), encoding="utf-8")

    def save_html(self, path: str | pathlib.Path, title: str = "") -> None:
        """Writes one page on which the widget lives without Python, and without a network.

        Args:
          path: the file.
          title: its heading; the first line of `to_text`, at most 80 characters, when empty.
        """
        kept = keep(self)
        text = self.to_text()
        title = title or textwrap.shorten(text.partition("\n")[0], 80, placeholder=" ...")
        widgets = {} if kept is None else {"widget": kept}
        body = "" if widgets else self.to_svg()
        pathlib.Path(path).write_text(standalone(title, body, widgets), encoding="utf-8")

    def update_picture(self) -> None:
        """Replaces the picture already shown by one of the present state.

        The live view goes on hiding it; it is what remains when the notebook is saved. Does
        nothing before the widget was shown.
        """
        if self._shown:
            update_display(self._picture(), raw=True, display_id=self.picture_class)
            if resvg_py is not None:
                self._print_soon()

    def _print_soon(self) -> None:
        if self._printing is not None:
            self._printing.cancel()
        self._printing = threading.Timer(_PRINT_AFTER, self._print)
        self._printing.daemon = True
        try:
            self._printing.start()
        except RuntimeError:  # no threads, as in a browser
            self._print()

    def _print(self) -> None:
        """Adds the picture as PNG to the one that is shown."""
        if _ending.is_set():
            return
        picture = self._picture()
        png = resvg_py.svg_to_bytes(svg_string=self.to_svg(), zoom=2)
        data = {**picture, "image/png": base64.b64encode(png).decode()}
        update_display(data, raw=True, display_id=self.picture_class)

    def _picture(self) -> dict[str, str]:
        text = self.to_text()
        summary = text.partition("\n")[0]
        return {
            "text/html": picture_html(self.to_svg(), summary, self.picture_class),
            "text/plain": text,
        }

    def _ipython_display_(self) -> None:
        display(self._picture(), raw=True, display_id=self.picture_class)
        self._shown = True
        bundle = self._repr_mimebundle_()
        if bundle is not None:
            live, metadata = bundle
            display({**live, "text/plain": ""}, metadata=metadata, raw=True)
        if resvg_py is not None:
            self._print()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.to_text().partition(chr(10))[0]}>"
