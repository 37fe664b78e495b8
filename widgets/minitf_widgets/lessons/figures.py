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
from IPython import get_ipython
from matplotlib.figure import Figure

from minitf_widgets.base import picture_html
from minitf_widgets.svg import PALETTE

__all__ = ["INK", "figure_html", "follow_theme"]

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
    """Returns a figure as an HTML `<img>`.

    Its text for who cannot see it is its label (`figure.set_label`), or else titles and labels.
    """
    words = [figure.get_label() or figure.get_suptitle()]
    for axes in () if figure.get_label() else figure.axes:
        words += [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
    svg = io.StringIO()
    figure.savefig(svg, format="svg")
    return picture_html(svg.getvalue(), "; ".join(filter(None, words)), "")


def follow_theme() -> None:
    """Gives the figures of this notebook the widgets' colours, and no ground of their own."""
    shell = get_ipython()
    if hasattr(shell, "kernel"):
        shell.enable_matplotlib("inline")  # forgets how figures are shown, so it comes first
        shell.display_formatter.formatters["text/html"].for_type(Figure, figure_html)
    mpl.rcParams.update(STYLE)
