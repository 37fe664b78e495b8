"""What a pipeline counts while it runs."""

import time

import minitf as tf
from minitf.library.formats.summary_protos import protos

Dataset = tf.data.Dataset


def _slow(x):
    return tf.py_func(lambda v: time.sleep(0.002) or v, [x], tf.int64)


def _watched(dataset, prefix=None):
    aggregator, options = tf.data.experimental.StatsAggregator(), tf.data.Options()
    options.experimental_stats.aggregator = aggregator
    if prefix:
        options.experimental_stats.prefix = prefix
    iterator = dataset.with_options(options).make_initializable_iterator()
    return iterator, iterator.get_next(), aggregator.get_summary()


def _values(sess, summary):
    return {each.tag: each for each in protos().Summary.FromString(sess.run(summary)).value}


def test_latencies_and_sizes_are_counted(sess):
    dataset = Dataset.range(7).map(_slow).apply(tf.data.experimental.latency_stats("slow"))
    dataset = dataset.batch(2).apply(tf.data.experimental.bytes_produced_stats("batches"))
    iterator, element, summary = _watched(dataset)
    sess.run(iterator.initializer)
    assert not _values(sess, summary)
    for _ in range(4):
        sess.run(element)
    found = _values(sess, summary)
    assert found["slow"].histo.num == 7
    assert found["slow"].histo.min > 2000  # microseconds
    assert (found["batches"].histo.num, found["batches"].histo.sum) == (4, 7 * 8)


def test_what_autotune_chooses_can_be_watched(sess):
    auto = tf.data.experimental.AUTOTUNE
    dataset = Dataset.range(60).map(_slow, num_parallel_calls=auto).prefetch(auto)
    iterator, element, summary = _watched(dataset, prefix="train")
    sess.run(iterator.initializer)
    for _ in range(60):
        sess.run(element)
    found = _values(sess, summary)
    assert found["train::ParallelMap::parallelism"].simple_value >= 2
    assert 0 <= found["train::ParallelMap::thread_utilization"].simple_value <= 1
    assert found["train::Prefetch::buffer_capacity"].simple_value >= 1
    assert found["train::Prefetch::buffer_utilization"].histo.num == 60


def test_without_an_aggregator_nothing_is_counted(sess):
    dataset = Dataset.range(2).apply(tf.data.experimental.latency_stats(tf.constant("tag")))
    element = dataset.make_one_shot_iterator().get_next()
    assert [sess.run(element), sess.run(element)] == [0, 1]
