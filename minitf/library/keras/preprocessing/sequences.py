"""Sequences: of words as numbers, made of one length, of classes as rows of ones; and of batches.

words = Tokenizer(num_words=1000)
words.fit_on_texts(["the cat", "the dog"])          the: 1, cat: 2, dog: 3; by frequency
words.texts_to_sequences(["the dog"])               [[1, 3]]
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

# ---- classes and sequences -----------------------------------------------------------------------


def to_categorical(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> np.ndarray:
    """Turns numbers of classes into rows with a 1 at the class.

    Args:
      y: [...] integers from 0 on; a last axis of length 1 is left out.
      num_classes: how long a row is; the largest number and one more when None.
      dtype: the type of the result.
    Returns: [..., num_classes].
    Raises:
      IndexError: when a number is not below num_classes.
    Example:
      >>> tf.keras.utils.to_categorical([0, 2])
      array([[1., 0., 0.],
             [0., 0., 1.]], dtype=float32)
    """
    classes = np.array(y, dtype="int")
    shape = classes.shape[:-1] if classes.ndim > 1 and classes.shape[-1] == 1 else classes.shape
    classes = classes.reshape(-1)
    found = np.zeros((len(classes), num_classes or classes.max() + 1), dtype)
    found[np.arange(len(classes)), classes] = 1
    return found.reshape(*shape, found.shape[1])


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray:
    """Puts sequences of unequal lengths into one array.

    Args:
      sequences: a list of sequences.
      maxlen: how long they become; as the longest when None.
      dtype: the type of the result.
      padding: "pre" or "post": where to fill up shorter ones.
      truncating: "pre" or "post": where to cut longer ones.
      value: what to fill up with.
    Returns: [len(sequences), maxlen, ...].
    Raises:
      ValueError: when there is something else than sequences in the list, or their elements have
        unequal shapes.
    Example:
      >>> tf.keras.preprocessing.sequence.pad_sequences([[1], [2, 3]])
      array([[0, 1],
             [2, 3]], dtype=int32)
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    for sequence in sequences:
        if not hasattr(sequence, "__len__"):
            raise ValueError(
                f"`sequences` must be a list of iterables. Found non-iterable: {sequence}"
            )
    if maxlen is None:
        maxlen = max(map(len, sequences))
    textual = dtype is object or np.dtype(dtype).kind in "US"
    if isinstance(value, str) and not textual:
        raise ValueError(
            f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\n"
            "You should set `dtype=object` for variable length strings."
        )
    shape = next((np.asarray(sequence).shape[1:] for sequence in sequences if len(sequence)), ())
    padded = np.full((len(sequences), maxlen, *shape), value, dtype=dtype)
    for place, sequence in enumerate(sequences):
        if not len(sequence):
            continue
        if truncating not in ("pre", "post"):
            raise ValueError(f'Truncating type "{truncating}" not understood')
        kept = np.asarray(sequence[-maxlen:] if truncating == "pre" else sequence[:maxlen], dtype)
        if kept.shape[1:] != shape:
            raise ValueError(
                f"Shape of sample {kept.shape[1:]} of sequence at position {place} is different "
                f"from expected shape {shape}"
            )
        if padding not in ("pre", "post"):
            raise ValueError(f'Padding type "{padding}" not understood')
        rows = slice(-len(kept), None) if padding == "pre" else slice(len(kept))
        padded[place, rows] = kept
    return padded


# ---- texts ---------------------------------------------------------------------------------------

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(
    text: str, filters: str = _FILTERS, lower: bool = True, split: str = " "
) -> list[str]:
    """The words of a text.

    Args:
      text: the text.
      filters: characters that part words, as `split` does.
      lower: in small letters.
      split: what stands between words.
    Example:
      >>> tf.keras.preprocessing.text.text_to_word_sequence("Don't panic!")
      ["don't", 'panic']
    """
    text = text.lower() if lower else text
    table = str.maketrans(dict.fromkeys(filters, split))
    return [word for word in text.translate(table).split(split) if word]


