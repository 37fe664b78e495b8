"""`tf.contrib.seq2seq`: beam search against all texts one by one, and further helpers."""

import itertools

import numpy as np

import minitf as tf

seq2seq = tf.contrib.seq2seq
RNG = np.random.default_rng(0)
AFTER = RNG.normal(size=(2, 4, 4)).astype(np.float32) * 2  # of two texts: the words after each word
END = 3


class _Markov(tf.nn.rnn_cell.RNNCell):
    """The next word depends on the last one, and on which text it is."""

    state_size, output_size = 1, 4

    def __call__(self, inputs: tf.Tensor, state: tf.Tensor, scope: object = None) -> tuple:
        text, word = tf.cast(state[:, 0], tf.int32), tf.cast(inputs[:, 0], tf.int32)
        return tf.gather_nd(AFTER, tf.stack([text, word], 1)), state


def _decode(width: int, steps: int, **options: float) -> tuple:
    with tf.Graph().as_default(), tf.Session() as sess:
        start = seq2seq.tile_batch(tf.constant([[0.0], [1.0]]), width)
        decoder = seq2seq.BeamSearchDecoder(
            _Markov(), lambda ids: tf.cast(ids, tf.float32)[..., None], [0, 1], END, start, width,
            **options,
        )  # fmt: skip
        outputs, state, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
        return sess.run([outputs.predicted_ids, state.log_probs, state.lengths, lengths])


def _chance(text: int, words: tuple[int, ...]) -> float:
    total, last = 0.0, text
    for word in words:
        total += AFTER[text, last, word] - np.log(np.exp(AFTER[text, last]).sum())
        last = word
    return total


def _all_texts(steps: int) -> list[tuple[int, ...]]:
    whole = list(itertools.product(range(3), repeat=steps))
    ended = [(*t, END) for n in range(steps) for t in itertools.product(range(3), repeat=n)]
    return whole + ended


def test_a_wide_beam_finds_the_best_texts() -> None:
    words, chances, lengths, _ = _decode(width=27, steps=3)
    assert words.shape == (2, 3, 27)
    for text in range(2):
        best = sorted(_all_texts(3), key=lambda t: -_chance(text, t))[:8]
        for place, expected in enumerate(best):
            filled = (*expected, *[END] * (3 - len(expected)))
            assert tuple(words[text, :, place]) == filled
            np.testing.assert_allclose(chances[text, place], _chance(text, expected), rtol=1e-4)
            assert lengths[text, place] == len(expected)


def test_a_length_penalty_prefers_long_texts() -> None:
    plain, *_ = _decode(width=9, steps=3)
    longer, *_ = _decode(width=9, steps=3, length_penalty_weight=5.0)
    assert (longer == END).sum() < (plain == END).sum()


def test_parents_are_walked_back() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        words = [[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]], [[1, 1, 1]]]
        parents = [[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[0, 0, 0]]]
        beams = sess.run(seq2seq.gather_tree(words, parents, [3], 10))
    np.testing.assert_array_equal(beams[:, 0].T, [[2, 6, 7, 10], [2, 5, 8, 10], [2, 6, 9, 10]])


def test_helpers() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        cell = tf.nn.rnn_cell.GRUCell(3)
        feeds_back = seq2seq.InferenceHelper(
            lambda outputs: outputs, [3], tf.float32, tf.zeros([2, 3]),
            lambda samples: tf.fill([2], False),
        )  # fmt: skip
        table = tf.constant(RNG.normal(size=(3, 3)).astype(np.float32))
        sometimes = seq2seq.ScheduledEmbeddingTrainingHelper(
            tf.zeros([2, 4, 3]), [4, 2], table, sampling_probability=0.5, seed=1
        )
        made = [
            seq2seq.dynamic_decode(
                seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32)),
                maximum_iterations=4,
            )
            for helper in (feeds_back, sometimes)
        ]
        sess.run(tf.global_variables_initializer())
        free, scheduled = sess.run(made)
    np.testing.assert_array_equal(free[0].sample_id, free[0].rnn_output)
    assert set(np.unique(scheduled[0].sample_id)) <= {-1, 0, 1, 2}
    np.testing.assert_array_equal(scheduled[2], [4, 2])
