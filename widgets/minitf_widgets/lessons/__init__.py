"""What the lessons ask and draw: their cells show what is taught, and no bookkeeping."""

from minitf_widgets.lessons.data import read_digits
from minitf_widgets.lessons.figures import follow_theme
from minitf_widgets.lessons.filter import FilterView
from minitf_widgets.lessons.quiz import Predict, check, show_error

__all__ = ["FilterView", "Predict", "check", "follow_theme", "read_digits", "show_error"]
