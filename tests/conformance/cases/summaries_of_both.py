"""Summaries of version 2: arrays with the plugin that draws them, where they are computed."""

from ..case import programs

PROGRAMS = {
    "of_both_versions": """
        import glob
        S = tf.compat.v2.summary
        show(S.scalar("none", 1., step=0), S.should_record_summaries(), S.experimental.get_step())
        w = S.create_file_writer(folder)
        with w.as_default():
            show(S.should_record_summaries()); fails(lambda: S.scalar("a", 1.))
            show(S.scalar("a", 1.5, step=1))
            with tf.name_scope("outer"):
                S.scalar("b", tf.constant(2), step=tf.constant(3, tf.int64))
            S.experimental.set_step(7)
            S.scalar("c", np.float64(2.5), description="what"); fails(lambda: S.scalar("bad", [1., 2.], step=1))
            S.histogram("h", [1., 2., 2., 5.], buckets=4); S.histogram("h30", np.arange(9.)); S.text("t", "hello"); S.text("tt", ["a", "b"])
            S.image("i", np.linspace(0, 1, 12).reshape(2, 2, 3, 1), max_outputs=1); S.audio("s", np.sin(np.arange(20.)).reshape(1, 20, 1).astype("f"), 8000)
            S.write("raw", tf.constant([1, 2]), step=2)
            with S.record_if(False):
                show(S.scalar("never", 1., step=1), S.should_record_summaries())
            with S.record_if(lambda: True):
                S.scalar("sure", 1.)
            @tf.function
            def f(x, step):
                with S.record_if(tf.equal(step % 2, 0)):
                    S.scalar("in_function", x, step=step)
                return x
            for i in range(4):
                f(tf.constant(float(i)), tf.constant(i, tf.int64))
            with S.experimental.summary_scope("sc", "d") as (tag, scope):
                show(tag, scope)
        with w.as_default(step=11):
            show(S.experimental.get_step()); S.scalar("d", 1.)
        show(S.experimental.get_step()); w.flush(); w.close()
        with S.create_noop_writer().as_default():
            show(S.scalar("none", 1., step=0))
        S.experimental.set_step(None)
        (path,) = glob.glob(folder + "/*")
        show(path.rsplit(".", 1)[1])
        for e in tf.train.summary_iterator(path):
            for v in e.summary.value:
                array = tf.make_ndarray(v.tensor).ravel().tolist()
                if v.tag == "i":  # other compression
                    array = [array[:2], tf.image.decode_png(array[2]).numpy().tolist()]
                plugin = v.metadata.plugin_data
                show(e.step, v.tag, plugin.plugin_name, plugin.content, v.metadata.summary_description, [d.size for d in v.tensor.tensor_shape.dim], array)
    """,
}

CASES = programs("summaries", {name: " " * 8 + "# eager" + text for name, text in PROGRAMS.items()})
