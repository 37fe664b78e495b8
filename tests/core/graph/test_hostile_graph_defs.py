"""A graph that comes as data may come from anyone: no text in it runs, wherever it stands."""

import json
import os
import random
from collections import Counter
from typing import Any

import pytest

import minitf as tf
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import all_op_defs
from minitf.core.runtime.emit.draft import remark
from minitf.core.runtime.plan.partition import partition
from minitf.core.runtime.plan.plan import Host, Plan
from minitf.core.runtime.plan.subgraph import prune
from minitf.core.runtime.run.devices import make_devices
from minitf.core.runtime.run.resources import ResourceManager
from minitf.core.runtime.session.config import ConfigProto
from tests import hostile

SEED = 20
#: what may come of a hostile graph: a refusal with one of these, as in TensorFlow
REFUSALS = (ValueError, tf.errors.NotFoundError)


# ---- the canary sings where it should ----------------------------------------------------


def test_the_canary_hears_a_name_that_becomes_a_statement() -> None:
    with hostile.Canary() as canary:
        exec("def step():\n    x = 1  # a\n    canary()\n")  # noqa: S102
        assert canary.calls == 0
        exec("def step():\n    x = 1  # a\n    canary()\nstep()")  # noqa: S102
        assert canary.calls == 1
    assert hostile.calls_canary("x = 1  # a\ncanary()\n")
    assert not hostile.calls_canary("x = 1  # a canary()\n")


# ---- graphs as data ----------------------------------------------------------------------


def _import(data: Any, feeds: dict) -> str:
    """Imports and runs a graph; returns what came of it."""
    try:
        text = json.dumps(data)
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(text, name="")
    except REFUSALS as error:
        return f"refused with {type(error).__name__}"
    if not graph.get_operations():
        return "imported nothing"
    options = tf.RunOptions(timeout_in_ms=2000)
    with tf.Session(graph=graph) as sess:
        known = {t.name: t for op in graph.get_operations() for t in op.outputs}
        fetches = [t for t in known.values() if t.dtype.name not in ("resource", "variant")]
        operations = [op for op in graph.get_operations() if not op.outputs]
        given = {known[name]: value for name, value in feeds.items() if name in known}
        try:
            sess.run([fetches, operations], given, options)
        except tf.errors.DeadlineExceededError:
            return "hung"
        except (tf.errors.InternalError, tf.errors.UnknownError) as error:
            return f"ran into {type(error).__name__}: {error}"[:300]
        except (tf.errors.OpError, ValueError, TypeError):
            return "imported, and failed"
    return "ran"


def _walk(graphs: list, places: int, rounds: int, rng: random.Random) -> Counter:
    """Puts hostile values into some places of each graph; returns how often what came of it."""
    found: Counter = Counter()
    values = hostile.hostile_values(rng)
    for name, graph, feeds in graphs:
        data = json.loads(graph.as_graph_def(add_shapes=True, add_types=True).to_json())
        for _ in range(rounds):
            for path in hostile.chosen_places(data, rng, places):
                bad = hostile.replaced(data, path, next(values))
                try:
                    found[_import(bad, feeds)] += 1
                except Exception as error:
                    found[f"{name} {path}: {type(error).__name__}: {error}"[:300]] += 1
    return found


def _wrong(found: Counter) -> list[str]:
    return [each for each in found if not each.startswith(("refused", "imported", "ran")) or
            each.startswith("ran into")]  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_text_of_any_graph_runs() -> None:
    graphs = hostile.sample_graphs() + hostile.program_graphs()
    with hostile.Canary() as canary:
        found = _walk(graphs, 6, 1, random.Random(SEED))
        assert canary.calls == 0
    assert not _wrong(found), "\n".join(_wrong(found))
    assert found["ran"] > 50 and found["refused with ValueError"] > 500, found


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_text_of_a_hundred_thousand_graphs_runs() -> None:
    """MINITF_HOSTILE says how many graphs: docs/security.md has the figures of a long run."""
    wanted = int(os.environ.get("MINITF_HOSTILE", "5000"))
    graphs = hostile.sample_graphs() + hostile.program_graphs()
    rng, found = random.Random(SEED + 1), Counter[str]()
    with hostile.Canary() as canary:
        while found.total() < wanted:
            found += _walk(graphs, 40, 1, rng)
        assert canary.calls == 0
    print(found.most_common(8))  # noqa: T201
    assert not _wrong(found), "\n".join(_wrong(found))


