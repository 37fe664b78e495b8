"""What `python -m minitf` gives back of Python's own older names."""

import subprocess
import sys

PROGRAM = """
import base64, collections, fractions, inspect, random, threading, time
import cPickle
print([n for n in xrange(2)], cPickle.loads(cPickle.dumps(1)), {1: 2}.has_key(1))
print(list({1: 2}.iteritems()), isinstance("a", basestring))
print(isinstance([], collections.Iterable), issubclass(dict, collections.Mapping))
print(inspect.getargspec(lambda a, b=1, *c: 0).args, fractions.gcd(12, 18))
print(time.clock() >= 0, threading.current_thread().isAlive())
print(base64.decodestring(base64.encodestring(b"x")), sorted(random.sample({1, 2}, 2)))
"""


def test_programs_of_their_day_find_names_that_python_dropped() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "minitf", "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "[0, 1] 1 True",
        "[(1, 2)] True",
        "True True",
        "['a', 'b'] 6",
        "True True",
        "b'x' [1, 2]",
    ]


def test_minitf_alone_changes_nothing_in_python() -> None:
    program = "import minitf, collections; print(hasattr(collections, 'Iterable'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"
