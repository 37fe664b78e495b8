"""`tf.data.Options`."""

from ..case import programs

CASES = programs(
    "data_options",
    {
        "types": """
            o = tf.data.Options()
            def give(where, name, value):
                setattr(where, name, value)
                return getattr(where, name)
            fails(lambda: give(o, "experimental_slack", "no"))
            fails(lambda: give(o, "experimental_slack", None))
            fails(lambda: give(o, "experimental_speed", 1))
            fails(lambda: give(o.experimental_threading, "private_threadpool_size", "3"))
            fails(lambda: give(o.experimental_optimization, "map_fusion", 0))
            fails(lambda: give(o.experimental_distribute, "policy", 0))
            show(give(o.experimental_threading, "private_threadpool_size", 3))
            show(give(o.experimental_optimization, "map_fusion", True))
            show(give(o.experimental_distribute, "num_devices", 2))
        """,
        "defaults": """
            o = tf.data.Options()
            show(o.experimental_deterministic, o.experimental_slack)
            show(o.experimental_threading.max_intra_op_parallelism)
            names = ["filter_fusion", "map_fusion", "map_and_batch_fusion", "noop_elimination"]
            show([getattr(o.experimental_optimization, name) for name in names])
        """,
        "equality": """
            one, two = tf.data.Options(), tf.data.Options()
            show(one == two, one != two, one == None, one != None)
            one.experimental_threading.private_threadpool_size = 3
            show(one == two, one != two)
            two.experimental_threading.private_threadpool_size = 3
            show(one == two)
            fails(lambda: hash(one))
            show(tf.data.experimental.OptimizationOptions() == one.experimental_optimization)
        """,
        "merged": """
            one, two = tf.data.Options(), tf.data.Options()
            one.experimental_threading.private_threadpool_size = 3
            one.experimental_deterministic = True
            two.experimental_deterministic = False
            two.experimental_threading.max_intra_op_parallelism = 2
            def told(d):
                o = d.options()
                threads = o.experimental_threading
                return [o.experimental_deterministic, o.experimental_slack, threads.private_threadpool_size, threads.max_intra_op_parallelism]
            d = tf.data.Dataset.range(4)
            show(told(d), told(d.with_options(one)), told(d.with_options(one).with_options(two)))
            show(told(d.with_options(two).with_options(one).map(lambda x: x).batch(2).repeat()))
            show(told(tf.data.Dataset.zip((d.with_options(one), d.with_options(two)))))
            show(told(d.with_options(one).concatenate(d.with_options(two))))
            show(told(d.concatenate(d.with_options(two)).shuffle(3).prefetch(1)))
            show(told(d.with_options(one).apply(tf.data.experimental.ignore_errors())))
            show(told(d.with_options(one).flat_map(lambda x: d.with_options(two))))
            show(told(d.with_options(one).interleave(lambda x: d.with_options(two), 2)))
        """,
        "apart": """
            o = tf.data.Options()
            o.experimental_threading.private_threadpool_size = 3
            d = tf.data.Dataset.range(3).with_options(o)
            o.experimental_slack = True
            o2 = tf.data.Options()
            o2.experimental_slack = False
            d2 = d.with_options(o2)
            show(d.options().experimental_slack, d2.options().experimental_slack)
            element = d2.map(lambda x: x + 1, num_parallel_calls=8).make_one_shot_iterator().get_next()
            show([run(element) for _ in range(3)])
        """,
    },
)