def test_no_text_of_a_meta_graph_runs() -> None:
    _, graph, _ = hostile.program_graphs()[0]
    with graph.as_default():
        tf.train.string_input_producer(["a"])
        data = tf.train.export_meta_graph(saver_def=tf.train.Saver().as_saver_def()).to_dict()
    data = json.loads(json.dumps(data))
    rng = random.Random(SEED + 3)
    values, found = hostile.hostile_values(rng), Counter[str]()
    every = [path for path in hostile.places(data) if path[0] != "graph_def"]
    with hostile.Canary() as canary:
        for path in rng.sample(every, 100):
            text = json.dumps(hostile.replaced(data, path, next(values)))
            with tf.Graph().as_default():
                try:
                    message = tf.MetaGraphDef.FromString(text.encode())
                    tf.train.import_meta_graph(message)
                    found["imported"] += 1
                except (
                    *REFUSALS,
                    KeyError,
                ) as error:  # KeyError: a collection names what is not there
                    found[type(error).__name__] += 1
        assert canary.calls == 0
    assert found["ValueError"] > 30, found
    with pytest.raises(ValueError, match="nested too deeply"):
        tf.MetaGraphDef.FromString(b'{"a": ' * 100_000)


# ---- the grammar -------------------------------------------------------------------------


def _node(**fields: Any) -> str:
    return json.dumps({"node": [{"name": "a", "op": "NoOp", **fields}]})


@pytest.mark.parametrize(
    "name",
    ["a b", "a\nb", "_a", "", "a#b", "/a", "-a", ">a", "a\\b", "a:0", "^a", "\u00e9", "a\n", "a>",
     "a>>b", "a\u2028", "a\0"],
)  # fmt: skip
def test_a_node_has_a_name_of_tensorflows_grammar(name: str) -> None:
    with pytest.raises(ValueError, match="Node name contains invalid characters") as info:
        tf.import_graph_def(_node(name=name))
    assert str(info.value) == f"Node '{name}': Node name contains invalid characters"


@pytest.mark.parametrize("name", ["a>b", "a/", "a//b", "0.x", ".", "a" * 5000])
def test_odd_names_that_tensorflow_takes(name: str) -> None:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(_node(name=name), name="")
    assert [op.name for op in graph.get_operations()] == [name]


@pytest.mark.parametrize(
    "source",
    ["a b", "^", "^a b", "a:x", "a:-1", ":0", "a:0:0", "^a:0", "_a", "", "^^a", "a\n", "a:\u0661"],
)
def test_an_input_is_written_as_tensorflow_writes_it(source: str) -> None:
    nodes = json.loads(_node())["node"] + [{"name": "b", "op": "Identity", "input": [source]}]
    with pytest.raises(ValueError) as info:
        tf.import_graph_def(json.dumps({"node": nodes}))
    assert str(info.value) == f"Node 'b': Unknown input node '{source}'"


@pytest.mark.parametrize(
    ("device", "text"),
    [
        (
            "garbage",
            "Unknown attribute 'garbage' is encountered while parsing the device spec: 'garbage'.",
        ),
        ("/job:ps/task:x", "invalid literal for int() with base 10: 'x'"),
        ("/job:ps\nx", "Malformed device specification '/job:ps\nx' in node: a"),
        ("/job:a b/task:0", "Malformed device specification '/job:a b/task:0' in node: a"),
        ("/task:-1", "Malformed device specification '/task:-1' in node: a"),
        ("/device:C\nPU:0", "Malformed device specification '/device:C\nPU:0' in node: a"),
    ],
)
def test_a_device_is_one_that_could_be(device: str, text: str) -> None:
    with pytest.raises(ValueError) as info:
        tf.import_graph_def(_node(device=device))
    assert str(info.value) == text