class Tokenizer:
    """Turns texts into lists of numbers, or rows of a matrix; the frequent words come first.

    Args:
      num_words: only words with a smaller number are kept; all when None.
      filters: characters that part words.
      lower: in small letters.
      split: what stands between words.
      char_level: characters are the words.
      oov_token: a word in place of those that are unknown; it gets the number 1.
    Example:
      >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
      >>> tokenizer.fit_on_texts(["the cat", "the dog"])
      >>> tokenizer.texts_to_sequences(["the dog"])
      [[1, 3]]
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = _FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.document_count = 0
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token = char_level, oov_token
        self.word_counts: dict[str, int] = OrderedDict()
        self.word_docs: dict[str, int] = defaultdict(int)
        self.index_docs: dict[int, int] = defaultdict(int)
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}

    def _words(self, text: Any) -> Iterable[str]:
        """The words of a text; a list is one of words already."""
        if isinstance(text, list):
            return [word.lower() for word in text] if self.lower else text
        if self.char_level:
            return text.lower() if self.lower else text
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Learns the words of texts.

        Args:
          texts: texts, or lists of words.
        """
        for text in texts:
            self.document_count += 1
            words = list(self._words(text))
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        ranked = sorted(self.word_counts, key=lambda word: -self.word_counts[word])
        first = [] if self.oov_token is None else [self.oov_token]
        self.word_index = {word: number for number, word in enumerate([*first, *ranked], 1)}
        self.index_word = {number: word for word, number in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def texts_to_sequences(self, texts: Iterable[Any]) -> list[list[int]]:
        """The numbers of the known words of each text.

        Args:
          texts: texts, or lists of words.
        """
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[list[int]]:
        """As `texts_to_sequences`, one after the other.

        Args:
          texts: texts, or lists of words.
        """
        for text in texts:
            yield self._kept(map(self.word_index.get, self._words(text)))

    def _kept(self, numbers: Iterable[int | None]) -> list[int]:
        """The numbers that are low enough; the others, and unknown ones, as the word for them."""
        unknown = self.word_index.get(self.oov_token) if self.oov_token is not None else None
        end = self.num_words or float("inf")
        found = (unknown if number is None or number >= end else number for number in numbers)
        return [number for number in found if number is not None]

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> np.ndarray:
        """A row for each text, a column for each word.

        Args:
          texts: texts, or lists of words.
          mode: see `sequences_to_matrix`.
        """
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode=mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> np.ndarray:
        """A row for each list of numbers, a column for each number.

        Args:
          sequences: lists of numbers.
          mode: "binary": whether it is there; "count": how often; "freq": how often of all;
            "tfidf": how often, less for words of many texts.
        Returns: [len(sequences), num_words].
        Raises:
          ValueError: when the number of words is unknown, or there is no such mode.
        """
        if not self.num_words and not self.word_index:
            raise ValueError(
                "Specify a dimension (`num_words` argument), or fit on some text data first."
            )
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        if mode not in ("binary", "count", "freq", "tfidf"):
            raise ValueError("Unknown vectorization mode:", mode)
        matrix = np.zeros((len(sequences), self.num_words or len(self.word_index) + 1))
        for row, sequence in zip(matrix, sequences):
            for number, count in Counter(n for n in sequence if n < len(row)).items():
                if mode == "tfidf":
                    documents = 1 + self.index_docs.get(number, 0)
                    rare = np.log(1 + self.document_count / documents)
                    row[number] = (1 + np.log(count)) * rare
                else:
                    row[number] = {"binary": 1, "count": count}.get(mode, count / len(sequence))
        return matrix


# ---- batches -------------------------------------------------------------------------------------


class Sequence:
    """Batches that can be asked for by number.

    A class that derives from it gives `__getitem__`, one batch, and `__len__`, how many there are.
    """

    @abstractmethod
    def __getitem__(self, index: int) -> Any:
        """One batch.

        Args:
          index: its number.
        """
        raise NotImplementedError

    @abstractmethod
    def __len__(self) -> int:
        """How many batches there are."""
        raise NotImplementedError

    def on_epoch_end(self) -> None:
        """Is called when all batches were made."""

    def __iter__(self) -> Iterator[Any]:
        """The batches in order, once."""
        for index in range(len(self)):
            yield self[index]


def rounds(given: Any, shuffle: bool) -> Iterator[Any]:
    """The batches of a generator; or those of a `Sequence`, round after round.

    Args:
      given: what is asked for batches.
      shuffle: another order of the batches of a `Sequence` in each round.
    """
    if not isinstance(given, Sequence):
        yield from given
        return
    numbers = list(range(len(given)))
    while numbers:
        if shuffle:
            random.shuffle(numbers)
        for count, number in enumerate(numbers, 1):
            batch = given[number]
            if count == len(numbers):
                given.on_epoch_end()
            yield batch
