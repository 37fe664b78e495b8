"""Matplotlib's figures as a notebook should show them: no white slab in a dark theme.

    follow_theme()            once, at the top of a notebook
    plt.show()                as ever

A figure has no ground of its own, and its text and axes have a grey that can be read on white as
well as on black; so it need not know the theme, and stays right when the reader changes it. It
comes as SVG in an `<img>`, sharp at any size, as the widgets' static pictures do.
"""

from __future__ import annotations

import io

import matplotlib as mpl
import numpy as np
from IPython import get_ipython
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from minitf_widgets.base import picture_html
from minitf_widgets.palette import PALETTE

__all__ = ["INK", "figure_html", "follow_theme"]

MOST = 8  # curves or bars that are told in words
INK = "#7b8088"  # 4 to 1 against white, and against JupyterLab's black
STYLE = {
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none"),
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color", "grid.color", "legend.labelcolor"), INK),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    "axes.prop_cycle": mpl.cycler(color=[each.color for each in PALETTE]),
    "axes.titlesize": "medium",
    "figure.constrained_layout.use": True,
    "figure.figsize": (7, 2.6),
    "image.interpolation": "none",  # pixels with edges
    "lines.linewidth": 2,
}


def figure_html(figure: Figure) -> str:
    """Returns a figure as an HTML `<img>`; for who cannot see it with titles, labels and values."""
    words = [figure.get_suptitle()]
    for axes in figure.axes:
        words += [axes.get_title("left") or axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
        words += [_curve(line) for line in axes.lines[:MOST]]
        for bars in axes.containers[:1]:
            names = [label.get_text() for label in axes.get_yticklabels()]
            if len(names) == len(bars):
                words += [f"{n}: {each.get_width():.4g}" for n, each in zip(names, bars)][:MOST]
    svg = io.StringIO()
    figure.savefig(svg, format="svg")
    return picture_html(svg.getvalue(), "; ".join(filter(None, words)), "")


def _curve(line: Line2D) -> str:
    """A curve in words; "" for a mark, a ruler, or what has no numbers."""
    xs, ys = (np.asarray(each) for each in line.get_data())
    if len(ys) < 3 or any(each.dtype.kind not in "fiu" for each in (xs, ys)):
        return ""
    known = ys[np.isfinite(ys)]
    name = "" if str(line.get_label()).startswith("_") else f"{line.get_label()}: "
    ends = f"{name}{ys[0]:.3g} at {xs[0]:.3g}, {ys[-1]:.3g} at {xs[-1]:.3g}"
    return f"{ends}, least {known.min():.3g}, most {known.max():.3g}" if known.size else ends


def follow_theme() -> None:
    """Gives the figures of this notebook the widgets' colours, and no ground of their own."""
    shell = get_ipython()
    if hasattr(shell, "kernel"):
        shell.enable_matplotlib("inline")  # forgets how figures are shown, so it comes first
        shell.display_formatter.formatters["text/html"].for_type(Figure, figure_html)
    mpl.rcParams.update(STYLE)
