"""The random words by which datasets put their elements in order."""

from minitf.library.input.data.random_words import Seeds, Words


def test_each_walk_begins_at_the_next_two_words_of_the_seeds() -> None:
    seeds = Seeds(3, 5, again=True)
    walks = [seeds.words().take(9) for _ in range(5)]
    pairs = Words(3, 5).take(10)
    assert walks == [Words(*pairs[2 * i : 2 * i + 2]).take(9) for i in range(5)]
    assert len({tuple(words) for words in walks}) == 5
