"""Questions that a lesson asks: a guess before a cell is run, and checks of small exercises.

    guess = Predict("How often?", ["once", "twice"])      keeps what the reader picks
    guess = Predict("How many bytes?", unit="B")           or types: a number,
    guess = Predict("What is its name?", text=True)        or words,
    guess = Predict("Click what waits.", click=view)       or selects in a view
    guess.compare("twice")                                 shows both, in the cell that found out

    guess.compare(choice=2)                                the same, and the code does not tell it

    check(answer, {"it is even": lambda answer: answer % 2 == 0})       a tick a promise

Neither stops a notebook that runs by itself: without a guess, or an answer, it goes on.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import traitlets
from IPython import get_ipython
from IPython.display import HTML, display

from minitf_widgets import svg
from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.colors import PALETTE, color_of
from minitf_widgets.offline import ANY, Offline, Row
from minitf_widgets.svg import escape

__all__ = ["Predict", "check", "show_error", "with_cells"]

# Answers of the exercises whose check would tell them, by lesson and exercise.
ANSWERS: dict[str, dict[str, Any]] = {
    "0.3": {"both layers, weights and biases": 4_810},
    "6.2": {"the operations that the plan computes separately": {"scaled"}},
    "8.4": {"calls": 2, "seconds": 2},
    "12.7": {"a": "model", "b": "data", "c": "naive"},
    "13.2": {"a": "in", "b": "between", "c": "in"},
    "14.5": {"a": "well", "b": "address", "c": "missing", "d": "lists"},
    "15.4": {"a": "Mirrored", "b": "MultiWorkerMirrored", "c": "ParameterServer"},
    "16.2": {"a": "ps", "b": "worker", "c": "never", "d": "ps", "e": "never"},
    "16.4": {"a": "freeze", "b": "kill", "c": "slow", "d": "fill_disk"},
    "17.1": {"debugger": "eager", "no Python": "tf.function", "no loop": "Keras", "feed": "graph"},
    "17.3": {"placeholder": "argument", "gradients": "tape", "session.run": "call", "cond": "if"},
}
_REMEMBERED: dict[str, str] = {}  # guesses by question: a cell that is run again keeps its own


class Predict(PictureWidget):
    """Asks the reader for a guess, and keeps it until `compare` shows it beside the answer.

    Args:
      question: one sentence.
      choices: what to pick from; without them the reader types a number.
      unit: what the number counts, such as "MB".
      within: how far off a number may be, as a share of the answer, to count as right.
      text: the reader types words, such as a name, a shape or an order; case and commas do not
        matter.
      click: a view, such as a `GraphView`; the operation that the reader selects in it is the
        guess. Its name may be typed, too.
      room: a class cluster of `tf.cluster.invite`: its members are asked, and each choice shows how
        many have picked it, until `compare`; `poll.again()` asks them a second time.
    Attributes:
      guess: the text picked or typed, "" before that.
      answer: what `compare` was told, as a text, "" before that.
      votes: of a class, a list for each round: how many have picked each choice.
    Example:
      >>> guess = Predict("How many operations?", unit="operations")
      >>> guess
      >>> guess.compare(len(graph.get_operations()))
    """

    _esm = STATIC / "predict.js"
    _css = STATIC / "predict.css"

    question = traitlets.Unicode().tag(sync=True)
    choices = traitlets.List(traitlets.Unicode()).tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    text = traitlets.Bool(help="whether words are typed, not a number").tag(sync=True)
    guess = traitlets.Unicode("").tag(sync=True)
    answer = traitlets.Unicode("").tag(sync=True)
    verdict = traitlets.Unicode("", help="the sentence with both").tag(sync=True)
    votes = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)

    def __init__(
        self,
        question: str,
        choices: Sequence[object] = (),
        unit: str = "",
        within: float = 0.0,
        text: bool = False,
        click: Any = None,
        room: Any = None,
    ) -> None:
        texts = [str(each) for each in choices]
        text = text or click is not None
        super().__init__(question=question, choices=texts, unit=unit, text=text)
        self._within = within
        self.poll = room.ask(question, texts, on_change=self._count) if room is not None else None
        self.votes = [[0] * len(texts)] if self.poll is not None else []
        self.guess = _REMEMBERED.get(question, "")
        if click is not None:
            click.observe(self._clicked, "selected_op")

    @property
    def right(self) -> bool | None:
        """Whether the guess is the answer; None while one of the two is missing."""
        if not self.guess or not self.answer:
            return None
        if self.choices:
            return self.guess == self.answer
        if self.text:
            return _words(self.guess) == _words(self.answer)
        guess, answer = _number(self.guess), _number(self.answer)
        return math.isclose(guess, answer, rel_tol=max(self._within, 1e-9))

    def _count(self) -> None:
        self.votes = self.poll.counts()
        self.update_picture()

    def compare(self, answer: object = None, *, choice: int = 0) -> None:
        """Shows the guess beside the answer, here and in the question's own cell.

        Args:
          answer: one of the choices, or the number.
          choice: in its place the number of the choice, from 1: who reads the cell before it runs
            does not read the answer.
        Raises:
          ValueError: when there are choices, and it is none of them.
        """
        if choice:
            if choice > len(self.choices):
                raise ValueError(f"There is no choice {choice} among {self.choices}")
            answer = self.choices[choice - 1]
        as_it_is = self.choices or self.text or isinstance(answer, str)
        text = str(answer) if as_it_is else _written(answer)
        if self.choices and text not in self.choices:
            raise ValueError(f"{text!r} is none of the choices {self.choices}")
        self.answer = text
        if self.poll is not None:
            self.poll.close()
        guess = _counted(self.guess, self.unit) if self.guess else ""
        self.verdict = _verdict(guess, _counted(text, self.unit), self.right)
        colour = color_of({None: "scope", True: "right", False: "wrong"}[self.right])
        style = f"border-left:4px solid {colour};padding:2px 10px;margin:4px 0"
        display(HTML(f'<div style="{style}">{escape(self.verdict)}</div>'))
        self.update_picture()

    def _clicked(self, change: Mapping[str, Any]) -> None:
        if change["new"] and not self.answer:
            self.guess = change["new"]

    @traitlets.observe("guess")
    def _keep(self, change: Mapping[str, Any]) -> None:
        _REMEMBERED[self.question] = change["new"]
        self.update_picture()

    def offline(self) -> Offline:
        """The question as it was before the answer, and what each choice leads to."""
        rows = []
        if self.answer:
            told = _counted(self.answer, self.unit)
            for text in self.choices:
                verdict = _verdict(text, told, text == self.answer)
                rows.append(Row({"guess": text}, {"answer": self.answer, "verdict": verdict}))
            verdict = f"The answer: {told}."
            rows.append(Row({"guess": ANY}, {"answer": self.answer, "verdict": verdict}))
        return Offline(rows=rows, start={"guess": "", "answer": "", "verdict": ""})

    def to_text(self) -> str:
        lines = [f"Predict: {self.question}"]
        for i, each in enumerate(self.choices):
            told = ", then ".join(str(votes[i]) for votes in self.votes)
            mark = "(x)" if each == self.guess else "( )"
            lines.append(f"  {mark} {each}{told and f': {told} of the class'}")
        guess = _counted(self.guess, self.unit) if self.guess else "none yet"
        return "\n".join([*lines, self.verdict or f"Your guess: {guess}"])

    def to_svg(self) -> str:
        lines = [
            part
            for line in self.to_text().splitlines()
            for part in textwrap.wrap(line, 100) or [""]
        ]
        how = {"fill": "#7b8088", "size": 14, "xml:space": "preserve"}
        rows = [svg.text(12, 22 * row + 22, line, **how) for row, line in enumerate(lines)]
        height = 22 * len(lines) + 12
        edge = svg.rect(0, 0, 4, height, fill=PALETTE[0].color)
        return svg.document(760, height, edge, *rows, ground="")


def _written(number: Any) -> str:
    """A number for people: whole ones with all digits, in threes; others with six digits."""
    return f"{int(number):,}" if float(number).is_integer() else f"{number:.6g}"


def _verdict(guess: str, answer: str, right: bool | None) -> str:
    """Says first what the reader guessed, then what is true."""
    if not guess:
        return f"The answer: {answer}. (You made no guess.)"
    told = "" if guess == answer else f" The answer: {answer}."
    return f"You guessed {guess} {'✓' if right else '✗'}.{told}"


def _counted(number: str, unit: str) -> str:
    """A number and what it counts: "2 steps", "1 step", "3%"."""
    unit = unit[:-1] if number == "1" and unit[1:].endswith("s") else unit
    return f"{number} {unit}".replace(" %", "%").rstrip()


def _words(text: str) -> list[str]:
    """What counts of a typed text: "(64, 32)" and "64 32" are the same, "a:0" is one word."""
    return re.findall(r"[\w./:?-]+", text.lower())


def _number(text: str) -> float:
    """The number that a text begins with; NaN for none."""
    try:
        return float(text.replace(",", "").replace("%", "").split()[0])
    except (ValueError, IndexError):
        return math.nan


def check(answer: Any, promises: Mapping[str, Callable[[Any], Any]] | str) -> None:
    """Prints a line for each promise: a tick, or what is wrong; nothing is raised.

    Args:
      answer: the reader's; `...`, the stub of an exercise, is "not answered yet", and so is a
        tuple with such dots in it.
      promises: by what they say, functions of the answer that are true when it holds; or the
        number of an exercise in `ANSWERS`, so that the cell does not tell the answer.
    """
    if answer is ... or (isinstance(answer, tuple) and any(each is ... for each in answer)):
        print("○ not answered yet: replace the dots with your answer, and run the cell again")
        return
    if isinstance(promises, str):
        promises = {part: _is(part, right) for part, right in ANSWERS[promises].items()}
    for promise, holds in promises.items():
        try:
            fine, why = bool(holds(answer)), ""
        except Exception as error:
            fine, why = False, f" ({type(error).__name__}: {str(error).partition(chr(10))[0]})"
        print(f"{'✓' if fine else '✗'} {promise}{why}")


def _is(part: str, right: Any) -> Callable[[Any], bool]:
    """Whether an answer, or its part of this name, is the right one."""
    return lambda answer: right == (answer[part] if isinstance(answer, dict) else answer)


def show_error(action: Callable[[], object]) -> str:
    """Calls a function that fails on purpose, and prints what it raises, without this file's line.

    Files of cells, which have names that nobody knows, are called by the number of the cell.

    Returns: the name of the error's class; "nothing" when none was raised.
    """
    try:
        action()
    except Exception as error:
        lines = [line for line in str(error).splitlines() if __file__ not in line]
        print(f"{type(error).__name__}: {with_cells(chr(10).join(lines))}\n")
        return type(error).__name__
    print("nothing was raised\n")
    return "nothing"


def with_cells(text: str) -> str:
    """A message in which a file that is a cell is called so."""
    compiler = getattr(get_ipython(), "compile", None)
    name_of = getattr(compiler, "format_code_name", lambda name: None)

    def cell(found: re.Match[str]) -> str:
        known = name_of(found[0])  # ("Cell", "In[3]")
        return found[0] if known is None else " ".join(known).replace("Cell In", "cell ")

    return re.sub(r"/[^\s\"':]*/\d+\.py", cell, text)
