"""Compares what a program showed in TensorFlow 2.15 with what it showed in minitf.

minitf speaks TensorFlow 1.15. Where 2.15 only words the same fact in another way, `normalize_text`
brings both to one form, so that everything that is left is a difference in fact. Each rule below
says which of the two forms it removes.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

# Values may differ by rounding: the order of a float32 sum is the library's own affair.
RELATIVE = {
    "bfloat16": 1e-2,
    "float16": 4e-3,
    "float32": 2e-5,
    "complex64": 2e-5,
    "float64": 1e-9,
    "complex128": 1e-9,
}
ABSOLUTE = {
    "bfloat16": 1e-2,
    "float16": 1e-3,
    "float32": 3e-6,
    "complex64": 3e-6,
    "float64": 1e-12,
    "complex128": 1e-12,
}

_RULES: Sequence[tuple[str, str]] = (
    # 2.x puts a traceback round the message of a failed step.
    (r"\AGraph execution error:\n\n", ""),
    (r"\ADetected at node .*?\nNode: '[^\n]*'\n", ""),
    (r"Graph execution error:\n\nDetected at node .*?\nNode: '[^\n]*'\n", ""),
    (r"\n\nOriginal stack trace for .*\Z", ""),
    (r"\n\nErrors may have originated from an input operation\..*\Z", ""),
    # 2.x names the kernel before a message of eager execution, and the scope behind it.
    (r"\{\{function_node __wrapped__[^}]*\}\} ", ""),
    (r"(\[Op:\w+\]) name:.*", r"\1"),
    (r"(is not in the list of allowed values): .*?(?= \[Op:)", r"\1"),
    # The node named last: 2.x writes [[{{node x}}]], 1.x [[node x (defined at file:line) ]]; a plan
    # without _retval nodes cannot name one.
    (r"\s*\[\[\{\{node _retval_[^}]*\}\}\]\]", ""),
    (r"\s*\[\[(?:\{\{node ([^}\s]+)\}\}|node ([^\s\]]+)[^\]]*|([^\s\]{}]+))\]\]", r" [[\1\2\3]]"),
    # 1.x forgot the blank after the node in placement errors; the hint about CUDA came and went.
    (r"\{\{node ([^}]+)\}\} ?(was explicitly)", r"{{node \1}} \2"),
    (r" The requested device appears to be a GPU, but [^\[]*(?=\[\[|\Z)", " "),
    # Python 3.12 has other words for the methods that a class lacks, and TensorFlow runs on 3.11.
    (r"(Can't instantiate abstract class \w+) without an implementation for", r"\1 with"),
    *[(r"(Can't instantiate abstract class [\w ,]+)'(\w+)'", r"\1\2")] * 2,
    # A variable that is fetched is read by a node that only TensorFlow has.
    (r"(uninitialized value (\S+)) \[\[\2\]\]", r"\1"),
    # What a checkpoint lacks: minitf names the file as well.
    (r" \(file: [^)]*\)", ""),
    # What an op declares: minitf has its own way to write it down.
    (r"Op<name=(\w+?)(?:V[2-9])?;.*?>(?=; NodeDef|\Z)", r"Op<name=\1>"),
    # Shape errors: 2.x prints the whole node, 1.x the name and the op.
    (r"'\{\{node ([^}]+)\}\} = (\w+)\[.*?\]\([^)]*\)'", r"'\1' (op: '\2')"),
    # A size that is none: 2.15 does not name the node.
    (r"(Invalid value in tensor used for shape: -?\d+) for '.*", r"\1"),
    (r"(Cannot bitcast) from \d+ to \d+ (due to shape)", r"\1 \2"),
    # A place outside of a string: 1.15 shows the string.
    (r"(out of range for string) ?b'.*?'( at index)", r"\1\2"),
    # Ops whose second version 2.x uses for the same thing.
    (r"'(Add|BatchMatMul|Select)V[2-9]'", r"'\1'"),
    # An axis is an input in TensorFlow and an attribute here, so only its shape list has one more.
    (
        r"(\(op: '(?:Sum|Mean|Prod|Max|Min|All|Any|ArgMax|ArgMin|ConcatV2|ExpandDims|Transpose|"
        r"Split|SplitV|"
        r"GatherV2|Pad|Slice|Tile|Fill|Reshape)'\)) with input shapes: .*",
        r"\1",
    ),
    (r" and with (?:input tensors computed as partial shapes|computed input tensors): .*", ""),
    # A tensor inside a message: str in one version, repr in the other.
    (
        r"'?Tensor\(\"([^\"]+)\", shape=(\([^)]*\)), dtype=(\w+)\)'?",
        r"<tf.Tensor '\1' shape=\2 dtype=\3>",
    ),
    (r"'?Tensor\(\"([^\"]+)\", dtype=(\w+)\)'?", r"<tf.Tensor '\1' shape=<unknown> dtype=\2>"),
    (r"\bSymbolicTensor\b", "Tensor"),
    (r" \(graphs are <[^>]*> and <[^>]*>\)", ""),
    (r" at 0x[0-9a-f]+>", ">"),
    # Feeding and fetching.
    (
        r"Cannot feed value of shape (\(.*?\)) for Tensor ([^\s']+), which has shape "
        r"(\([^'\n]*\)|<unknown>)",
        r"Cannot feed value of shape \1 for Tensor '\2', which has shape '\3'",
    ),
    (r"Argument `fetch` = ", "Fetch argument "),
    (r"Fetch argument '([^']*)'", r"Fetch argument \1"),
    (
        r"has invalid type (?:\"(\w+)\"|<class '(?:[\w.]+\.)?(\w+)'>),? must be",
        r"has invalid type \1\2, must be",
    ),
    (
        r"has invalid type (?:\"NoneType\"\. Cannot be None|<class 'NoneType'>)",
        "has invalid type NoneType",
    ),
    (r"Length mismatch\. Passed (\d+) grad_ys", r"Passed \1 grad_ys"),
    (
        r"ConcatOp : Dimension \d+ in both shapes must be equal:",
        "ConcatOp : Dimensions of inputs should match:",
    ),
    (r"passed to the argument `feed_dict` with key", "passed to the feed with key"),
    (r"FlattenDictItems: 'dict' must be a dictionary .*", "input must be a dictionary"),
    (r"(Originally defined at:).*", r"\1"),
    # Python values that are no tensors.
    (
        r"Expected (\w+), (?:but )?got '?(.*?)'? of type '(\w+)'(?: instead)?",
        r"Expected \1, got \2 of type '\3'",
    ),
    (r"Expected Tensor's shape: (.*?), (?:but )?got", r"Expected Tensor's shape: \1, got"),
    (r"Takes at most (\d+), but got (\d+)", r"Needed at most \1, but received \2"),
    (
        r"Failed to convert (?:object of type <class '\w+'> to Tensor\. Contents: |elements of )"
        r"(.*?)(?: to Tensor)?\. Consider casting elements to a supported type.*",
        r"Failed to convert \1 to a tensor",
    ),
    (r"Using a symbolic `tf\.Tensor` as a Python `bool` is not allowed\..*", "<bool of a tensor>"),
    (r"using a `tf\.Tensor` as a Python `bool` is not allowed.*", "<bool of a tensor>"),
    (
        r"(?i)iterating over (?:a symbolic )?`tf\.Tensor` is not allowed.*",
        "<iterating over a tensor>",
    ),
    # Before 1.15 a tensor had no length, and programs ask whether it has one.
    (r"len is not well defined for a symbolic Tensor.*|object of type 'Tensor' has no.*", "no len"),
    (r"Cannot convert the argument `type_value`: (.*) to", r"Cannot convert value \1 to"),
    (r"Argument `axis` = (-?\d+) not in range \[", r"axis = \1 not in ["),
    (r"Cannot infer argument `num` from", "Cannot infer num from"),
    (r"Inputs must be an iterable of at least one", "inputs must be a list of at least one"),
    (r"(Invalid type tf\.\w+ for [^,]*), expected: .*", r"\1"),
    (r"not in list of allowed values: .*", "not in list of allowed values"),
    # Names, shapes and devices.
    (
        r"[`']([^`']*)[`'] is not a valid (node|root scope|scope) name.*",
        r"'\1' is not a valid name",
    ),
    (r"the length of shape with", "the length of Shape with"),
    (
        r"Incompatible shapes for broadcasting\. Two shapes are compatible if .*? "
        r"Received: (.*?) and (.*)",
        r"Incompatible shapes for broadcasting: \1 and \2",
    ),
    (
        r"Unknown attribute '([^']*)' is encountered while parsing the device spec: '([^']*)'",
        r"Unknown attribute: '\1' in '\2'",
    ),
    (
        r"Multiple device types are not allowed while parsing the device spec: (.*)",
        r"Cannot specify multiple device types: \1",
    ),
    (r"[ \t]+\n", "\n"),
    (r" {2,}", " "),
    (r"[.\s]+\Z", ""),
)
_COMPILED = [(re.compile(pattern, re.DOTALL), by) for pattern, by in _RULES]
_VERSION = re.compile(r"\A(Add|BatchMatMul|Select|MatrixDiag|MatrixDiagPart|MatrixSetDiag)V[2-9]\Z")


def normalize_text(text: str) -> str:
    """Brings a message of either library to one form; see `_RULES`."""
    for pattern, by in _COMPILED:
        text = pattern.sub(by, text)
    return text.strip()


def compare(wanted: Mapping[str, Any], got: Mapping[str, Any], rtol: float = 0.0) -> list[str]:
    """Compares two answers of `runner.run_case`.

    Args:
      wanted: what TensorFlow answered.
      got: what minitf answered.
      rtol: relative tolerance of floating values where it should be wider than the usual one.
    Returns: one readable line a difference, each beginning with the place; empty when they agree.
    """
    return list(_compare_answers(wanted, got, rtol))


def _compare_answers(
    wanted: Mapping[str, Any], got: Mapping[str, Any], rtol: float
) -> Iterator[str]:
    if wanted["error"] is not None:
        yield f"program: does not run in TensorFlow: {_brief(wanted['error'])}"
        return
    if got["error"] is not None:
        yield f"program: stops in minitf after {len(got['shown'])} results: {_brief(got['error'])}"
    for place, value in wanted["shown"].items():
        if place in got["shown"]:
            yield from _compare_values(place, value, got["shown"][place], rtol)
        elif got["error"] is None:
            yield f"{place}: minitf shows nothing here"
    for place in got["shown"]:
        if place not in wanted["shown"]:
            yield f"{place}: shown by minitf only"


def _compare_values(place: str, wanted: Any, got: Any, rtol: float) -> Iterator[str]:
    if wanted["kind"] != got["kind"]:
        yield f"{place}: TensorFlow gives {_brief(wanted)}, minitf {_brief(got)}"
        return
    kind = wanted["kind"]
    if kind == "array":
        yield from _compare_arrays(place, wanted, got, rtol)
    elif kind == "moments":
        yield from _compare_moments(place, wanted, got)
    elif kind == "exception":
        yield from _compare_exceptions(place, wanted, got)
    elif kind == "plain" and isinstance(wanted["value"], float) and isinstance(got["value"], float):
        nothing = math.isnan(wanted["value"]) and math.isnan(got["value"])
        if not nothing and not math.isclose(
            wanted["value"], got["value"], rel_tol=max(rtol, 1e-6), abs_tol=1e-9
        ):
            yield f"{place}: TensorFlow gives {wanted['value']!r}, minitf {got['value']!r}"
    elif "items" in wanted:
        yield from _compare_items(place, wanted["items"], got["items"], rtol)
    else:
        yield from _compare_fields(place, wanted, got)


def _compare_items(place: str, wanted: Any, got: Any, rtol: float) -> Iterator[str]:
    if len(wanted) != len(got):
        missing = [_brief(item) for item in wanted if item not in got]
        extra = [_brief(item) for item in got if item not in wanted]
        yield (
            f"{place}: TensorFlow gives {len(wanted)} items, minitf {len(got)}; "
            f"missing {missing}, too many {extra}"
        )
        return
    for i, (one, other) in enumerate(zip(wanted, got, strict=True)):
        if isinstance(one, list):  # of a dict: key and value
            if one[0] != other[0]:
                yield f"{place}: key {i} is {one[0]!r} in TensorFlow, {other[0]!r} in minitf"
                continue
            yield from _compare_values(f"{place}[{one[0]!r}]", one[1], other[1], rtol)
        else:
            yield from _compare_values(f"{place}[{i}]", one, other, rtol)


def _compare_fields(place: str, wanted: Mapping[str, Any], got: Mapping[str, Any]) -> Iterator[str]:
    for field, value in wanted.items():
        other = got.get(field)
        if field == "op":
            value, other = _VERSION.sub(r"\1", value), _VERSION.sub(r"\1", str(other))
        if type(value) is not type(other) or value != other:
            yield f"{place}: {field} is {value!r} in TensorFlow, {other!r} in minitf"


def _compare_exceptions(
    place: str, wanted: Mapping[str, Any], got: Mapping[str, Any]
) -> Iterator[str]:
    for field in ("type", "base", "code"):
        if wanted.get(field) != got.get(field):
            yield (
                f"{place}: the exception's {field} is {wanted.get(field)} in TensorFlow, "
                f"{got.get(field)} in minitf ({got['message']!r})"
            )
            return
    one, other = normalize_text(wanted["message"]), normalize_text(got["message"])
    if one != other:
        yield f"{place}: messages differ\n    TensorFlow: {one!r}\n    minitf:     {other!r}"


def _compare_arrays(
    place: str, wanted: Mapping[str, Any], got: Mapping[str, Any], rtol: float
) -> Iterator[str]:
    for field in ("dtype", "shape", "scalar"):
        if wanted[field] != got[field]:
            yield f"{place}: {field} is {wanted[field]} in TensorFlow, {got[field]} in minitf"
            return
    dtype = wanted["dtype"]
    if dtype == "string" or dtype not in RELATIVE:
        if wanted["data"] != got["data"]:
            yield f"{place}: TensorFlow gives {wanted['data']}, minitf {got['data']}"
        return
    one = np.asarray(wanted["data"], np.float64)
    other = np.asarray(got["data"], np.float64)
    near = np.isclose(
        other, one, rtol=max(rtol, RELATIVE[dtype]), atol=max(rtol, ABSOLUTE[dtype]), equal_nan=True
    )
    if not near.all():
        at = tuple(int(i) for i in np.argwhere(~np.atleast_1d(near))[0])
        yield (
            f"{place}: {int((~near).sum())} of {near.size} values differ, first at {at}: "
            f"{np.atleast_1d(one)[at]!r} in TensorFlow, {np.atleast_1d(other)[at]!r} in minitf"
        )


def _compare_moments(
    place: str, wanted: Mapping[str, Any], got: Mapping[str, Any]
) -> Iterator[str]:
    """Two samples of one distribution: the generators differ, so only moments can agree.

    Limits are five standard errors of a difference of means, and a twentieth of the deviation. The
    ends are the outermost hundredths, not the extremes: of two fair samples of 10,000 normal numbers
    one pair in forty has maxima that lie a deviation apart, while these differ by a twentieth of it.
    """
    count, deviation = wanted["count"], wanted["deviation"]
    if count != got["count"]:
        yield f"{place}: {count} numbers in TensorFlow, {got['count']} in minitf"
        return
    error = 5 * deviation * math.sqrt(2 / count)
    if abs(wanted["mean"] - got["mean"]) > error + 1e-12:
        yield (
            f"{place}: the mean is {wanted['mean']:.5g} in TensorFlow, {got['mean']:.5g} in minitf"
        )
    if abs(deviation - got["deviation"]) > deviation / 20 + error / 2:
        yield (
            f"{place}: the deviation is {deviation:.5g} in TensorFlow, "
            f"{got['deviation']:.5g} in minitf"
        )
    for end in ("low", "high"):
        if abs(wanted[end] - got[end]) > max(deviation, error):
            yield (
                f"{place}: the {end} end is {wanted[end]:.5g} in TensorFlow, {got[end]:.5g} in "
                "minitf"
            )


def _brief(encoded: Any) -> str:
    """Returns an encoded value as a short text for a message."""
    if not isinstance(encoded, dict):
        return repr(encoded)[:80]
    if encoded["kind"] == "plain":
        return repr(encoded["value"])[:200]
    if encoded["kind"] == "exception":
        return f"{encoded['type']}: {encoded['message'].strip()[:1000]}"
    if encoded["kind"] == "array":
        return f"an array {encoded['dtype']}{encoded['shape']} = {str(encoded['data'])[:80]}"
    rest = {k: v for k, v in encoded.items() if k != "kind"}
    return f"{encoded['kind']} {str(rest)[:160]}"
