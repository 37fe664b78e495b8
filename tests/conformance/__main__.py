"""Prints the differences of the cases whose names hold one of the given words.

python -m tests.conformance [--oracle] [word ...]
python -m tests.conformance --keep

--oracle shows what TensorFlow answers instead, and does not import minitf. --keep brings the kept
answers up to date.
"""

import argparse
import collections
import importlib
import json
import tempfile
from pathlib import Path

from .answers import Answers
from .cases import all_cases
from .check import differences
from .oracle import Oracle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of case names; none means all")
    parser.add_argument("--oracle", action="store_true", help="show TensorFlow's answers")
    parser.add_argument("--keep", action="store_true", help="bring the kept answers up to date")
    arguments = parser.parse_args()
    if arguments.keep:
        with Oracle() as oracle:
            print(f"Asked TensorFlow about {Answers().update(all_cases(), oracle)} cases.")
        return
    words = arguments.words or [""]
    cases = [case for case in all_cases() if any(word in case.name for word in words)]
    if not arguments.oracle:
        library = importlib.import_module("minitf")
    agree: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    with Oracle() as oracle:
        for case in cases:
            if arguments.oracle:
                with tempfile.TemporaryDirectory() as room:
                    answer = oracle.ask(case.source, str(Path(room, "folder")))
                print(f"== {case.name}")
                for place, value in answer["shown"].items():
                    print(f"  {place}: {json.dumps(value)[:400]}")
                if answer["error"]:
                    print(f"  ERROR {answer['error']['type']}: {answer['error']['message']}")
                continue
            found = differences(case, oracle, library)
            count = agree[case.name.split("/")[0]]
            count[0] += not found
            count[1] += 1
            if found:
                print(f"== {case.name}")
                for line in found:
                    print(f"  {line}")
    for family, (good, all_of_them) in agree.items():
        print(f"{family}: {good} of {all_of_them} agree")


if __name__ == "__main__":
    main()
