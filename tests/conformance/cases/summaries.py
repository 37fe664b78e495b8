"""Summaries: the bytes of the messages, names, tags, collections, errors."""

from ..case import programs

_HISTOGRAMS = {
    "mixed": "[1., 2., 2., -3.]",
    "zeros": "[0., 0.]",
    "empty": "np.zeros([0], np.float32)",
    "ends": "[1e-13, 1e13, -1e30]",
    "ramp": "[float(i) for i in range(-50, 50)]",
    "integers": "[[1, 2], [3, 3]]",
    "float64": "np.linspace(-1., 1., 7)",
    "scalar": "2.5",
}

_IMAGES = {
    "positive": "np.array([[[[0.], [.5]], [[1.], [2.]]]], np.float32)",
    "negative": "np.array([[[[-1.], [.5]], [[1.], [2.]]]], np.float32)",
    "bytes": "np.array([[[[0], [5]], [[255], [20]]]], np.uint8)",
    "color": "np.arange(18, dtype=np.float32).reshape(1, 2, 3, 3)",
    "opacity": "np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4) - 4.",
    "black": "np.zeros([5, 1, 2, 1], np.float32)",
    "not_finite": "np.array([[[[np.nan], [.5]], [[np.inf], [2.]]]], np.float32)",
    "not_finite_color": "np.array([[[[np.nan, 1., 0.], [.5, .5, .5]]]], np.float32)",
    "one_of_two": "np.ones([2, 1, 1, 3], np.float32), max_outputs=1",
    "two_of_three": "np.ones([3, 1, 1, 3], np.float32), 2",
}

_PIXELS = """
import zlib
def pixels(data, channels):
    size = lambda place: int.from_bytes(data[place:place + 4], "big")
    width, place, packed = size(16) * channels, 8, b""
    while place < len(data):
        if data[place + 4:place + 8] == b"IDAT":
            packed += data[place + 8:place + 8 + size(place)]
        place += size(place) + 12
    plain, rows = zlib.decompress(packed), [[0] * width]
    for start in range(0, len(plain), width + 1):
        kind, above, row = plain[start], rows[-1], []
        for i, byte in enumerate(plain[start + 1:start + 1 + width]):
            a, b, c = (row[i - channels], above[i], above[i - channels]) if i >= channels else (0, above[i], 0)
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row.append((byte + [0, a, b, (a + b) // 2, nearest][kind]) % 256)
        rows.append(row)
    return rows[1:]
"""

