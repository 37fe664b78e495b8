"""`tensorflow.python.util.object_identity`: sets and dicts that tell objects apart by identity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from minitf.library.saving.object_graph import ObjectGraph


def list_objects(root: Any) -> list[Any]:
    """All objects that a checkpoint of one would hold, the one first."""
    return list(ObjectGraph(root).objects)


class ObjectIdentityDictionary(MutableMapping):
    """A dict whose keys are equal only when they are one object; they need no hash."""

    def __init__(self, items: Iterable[tuple[Any, Any]] = ()) -> None:
        self._kept: dict[int, tuple[Any, Any]] = {}
        self.update(items)

    def __getitem__(self, key: Any) -> Any:
        return self._kept[id(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._kept[id(key)] = (key, value)

    def __delitem__(self, key: Any) -> None:
        del self._kept[id(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._kept.values()])

    def __len__(self) -> int:
        return len(self._kept)


class ObjectIdentitySet(MutableSet):
    """A set of objects, which need no hash."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._kept = {id(item): item for item in items}

    def __contains__(self, item: Any) -> bool:
        return id(item) in self._kept

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._kept.values()))

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, value: Any) -> None:
        """Adds an object."""
        self._kept[id(value)] = value

    def discard(self, value: Any) -> None:
        """Takes an object out, if it is there."""
        self._kept.pop(id(value), None)

    update = MutableSet.__ior__