def test_a_device_is_kept_in_its_canonical_form() -> None:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(_node(device="/gpu:1"), name="")
    assert graph.get_operation_by_name("a").device == "/device:GPU:1"


@pytest.mark.parametrize(
    ("attr", "text"),
    [
        ({"dtype": {"type": "DT_NOPE"}}, "AttrValue has invalid DataType enum: DT_NOPE"),
        ({"dtype": {"type": "f4,f4"}}, "AttrValue has invalid DataType enum: f4,f4"),
        ({"dtype": {"type": "DT_FLOAT"}, "shape": {"shape": {"dim": [{"size": "2"}]}}},
         "The size of a dimension must be a whole number from -1 "),
        ({"dtype": {"type": "DT_FLOAT"}, "shape": {"shape": {"dim": [{"size": -2}]}}},
         "The size of a dimension must be a whole number from -1 "),
        ({"dtype": {"type": "DT_FLOAT"}, "shape": {"shape": {"dim": [{"size": True}]}}},
         "The size of a dimension must be a whole number from -1 "),
        ({"dtype": {"i": 1}}, "AttrValue had value with type 'int' when 'type' expected\n\t "
         "for attr 'dtype'\n\t; NodeDef: {{node a}}; Op<name=Placeholder;"),
        ({"dtype": {"type": "DT_FLOAT"}, "bogus": {"i": 1}},
         "NodeDef mentions attr 'bogus' not in Op<name=Placeholder;"),
        ({"dtype": {"type": "DT_FLOAT"}, "_a\nb": {"i": 1}}, "is no name of an attribute"),
        ({}, "NodeDef missing attr 'dtype' from Op<name=Placeholder;"),
        ({"dtype": {"type": "DT_FLOAT"}, "_class": {"list": [{"s": "loc:@zz\n"}]}},
         "Node 'a' expects to be colocated with unknown node"),
    ],
)  # fmt: skip
def test_an_attribute_is_of_its_kind(attr: dict, text: str) -> None:
    with pytest.raises(ValueError) as info:
        tf.import_graph_def(_node(op="Placeholder", attr=attr))
    assert text in str(info.value)


@pytest.mark.parametrize("op", ["Nope", "_Arg", "_Send", "_Fused", "NoOp\nimport os"])
def test_a_type_is_one_that_a_program_may_use(op: str) -> None:
    with pytest.raises(tf.errors.NotFoundError) as info:
        tf.import_graph_def(_node(op=op))
    assert info.value.message.startswith(f"Op type not registered '{op}' in binary running on ")


def test_functions_and_lists_may_be_nested_as_deep_as_python_goes() -> None:
    inner = {"name": "f", "input_arg": [], "captured": 0}
    function = f'{{"func": {{"signature": {json.dumps(inner)}, "ret": [], "node_def": '
    for form in ('{"list": [', function + '[{"name": "a", "op": "NoOp", "attr": {"b": '):
        with pytest.raises(ValueError):
            tf.import_graph_def(
                '{"node": [{"name": "a", "op": "NoOp", "attr": {"a": ' + form * 10_000
            )


# ---- graphs of this process, with names that no check has seen ------------------------------


def _rename(graph: tf.Graph, rng: random.Random) -> None:
    """Gives every operation of a graph, and of its functions, a hostile name."""
    for op in graph.get_operations():
        text = rng.choice(hostile.TEXTS)
        op.name = f"{text.lstrip('^')}{len(op.name)}"  # with a ^ it would be a control edge
        for value in op.attrs.values():
            if isinstance(value, FuncGraph):
                _rename(value, rng)


