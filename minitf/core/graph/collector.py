"""Python's collector of garbage, which walks over all that lives while many objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_frozen_by_others = False  # remembered, since Python counts what is frozen one by one


@contextmanager
def no_collections(for_good: bool = False) -> Iterator[None]:
    """A context in which Python looks for no garbage.

    Making a plan or importing modules makes ten thousands of small objects, and next to no garbage.
    The collector would walk over all objects of the process several times meanwhile: a third of the
    time of a plan, a sixth of an import.

    Args:
      for_good: whether what is made stays for good, as modules do. It counts as old then, and
        is looked at again with everything else only.
    """
    global _frozen_by_others
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if for_good and not _frozen_by_others:
            _frozen_by_others = gc.get_freeze_count() > 0
            if not _frozen_by_others:
                gc.freeze()  # all that lives goes to one side,
                gc.unfreeze()  # and from there to the oldest generation
        if was_on:
            gc.enable()
