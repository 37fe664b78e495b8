"""Votes of a class: the lecturer asks, and the members of the class cluster choose.

    lecturer   poll = room.ask("How often?", ["once", "twice"])    the answers to `stay` tell it
    ana        2                                                   a call of `vote`
    lecturer   poll.counts()                                       [[0, 1]]
    lecturer   poll.again()                                        a second round

A member may change its vote until the round is over. Nobody learns what another one has chosen.
"""

from __future__ import annotations

import itertools
import os
import select
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

from minitf.core.cluster.wire.call import entries
from minitf.core.graph import errors, untrusted

MOST_CHOICES = 9
LONGEST = 500  # characters of a question, or of a choice

_numbers = itertools.count(1)


def _shown(value: Any, what: str) -> str:
    """Reads a text that a terminal may show."""
    if not untrusted.text(value, what).isprintable() or not 0 < len(value) <= LONGEST:
        raise ValueError(f"{what} must have 1 to {LONGEST} printable characters")
    return value


@dataclass(frozen=True)
class Question:
    """What a class is asked in one round.

    Attributes:
      text: the question.
      choices: at least two, at most nine.
      number: of the round, unique in this process.
    """

    text: str
    choices: list[str]
    number: int = field(default_factory=_numbers.__next__)

    @classmethod
    def read(cls, value: Any, what: str) -> Question | None:
        """Reads a question as it comes from the lecturer's machine; None for {}.

        Raises:
          ValueError: when it is none.
        """
        if value == {}:
            return None
        parts = entries({"text": _shown, "choices": _choices, "number": untrusted.whole})
        return cls(**parts(value, what))


def _choices(value: Any, what: str) -> list[str]:
    listed = untrusted.listed(value, what, _shown)
    if not 2 <= len(listed) <= MOST_CHOICES:
        raise ValueError(f"{what} must be 2 to {MOST_CHOICES} choices, got {len(listed)}")
    return listed


class Poll:
    """A question to a class and its votes; `ClassCluster.ask` makes it.

    Args:
      text, choices: the question.
      on_change: called after each vote, in another thread, and after `again`.
    Raises:
      ValueError: when a text is empty, too long, or not printable, or the choices are too many.
    """

    def __init__(
        self, text: str, choices: Sequence[str], on_change: Callable[[], Any] = lambda: None
    ):
        asked = Question(_shown(text, "A question"), _choices(list(choices), "A question"))
        self.question: Question | None = asked
        self._asked, self._changed = asked, on_change
        self._rounds: list[dict[int, int]] = [{}]  # choices, by the indices of members

    def counts(self) -> list[list[int]]:
        """Returns how many votes each choice has, for each round."""
        choices = range(len(self._asked.choices))
        rounds = [list(votes.values()) for votes in self._rounds]
        return [[votes.count(choice) for choice in choices] for votes in rounds]

    def again(self) -> None:
        """Begins another round with the same question."""
        self.question = replace(self._asked, number=next(_numbers))
        self._rounds.append({})
        self._changed()

    def close(self) -> None:
        """Ends the poll; the votes remain."""
        self.question = None

    def vote(self, member: int, number: int, choice: int) -> None:
        """Counts a vote, in place of the member's earlier one.

        Args:
          member: the index of its task.
          number: of the round.
          choice: from 0.
        Raises:
          FailedPreconditionError: when the round is over.
          InvalidArgumentError: when there is no such choice.
        """
        if self.question is None or self.question.number != number:
            raise errors.FailedPreconditionError.of("This question is no longer asked.")
        if choice >= len(self._asked.choices):
            raise errors.InvalidArgumentError.of(f"There is no choice {choice + 1}.")
        self._rounds[-1][member] = choice
        self._changed()


def vote_in_terminal(lending: Any, given: TextIO) -> None:
    """Shows the lecturer's questions and reads the choices, until `lending` ends or input does."""
    asked = None
    while not lending.ended:
        question = lending.question
        if question is not None and question != asked:
            rows = [f"  {i}  {choice}" for i, choice in enumerate(question.choices, 1)]
            print("", question.text, *rows, sep="\n")
            print(f"Your choice, 1 to {len(rows)}: ", end="", flush=True)
        asked = question
        if not select.select([given], [], [], 0.3)[0] or _in_background(given):
            continue
        lines = os.read(given.fileno(), 4096).decode(errors="replace").splitlines()
        if not lines:
            return
        for line in lines if question is not None else ():
            print(_voted(lending, question, line.strip()), flush=True)


def _voted(lending: Any, question: Question, line: str) -> str:
    """Votes as a line says; returns what to tell."""
    if not line.isdecimal() or not 1 <= int(line) <= len(question.choices):
        return f"A number from 1 to {len(question.choices)}, please."
    try:
        lending.vote(int(line), question)
    except errors.OpError as error:
        return error.message
    return f"You chose {question.choices[int(line) - 1]!r}; another number changes it."


def _in_background(given: TextIO) -> bool:
    """Whether reading from the terminal would stop this process."""
    return given.isatty() and os.tcgetpgrp(given.fileno()) != os.getpgrp()
