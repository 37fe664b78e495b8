"""Each test builds in a graph of its own."""

from tests.graphs import graph as graph
