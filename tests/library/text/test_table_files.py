"""Tables from files: their sizes, and which files belong to a saved model."""

import pytest

import minitf as tf


def test_a_vocabulary_of_no_words_is_refused() -> None:
    for name in ("words.txt", tf.constant("words.txt")):
        with pytest.raises(ValueError, match=r"must be greater than 0, got 0.*: b?'?words.txt"):
            tf.contrib.lookup.index_table_from_file(name, vocab_size=0)


def test_only_files_that_the_graph_names_are_assets() -> None:
    for name, count in (tf.placeholder(tf.string, []), 0), (tf.constant("words.txt"), 1):
        tf.contrib.lookup.index_table_from_file(name)
        assert len(tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)) == count
