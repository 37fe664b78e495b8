"""`tf.contrib.training.FailureTolerator`: tries again after failures that pass, ever later.

tolerator = FailureTolerator()
while True:
    with tolerator.forgive():
        train()
        break
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence

from minitf.core.graph import errors, logging


class FailureTolerator:
    """Keeps errors from ending a program, up to a number of them.

    Args:
      limit: the error of this number is raised.
      init_delay: how many seconds the first pause lasts, before the next try.
      backoff_factor: by what each further pause is longer.
      forgive_after_seconds: how long an error counts, pauses apart.
      handled_exceptions: the errors; `AbortedError` by default.
    """

    def __init__(
        self,
        limit: int = 5,
        init_delay: float = 5.0,
        backoff_factor: float = 2.0,
        forgive_after_seconds: float = 6000,
        handled_exceptions: Sequence[type[BaseException]] | None = None,
    ) -> None:
        self.limit, self.delay, self.backoff = limit, init_delay, backoff_factor
        self.forgive_after = forgive_after_seconds
        self.handled = tuple(handled_exceptions or (errors.AbortedError,))
        self.exceptions: list[float] = []  # when the errors that count were
        self.time_in_delay = 0.0

    def _now(self) -> float:
        """Drops the errors that do not count any more, and gives the time without the pauses."""
        now = time.time() - self.time_in_delay
        self.exceptions = [then for then in self.exceptions if now - then < self.forgive_after]
        return now

    @contextlib.contextmanager
    def forgive(self) -> Iterator[None]:
        """Pauses when there were errors before; an error in the block is logged, not raised."""
        self._now()
        if self.exceptions:
            delay = self.delay * self.backoff ** (len(self.exceptions) - 1)
            logging.warning(f"Sleeping for {delay:f} seconds before resuming")
            time.sleep(delay)
            self.time_in_delay += delay
        try:
            yield
        except self.handled as error:
            now = self._now()
            self.exceptions.append(now)
            if len(self.exceptions) >= self.limit:
                raise
            logging.warning(f"Forgiving an exception: {error}")
