"""`tf.contrib.learn.preprocessing`: documents as rows of word numbers.

processor = VocabularyProcessor(max_document_length=4)
x = np.array(list(processor.fit_transform(["the cat sat", "the dog"])))
# [[1, 2, 3, 0], [1, 4, 0, 0]]          0 is the unknown word, and fills up
"""

from __future__ import annotations

import pickle
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from minitf.library.formats.file_io import regular

_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+")


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yields the words of each document."""
    for text in iterator:
        yield _WORD.findall(text)


class CategoricalVocabulary:
    """Gives each category (word) a number, in the order of appearance.

    Args:
      unknown_token: the category with the number 0.
      support_reverse: keep what is needed to find a category by its number.
    """

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._support_reverse = support_reverse
        self._reverse_mapping = [unknown_token]
        self._freq: dict[Any, int] = defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Takes no more categories from here on, or takes them again."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The number of a category; a new one gets the next, or 0 when the vocabulary is frozen."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps what was counted more than `min_frequency` times, and renumbers, frequent first.

        Args:
          min_frequency: what was not counted more often goes.
          max_frequency: what was counted as often or more goes, too; -1 keeps it.
        """
        by_name = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        ranked = sorted(by_name, key=lambda item: -item[1])
        kept = [
            (category, count)
            for category, count in ranked
            if count > min_frequency and (max_frequency <= 0 or count < max_frequency)
        ]
        self._reverse_mapping = [self._unknown_token, *(category for category, _ in kept)]
        self._mapping = {category: i for i, category in enumerate(self._reverse_mapping)}
        self._freq = defaultdict(int, kept)

    def reverse(self, class_id: int) -> Any:
        """The category of a number.

        Raises:
          ValueError: when the vocabulary was made without support for it.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support "
                "reverse() function."
            )
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Turns documents into rows of word numbers.

    Args:
      max_document_length: the length of a row; longer documents are cut, shorter ones get zeros.
      min_frequency: words that are not more frequent are unknown.
      vocabulary: a `CategoricalVocabulary`; a new one by default.
      tokenizer_fn: from documents to lists of words.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of the documents; later ones are unknown."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """Yields a row [max_document_length] of int64 for each document."""
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            numbers = [self.vocabulary_.get(t) for t in tokens[: self.max_document_length]]
            row[: len(numbers)] = numbers
            yield row

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[np.ndarray]:
        """`fit`, then `transform`."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """Yields the words of each row as one text."""
        for row in documents:
            yield " ".join(str(self.vocabulary_.reverse(number)) for number in row)

    def save(self, filename: str) -> None:
        """Writes this processor to a file."""
        with open(filename, "wb") as file:
            pickle.dump(self, file)

    @classmethod
    def restore(cls, filename: str) -> Any:
        """Reads what `save` wrote. Such a file can hold any code: read only one's own."""
        with open(filename, "rb", opener=regular) as file:
            return pickle.load(file)
