"""Learning rates that change, and moving averages: values along the steps, names, errors."""

from ..case import programs

_WALK = """
        step = tf.placeholder(tf.int64, [], name="step"); rate = {}
        show(rate.dtype, rate.shape, [float(run(rate, {{step: i}})) for i in (0, 1, 3, 4, 7, 10, 11, 25)])
"""

_RATES = {
    "exponential": "tf.train.exponential_decay(.1, step, 10, .9)",
    "exponential_staircase": "tf.train.exponential_decay(learning_rate=.1, global_step=step, decay_steps=4, decay_rate=.5, staircase=True)",
    "exponential_float64": "tf.train.exponential_decay(tf.constant(.1, tf.float64), step, 10, .9)",
    "piecewise": "tf.train.piecewise_constant(step, [3, 7], [1., .5, .1])",
    "piecewise_one": "tf.train.piecewise_constant(step, [10], [3, 2])",
    "piecewise_int64": "tf.train.piecewise_constant(step, [np.int64(3), np.int64(7)], [1., .5, .1])",
    "polynomial": "tf.train.polynomial_decay(.1, step, 10)",
    "polynomial_power": "tf.train.polynomial_decay(.1, step, 10, .01, power=.5)",
    "polynomial_cycle": "tf.train.polynomial_decay(.1, step, 10, .01, power=2., cycle=True)",
    "natural_exp": "tf.train.natural_exp_decay(.1, step, 10, .5)",
    "natural_exp_staircase": "tf.train.natural_exp_decay(.1, step, 4, .5, staircase=True)",
    "inverse_time": "tf.train.inverse_time_decay(.1, step, 10, .5)",
    "inverse_time_staircase": "tf.train.inverse_time_decay(.1, step, 4, .5, True)",
    "cosine": "tf.train.cosine_decay(.1, step, 10)",
    "cosine_alpha": "tf.train.cosine_decay(.1, step, 10, alpha=.2)",
}

_EMA = """
        w = tf.Variable([1., 2.], name="w"); step = tf.train.get_or_create_global_step(); y = tf.multiply(w, 2., name="y")
"""

_EMA_PATH = """
        op = ema.apply([w, y]); show(op, [v.name for v in tf.global_variables()], [v.name for v in tf.moving_average_variables()])
        show(ema.average(w), ema.average(y), ema.average(step), ema.average_name(w), ema.average_name(y), ema.average_name(step))
        show(sorted((k, v.name) for k, v in ema.variables_to_restore().items()))
        bump = tf.group(w.assign_add([1., 1.]), step.assign_add(1))
        for _ in range(4):
            run(bump); run(op); show(run([ema.average(w), ema.average(y)]))
"""

CASES = [
    *programs("schedules", {name: _WALK.format(text) for name, text in _RATES.items()}),
    *programs(
        "schedules",
        {
            "names_of_exponential_decay": """
        s = tf.train.get_or_create_global_step(); n = len(tf.get_default_graph().get_operations()); tf.train.exponential_decay(.1, s, 10, .9, True)
        show([(o.name, o.type, [i.name for i in o.inputs]) for o in tf.get_default_graph().get_operations()[n:]])
        """,
            "in_an_optimizer": """
        x = tf.Variable(1., name="x"); s = tf.Variable(0, trainable=False, name="s")
        step = tf.train.GradientDescentOptimizer(tf.train.exponential_decay(.5, s, 1, .5)).minimize(x * x, global_step=s)
        for _ in range(4):
            run(step); show(run([x, s]))
        """,
        },
    ),
    *programs(
        "moving_averages",
        {
            "variables_and_tensors": _EMA
            + "        ema = tf.train.ExponentialMovingAverage(.9)\n"
            + _EMA_PATH,
            "num_updates": _EMA
            + "        ema = tf.train.ExponentialMovingAverage(.9, step)\n"
            + _EMA_PATH,
            "zero_debias": _EMA
            + "        ema = tf.train.ExponentialMovingAverage(decay=.9, zero_debias=True, name='avg')\n"
            + _EMA_PATH,
            "of_all_trainable": """
        w = tf.Variable([1., 2.], name="w"); u = tf.Variable(1., trainable=False, name="u"); ema = tf.train.ExponentialMovingAverage(.5)
        op = ema.apply(); show(ema.name, sorted(ema.variables_to_restore()), [v.name for v in tf.global_variables()])
        """,
            "names": """
        w = tf.Variable([1., 2.], name="w"); ema = tf.train.ExponentialMovingAverage(.5, tf.constant(3)); ema.apply([w])
        show([(o.name, o.type, [i.name for i in o.inputs]) for o in tf.get_default_graph().get_operations() if o.name.startswith("ExponentialMovingAverage")])
        """,
            "apply_twice": """
        w = tf.Variable(1., name="w"); ema = tf.train.ExponentialMovingAverage(.5); show(ema.apply([w]), ema.apply([w]), [v.name for v in tf.global_variables()])
        """,
            "restore_averages": """
        d = folder
        w = tf.Variable(1., name="w"); ema = tf.train.ExponentialMovingAverage(.5); step = w.assign_add(1.)
        with tf.control_dependencies([step]): op = ema.apply([w])
        run(op); run(op); tf.train.Saver().save(session(), d + "/m"); show(run([w, ema.average(w)]))
        with tf.Graph().as_default(), tf.Session() as sess:
            w = tf.Variable(1., name="w"); ema = tf.train.ExponentialMovingAverage(.5); s = tf.train.Saver(ema.variables_to_restore()); s.restore(sess, d + "/m"); show(sess.run(w))
        """,
            "wrong_type": """
        v = tf.Variable(1, name="v"); ema = tf.train.ExponentialMovingAverage(.5); fails(ema.apply, [v])
        """,
        },
    ),
]