def _plan(graph: tf.Graph, feeds: list, traced: bool, split: bool, rng: Any = None) -> Plan:
    """The plan of a whole graph, on one device or on two.

    Args:
      rng: chooses hostile texts for what sends and receives; None leaves them as they are.
    """
    devices = {d.name: d for d in make_devices(ConfigProto(device_count={"CPU": 2}))}
    operations = graph.get_operations()
    fetches = [t for op in operations for t in op.outputs if not t.dtype._is_ref_dtype]
    nodes = prune(fetches, [op for op in operations if not op.outputs], feeds)
    names = list(devices)
    for index, node in enumerate(nodes):
        types = [*node.dtypes, *(source.dtypes[i] for source, i in node.inputs)]
        free = not any(t._is_ref_dtype or t.numpy_dtype.kind == "O" for t in types)
        node.device = names[index % 2 if split and free and "_class" not in node.attrs else 0]
    parts = partition(nodes, key=lambda device: device)
    texts: dict[str, str] = {}
    for node in [n for part in parts.values() for n in part if n.type in ("_Send", "_Recv")]:
        if rng is not None:
            for key in ("tensor_name", "send_device", "recv_device"):
                old = node.attrs[key]
                texts.setdefault(old, f"{old}{rng.choice(hostile.TEXTS)}{len(texts)}")
                node.attrs[key] = texts[old]
    return Plan(parts, Host(devices, ResourceManager()), len(fetches), traced)


@pytest.mark.parametrize(("traced", "split"), [(False, False), (True, True), (False, True)])
def test_a_program_is_the_same_but_for_names(traced: bool, split: bool) -> None:
    rng = random.Random(SEED + 2)
    graphs = hostile.program_graphs() + (hostile.sample_graphs() if not traced else [])
    with hostile.Canary() as canary:
        for name, graph, values in graphs:
            feeds = [graph.get_tensor_by_name(each) for each in values]
            good = _plan(graph, feeds, traced, split)
            _rename(graph, rng)
            bad = _plan(graph, feeds, traced, split, rng)
            for before, after in zip(good.programs, bad.programs, strict=True):
                assert len(before.source.splitlines()) == len(after.source.splitlines()), name
                assert all(line.isprintable() for line in after.source.splitlines()), name
                assert max(map(len, after.source.splitlines())) < 20_000, name
                assert hostile.shape_of_program(before.source) == (
                    hostile.shape_of_program(after.source)
                ), name
                assert not hostile.calls_canary(after.source), name
        assert canary.calls == 0


def test_a_remark_is_one_printable_line_of_bounded_length() -> None:
    for text in hostile.TEXTS:
        line = remark(text)
        assert line.startswith("# ") and line.isprintable() and len(line) < 1100 * 6
        assert len(line.splitlines()) == 1
    assert remark("W:0 to /job:ps/task:0") == "# W:0 to /job:ps/task:0"


# ---- what reaches beyond the graph -----------------------------------------------------------


def test_operations_say_what_they_reach() -> None:
    hostile.sample_graphs()
    reaching = {d.type: d.reaches for d in all_op_defs() if d.reaches}
    assert {k for k, v in reaching.items() if v == "python"} == {
        "PyFunc", "EagerPyFunc", "GeneratorDataset"}  # fmt: skip
    assert {k for k, v in reaching.items() if v != "python"} == {
        "CacheDataset", "DatasetToTFRecord", "ExperimentalCSVDataset",
        "FixedLengthRecordDatasetV2", "FixedLengthRecordReaderV2",
        "InitializeTableFromTextFileV2", "MatchingFiles",
        "MergeV2Checkpoints", "PrintV2", "ReadFile", "RestoreV2", "SaveV2",
        "TFRecordDataset",
        "TFRecordReaderV2", "TextLineDataset", "TextLineReaderV2",
        "WholeFileReaderV2", "WriteFile"}  # fmt: skip
    printed = next(d for d in all_op_defs() if d.type == "PrintV2")
    assert printed.reach({"output_stream": "file:///tmp/x"}) == "files"
    assert printed.reach({"output_stream": "stderr"}) == ""
