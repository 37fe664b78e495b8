"""`tensorflow.python.ops.resources`: what a graph needs made first, beside its variables."""

from __future__ import annotations

from typing import Any, NamedTuple

from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import get_collection
from minitf.core.ops.control import group, no_op


class _Resource(NamedTuple):
    """A resource with the operation that makes it, and the tensor that says whether it is made."""

    handle: Any
    create: Any
    is_initialized: Any


def shared_resources() -> list[_Resource]:
    """The resources that sessions share."""
    return get_collection(GraphKeys.RESOURCES)


def initialize_resources(resource_list: list[_Resource], name: str = "init") -> Any:
    """The operation that makes all of a list of resources."""
    if not resource_list:
        return no_op(name=name)
    return group(*[resource.create for resource in resource_list], name=name)
