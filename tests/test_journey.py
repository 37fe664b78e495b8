"""The journey is a week long, and shows the programs and passes as they are today."""

import re

import pytest

import minitf as tf
from scripts import size
from scripts.show_passes import BEGIN, END, PAGE, PROGRAMS, ROOT, page
from tests.compiled import whole_project

JOURNEY = (ROOT / "docs/journey.md").read_text()
WEEK, AFTER = JOURNEY.split("## After the week")
DAYS = re.split(r"^## Day \d: .*$", WEEK, flags=re.MULTILINE)[1:]
FILE = re.compile(r"`((?:minitf|examples)/[\w/]+\.py)`")


@whole_project
def test_the_page_shows_what_each_pass_does() -> None:
    text = PAGE.read_text()
    assert text.count(BEGIN) == text.count(END) == 1
    assert page(text) == text, "python scripts/show_passes.py writes it anew"
    for name in (name for program in PROGRAMS for name in program.passes):
        assert f"\n`{name}` (minitf/" in text, f"{name} no longer changes its program"


def test_the_week_has_seven_days_of_about_ten_thousand_lines() -> None:
    assert len(DAYS) == 7
    files = [file for day in DAYS for file in FILE.findall(day)]
    assert len(files) == len(set(files)), "a file has one day"
    assert 42 <= len(files) <= 55
    assert all(file.startswith("minitf/core/") for file in files[2:]), "after two others"
    code = [sum(size.measure(ROOT / file).code for file in FILE.findall(day)) for day in DAYS]
    assert 8_000 < sum(code) <= 10_000, code
    assert max(code) < 2_200, code


@pytest.mark.parametrize("day", DAYS, ids=range(1, 8))
def test_a_day_names_functions_of_its_files(day: str) -> None:
    code = "\n".join((ROOT / file).read_text() for file in FILE.findall(day))
    made = set(re.findall(r"^ *(?:def|class) (\w+)", code, re.MULTILINE))
    assert set(re.findall(r"`(_\w+)", day)) <= made


def test_the_program_of_the_fifth_day_is_the_one_that_runs() -> None:
    (shown,) = re.findall(r"```python\n(# /job.*?)```", DAYS[4], re.DOTALL)
    (example,) = re.findall(r"```python\n(b = .*?)\nwith", JOURNEY, re.DOTALL)
    with tf.Graph().as_default():
        names: dict = {"tf": tf}
        exec(example, names)
        with tf.Session(config=tf.ConfigProto(device_count={"GPU": 0})) as sess:
            told = str(sess.explain(names["a"], [names["b"], names["c"]]))
    assert shown.strip() in told


def test_the_loop_of_the_seventh_day_is_the_one_that_runs() -> None:
    (shown,) = re.findall(r"```python\n(    i_1.*?)```", DAYS[6], re.DOTALL)
    with tf.Graph().as_default():
        x, limit = tf.placeholder(tf.float32, [], "x"), tf.placeholder(tf.int32, [], "limit")
        first = (tf.constant(0, name="while_Const"), tf.constant(1.0, name="while_Const_1"))
        turn = tf.while_loop(lambda i, a: i < limit, lambda i, a: (i + 1, a * x), first)
        with tf.Session(config=tf.ConfigProto(device_count={"GPU": 0})) as sess:
            told = str(sess.explain(turn, [x, limit]))
    if shown.strip() not in told:
        pytest.fail(told)
