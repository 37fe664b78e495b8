"""`tf.app.run`: parses the flags and calls the program's `main`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from minitf.library.platform import flags
from minitf.library.platform.flags import join

__all__ = ["flags", "run"]


def run(
    main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None
) -> NoReturn:
    """Parses the command line, calls `main(argv)` and exits with what it returns.

    Args:
      main: the function to call; by default `main` of the program.
      argv: the command line; by default `sys.argv`. What is no flag goes on to `main`.
    Raises:
      SystemExit: with 1 and a line on what is wrong, when a flag has a value that it cannot have.
    """
    if "absl.flags" in sys.modules:
        join(sys.modules["absl.flags"].FLAGS, flags.FLAGS)
    try:
        rest = flags.FLAGS(sys.argv if argv is None else argv, known_only=True)
    except flags.Error as error:
        print(f"FATAL Flags parsing error: {error}", file=sys.stderr)
        print("Pass --helpshort or --helpfull to see help on flags.", file=sys.stderr)
        sys.exit(1)
    main = main or sys.modules["__main__"].main
    sys.exit(main(rest))
