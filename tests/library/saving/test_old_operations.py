from collections.abc import Iterator

import numpy as np
import pytest

import minitf as tf
from minitf.library.formats.protobuf_messages import from_text
from minitf.library.saving.tensorflow_graph import read_graph

X = np.array([[4, 1, 2], [1, 5, -0.5], [2, -0.5, 6]], np.float32)


@pytest.fixture
def sess() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "m" op: "BatchMatrixInverse" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "inv" op: "Inv" input: "m" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "best" op: "TopK" input: "inv" attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "k" value { i: 1 } } }
node { name: "queue" op: "FIFOQueue"
  attr { key: "component_types" value { list { type: DT_FLOAT type: DT_INT32 } } }
  attr { key: "shapes" value { list { shape { dim { size: 1 } } shape { dim { size: 1 } } } } } }
node { name: "put" op: "QueueEnqueueMany" input: "queue" input: "best" input: "best:1"
  attr { key: "Tcomponents" value { list { type: DT_FLOAT type: DT_INT32 } } } }
node { name: "take" op: "QueueDequeue" input: "queue"
  attr { key: "component_types" value { list { type: DT_FLOAT type: DT_INT32 } } } }
node { name: "left" op: "QueueSize" input: "queue" }
"""


def test_a_graph_of_2016_runs() -> None:
    data = from_text(GRAPH, "GraphDef")
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(read_graph(data), name="")
        sess.run("put", {"x:0": X})
        value, place = sess.run(["take:0", "take:1"])
        inverse = 1 / np.linalg.inv(X)
        assert place == [inverse[0].argmax()] and sess.run("left:0") == 2
        np.testing.assert_allclose(value, [inverse[0].max()], rtol=1e-4)
