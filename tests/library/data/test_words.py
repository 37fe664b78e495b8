"""The random words by which datasets put their elements in order."""

from minitf.library.input.data.words import Seeds, Words


def test_each_walk_begins_at_the_next_two_words_of_the_seeds() -> None:
    seeds = Seeds(3, 5, again=True)
    walks = [seeds.words().take(9) for _ in range(5)]
    pairs = Words(3, 5).take(10)
    assert walks == [Words(*pairs[2 * i : 2 * i + 2]).take(9) for i in range(5)]
    assert len({tuple(words) for words in walks}) == 5


def test_words_and_walks_go_on_from_any_place() -> None:
    wanted = Words(1, 2).take(3000)
    for drawn in (7, 8, 1023, 1024):
        assert Words(1, 2, drawn).take(50) == wanted[drawn : drawn + 50]
    seeds, later = Seeds(1, 2, again=True), Seeds(1, 2, again=True)
    walks = [seeds.words().take(3) for _ in range(4)]
    later.resume(3)
    assert later.words().take(3) == walks[3]
    assert later.walks == seeds.walks == 4
