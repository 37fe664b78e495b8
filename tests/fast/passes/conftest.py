"""Each test builds in a graph of its own."""

from tests.graphs import graph as graph
from tests.graphs import sess as sess