CASES = [
    *programs(
        "summaries",
        {
            f"histogram_{name}": f'show(run(tf.summary.histogram("h", {values})))'
            for name, values in _HISTOGRAMS.items()
        },
    ),
    *programs(
        "summaries",
        {
            f"image_{name}": _PIXELS
            + f"""
for value in tf.Summary.FromString(run(tf.summary.image("im", {images}))).value:
    picture = value.image
    show(value.tag, picture.height, picture.width, picture.colorspace, pixels(picture.encoded_image_string, picture.colorspace))
        """
            for name, images in _IMAGES.items()
        },
    ),
    *programs(
        "summaries",
        {
            "scalar": """
            x = tf.constant(1.5, name="x")
            show(tf.summary.scalar("loss", x), run(tf.summary.scalar("loss", x)), run(tf.summary.scalar("i", tf.constant(3))))
            show(run(tf.summary.scalar("nan", float("nan"))), run(tf.summary.scalar("half", tf.constant(.5, tf.float16))))
        """,
            "names": """
            x = tf.constant(1.5, name="x")
            show(tf.summary.scalar("loss", x), tf.summary.scalar("loss", x), tf.summary.scalar("a b$c", x), tf.summary.scalar("/root", x))
            with tf.name_scope("outer"):
                show(tf.summary.scalar("loss", x), tf.summary.scalar("fam", x, family="F"), tf.summary.histogram("h", [x]))
                show(run(tf.summary.scalar("fam", x, family="F")), run(tf.summary.scalar("loss", x)))
        """,
            "merge": """
            a, b = tf.summary.scalar("a", 1.), tf.summary.scalar("b", 2.)
            show(tf.summary.merge([a, b]), run(tf.summary.merge([a, b])), tf.summary.merge([b], name="named"))
            show(tf.summary.merge_all(), run(tf.summary.merge_all()), tf.get_collection(tf.GraphKeys.SUMMARIES))
        """,
            "merge_all_of_none": """
            show(tf.summary.merge_all())
            tf.summary.scalar("a", 1., collections=["mine"])
            show(tf.summary.merge_all(), tf.summary.merge_all("mine"), tf.summary.merge_all(key="mine", name="again"))
        """,
            "merge_all_of_scope": """
            tf.summary.scalar("a", 1.)
            with tf.name_scope("inner"):
                tf.summary.scalar("b", 2.)
            show(run(tf.summary.merge_all(scope="inner")), run(tf.summary.merge_all()))
        """,
            "own_messages": """
            s = tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=2.), tf.Summary.Value(tag="b", simple_value=3.)])
            s.value.add(tag="c", simple_value=4.)
            show(s.SerializeToString(), [v.tag for v in s.value], tf.Event(step=3, summary=s).SerializeToString(), str(s))
        """,
            "duplicate_tag": """
            a = tf.summary.scalar("dd", 1.)
            fails(run, tf.summary.merge([a, a], name="m"))
        """,
            "vector_as_scalar": """
            x = tf.placeholder(tf.float32, name="x")
            fails(run, tf.summary.scalar("q", x), {x: [1., 2.]})
        """,
            "not_finite_histogram": """
            fails(run, tf.summary.histogram("h", [1., float("nan")]))
            fails(run, tf.summary.histogram("i", [1., float("inf")]))
        """,
            "not_an_image": """
            fails(run, tf.summary.image("im", np.zeros([1, 1, 1, 2], np.float32)))
        """,
            "scalar_of_string": """
            fails(tf.summary.scalar, "s", tf.constant("a"))
        """,
            "graph_in_a_file": """
            import glob
            with tf.device("/cpu:0"), tf.name_scope("in"):
                x = tf.placeholder(tf.float32, [None, 2], name="x")
            with tf.control_dependencies([x]):
                y = tf.matmul(x, tf.zeros([2, 3]), transpose_b=False, name="y")
            writer = tf.summary.FileWriter(folder, tf.get_default_graph())
            writer.close()
            for event in tf.train.summary_iterator(glob.glob(folder + "/*")[0]):
                if event.WhichOneof("what") == "graph_def":
                    graph = type(tf.Event().summary) and event.graph_def
            # Both read the bytes by TensorBoard's class.
            from tensorboard.compat.proto.graph_pb2 import GraphDef
            for node in GraphDef.FromString(graph).node:
                show(node.name, node.op, list(node.input), node.device)
                show(str(node.attr["dtype"]), str(node.attr["shape"]), str(node.attr["_output_shapes"]), str(node.attr["transpose_a"]))
        """,
            "the_meta_graph_stands_beside_the_graph": """
            import glob
            x = tf.placeholder(tf.float32, [None, 2], name="x"); tf.add_to_collection("mine", x); tf.get_variable("w", [2])
            with tf.summary.FileWriter(folder, tf.get_default_graph()) as writer: writer.add_meta_graph(tf.train.export_meta_graph(), 3)
            from tensorboard.compat.proto.meta_graph_pb2 import MetaGraphDef
            for event in tf.train.summary_iterator(glob.glob(folder + "/*")[0]):
                whole = MetaGraphDef.FromString(event.meta_graph_def)
                show(event.WhichOneof("what"), event.step, [node.name for node in whole.graph_def.node], sorted(whole.collection_def))
        """,
        },
    ),
]
