"""What the lessons ask and draw: their cells show what is taught, and no bookkeeping."""

from minitf_widgets.lessons.data import read_digits
from minitf_widgets.lessons.filter import FilterView
from minitf_widgets.lessons.quiz import Predict, check, show_error
from minitf_widgets.lessons.terminals import Terminals, free_address

__all__ = [
    "FilterView",
    "Predict",
    "Terminals",
    "check",
    "free_address",
    "read_digits",
    "show_error",
]
