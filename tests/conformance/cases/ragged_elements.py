"""Ragged tensors as elements of datasets."""

from ..case import programs

CASES = programs(
    "ragged_elements",
    {
        "slices": """
            d = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2, 3], [], [4]]))
            element = d.make_one_shot_iterator().get_next()
            show([run(element) for _ in range(3)])
        """,
        "batches": """
            d = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2, 3], [], [4], [5, 6]]))
            element = d.batch(3).make_one_shot_iterator().get_next()
            show([run(element.to_tensor(-1)) for _ in range(2)])
        """,
        "whole": """
            d = tf.data.Dataset.from_tensors(tf.ragged.constant([["a", "b"], ["c"]]))
            element = d.make_one_shot_iterator().get_next()
            show(run([element.flat_values, element.row_splits]))
        """,
        "deep": """
            r = tf.ragged.constant([[[1], [2, 3]], [[]], [[4, 5, 6]]])
            d = tf.data.Dataset.from_tensor_slices((r, [0, 1, 2])).batch(2)
            rows, n = d.make_one_shot_iterator().get_next()
            show([run([rows.flat_values, list(rows.nested_row_splits), n]) for _ in range(2)])
        """,
        "filtered": """
            d = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2, 3], [], [4]]))
            d = d.filter(lambda x: tf.size(x) > 0).repeat(2).skip(1)
            element = d.make_one_shot_iterator().get_next()
            show([run(element) for _ in range(3)])
        """,
    },
)
