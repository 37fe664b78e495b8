"""Elements of datasets that may be missing, and rows of databases."""

from ..case import programs

CASES = programs(
    "optionals",
    {
        "next": """
            iterator = tf.data.Dataset.range(2).map(lambda x: (x, x * 2)).make_one_shot_iterator()
            found = tf.data.experimental.get_next_as_optional(iterator)
            has = found.has_value()
            value = tf.cond(has, lambda: found.get_value()[1], lambda: tf.constant(-1, tf.int64))
            show(has, value)
            show([run([has, value]) for _ in range(4)])
        """,
        "from_value": """
            some = tf.data.experimental.Optional.from_value({"a": 1.5, "b": ("x", [1, 2])})
            show(run(some.has_value()), run(some.get_value()), some.get_value()["a"])
            show(some.has_value(), some.has_value("asked"))
        """,
        "empty": """
            none = tf.data.experimental.Optional.empty(tf.TensorSpec([2], tf.float32))
            show(run(none.has_value()), none.get_value())
            fails(lambda: run(none.get_value()))
        """,
        "sparse": """
            s = tf.SparseTensor([[0, 1]], [2.5], [2, 2])
            some = tf.data.experimental.Optional.from_value(s)
            show(run(some.get_value()))
        """,
        "mapped": """
            d = tf.data.Dataset.range(3).map(lambda x: tf.data.experimental.Optional.from_value(x * 3))
            element = d.make_one_shot_iterator().get_next()
            show(run(element.get_value()))
        """,
        "fails_behind": """
            iterator = tf.data.Dataset.range(1).make_one_shot_iterator()
            found = tf.data.experimental.get_next_as_optional(iterator).get_value()
            show(run(found))
            fails(lambda: run(found))
        """,
        "initializable": """
            iterator = tf.data.Dataset.range(2).make_initializable_iterator()
            found = tf.data.experimental.get_next_as_optional(iterator)
            run(iterator.initializer)
            show(run(found.get_value()), run(found.has_value()), run(found.has_value()))
        """,
        "eager": """
            # eager
            iterator = iter(tf.data.Dataset.range(1))
            found = tf.data.experimental.get_next_as_optional(iterator)
            show(found.has_value(), found.get_value())
            show(tf.data.experimental.get_next_as_optional(iterator).has_value())
        """,
        "sql": """
            import sqlite3
            path = folder + "/rows.sqlite"
            made = sqlite3.connect(path)
            made.execute("create table t (name text, n int, x real, flag int)")
            made.executemany("insert into t values (?, ?, ?, ?)", [("a", 1, 1.5, 0), ("b", -3, 2.0, 1), (None, None, None, None)])
            made.commit()
            types = (tf.string, tf.int32, tf.float64, tf.bool)
            d = tf.data.experimental.SqlDataset("sqlite", path, "select * from t order by rowid", types)
            element = d.make_one_shot_iterator().get_next()
            show(element)
            show([run(element) for _ in range(3)])
            fails(lambda: run(element))
            short = tf.data.experimental.SqlDataset("sqlite", path, "select name from t", (tf.string, tf.int32))
            fails(lambda: run(short.make_one_shot_iterator().get_next()))
            other = tf.data.experimental.SqlDataset("mysql", path, "select name from t", (tf.string,))
            fails(lambda: run(other.make_initializable_iterator().initializer))
        """,
        "sql_pipeline": """
            import sqlite3
            path = folder + "/rows.sqlite"
            made = sqlite3.connect(path)
            made.execute("create table t (n int)")
            made.executemany("insert into t values (?)", [(i,) for i in range(5)])
            made.commit()
            d = tf.data.experimental.SqlDataset("sqlite", path, "select n from t", (tf.int64,))
            element = d.map(lambda n: n * 2).repeat(2).batch(4).make_one_shot_iterator().get_next()
            show([run(element) for _ in range(3)])
        """,
    },
)
