"""Which code of minitf/ is reached from what people use, and which is not.

    roots     names and methods that published programs use (docs/coverage.tsv, docs/methods.txt),
              lessons, sheets, examples, benchmarks, widgets, scripts, tests/programs, tests/talks;
              all of minitf/fast and of the `tensorflow` alias; what scripts/reach_kept.txt lists
       |
    closure   a definition reaches each name in its body, by way of imports; a method is reached
       |      when its class is and any reached code names it; a text such as "MatMul" reaches the
       v      operation of that type
    report    the reached share of the code lines

A function counts as a whole when one of its branches is reached, and a method is kept by its name
alone, so the share is an upper bound. The closure does not see names that are computed, nor what
another package calls back: such definitions stand in scripts/reach_kept.txt, each with a reason.

    python scripts/reach.py             prints the share; exit status 1 below 95 %
    python scripts/reach.py --list      prints each definition that is not reached, too
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from minitf.library.platform.namespaces import Book  # noqa: E402
from scripts import coverage, size  # noqa: E402

ENOUGH = 0.95
KEPT = ROOT / "scripts/reach_kept.txt"
METHODS = ROOT / "docs/methods.txt"

#: Where people's code stands, beside the notebooks.
PROGRAMS = (
    "examples/**/*.py",
    "widgets/minitf_widgets/**/*.py",
    "tests/programs/*.py",
    "tests/talks/*.py",
    "bench/**/*.py",
    "scripts/*.py",
)
#: Modules that are reached whole: they register themselves, or answer the alias.
ALWAYS = (
    "minitf.fast",
    "minitf.compat.tensorflow",
    "minitf.core.ops.operators",
    "minitf.library.platform.notebook",
    "minitf.library.platform.hints",
)
WHOLE = ("minitf", "minitf.__main__")
#: Modules whose texts name operations in order to translate them, not to use them.
TRANSLATORS = (
    "minitf.library.saving.tensorflow_",
    "minitf.library.saving.switch_and_merge",
    "minitf.library.formats.graph_message",
    "minitf.core.graph.importer",
)
#: Modules whose tables list definitions by name; to stand in one is not to be used.
TABLES = (
    "minitf.library.saving.tensorflow_composed",
    "minitf.library.sparse.ragged_rules",
    "minitf.compat.tensorflow.old_cells",
    "minitf.compat.tensorflow.old_distributions",
    "minitf.compat.tensorflow.old_keras",
    "minitf.compat.tensorflow.old_learn",
    "minitf.compat.tensorflow.old_losses",
    "minitf.compat.tensorflow.old_recurrent",
    "minitf.compat.tensorflow.old_tensorflow",
    "minitf.compat.tensorflow.package_changes",
    "minitf.compat.contrib.inception",
)
#: Calls whose texts name attributes: getattr(x, "name"), and calls that a cluster's tasks make.
CALLS_BY_NAME = {
    *("getattr", "hasattr", "setattr", "attrgetter", "methodcaller"),
    *("_call", "call", "begin"),
}
#: Modules that assign tables and objects whose first text looks like an operation's type.
NO_OPERATIONS = (
    "minitf.compat",
    "minitf.library.distributions",
    "minitf.library.distribute",
    "minitf.library.keras",
)
_TYPE = re.compile(r"[A-Z_][A-Za-z0-9_>]*")

CELL = "\n# next cell\n"
Key = tuple[str, str]  # a module, and the name of a definition in it ("Class.method" for a method)


@dataclasses.dataclass(eq=False)
class Definition:
    """A function, class, method or assigned name at the top of a module, with what it names."""

    module: str
    name: str
    kind: str  # "function", "class", "method", "assignment" or "statement"
    lines: set[int]  # of code; those of a class are without its methods'
    names: set[str] = dataclasses.field(default_factory=set)
    chains: set[tuple[str, ...]] = dataclasses.field(default_factory=set)  # of a.b.c
    attributes: set[str] = dataclasses.field(default_factory=set)
    texts: set[str] = dataclasses.field(default_factory=set)
    decorators: list[ast.expr] = dataclasses.field(default_factory=list)

    @property
    def key(self) -> Key:
        """What the closure knows it by."""
        return self.module, self.name

    @property
    def owner(self) -> Key:
        """The class of a method."""
        return self.module, self.name.partition(".")[0]

    def read(self, nodes: Iterable[ast.AST]) -> None:
        """Takes down what a piece of code names."""
        for node in (inner for outer in nodes for inner in ast.walk(outer)):
            if isinstance(node, ast.Name):
                self.names.add(node.id)
            elif isinstance(node, ast.Attribute):
                self.attributes.add(node.attr)
                self.chains |= {tuple(chain)} if (chain := _chain(node)) else set()
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.texts.add(node.value)
            if isinstance(node, ast.Call) and _called(node) in CALLS_BY_NAME:
                for text in (each.value for each in node.args if isinstance(each, ast.Constant)):
                    self.attributes |= set(text.split(".")) if isinstance(text, str) else set()

    def merge(self, other: Definition) -> None:
        """Takes in a second definition of one name: a property's setter, a name assigned twice."""
        for field in ("lines", "names", "chains", "attributes", "texts"):
            getattr(self, field).update(getattr(other, field))


def _chain(node: ast.expr) -> list[str]:
    """a.b.c as its three names; empty when it does not begin with a name."""
    if isinstance(node, ast.Name):
        return [node.id]
    inner = _chain(node.value) if isinstance(node, ast.Attribute) else []
    return [*inner, node.attr] if inner else []


def _subjects_of(decorator: ast.expr) -> list[str]:
    """What a function belongs to: x under `@x.gradient`, both under `@register(x, y)`."""
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    first, *rest = _chain(call) or [""]
    given = decorator.args if isinstance(decorator, ast.Call) else []
    return ([first] if rest else []) + [each.id for each in given if isinstance(each, ast.Name)]


def _called(call: ast.Call) -> str:
    function = call.func
    return getattr(function, "id", getattr(function, "attr", ""))


class Module:
    """One file: its definitions, its imports, and the statements that run when it is imported."""

    def __init__(self, path: Path) -> None:
        parts = path.relative_to(ROOT).with_suffix("").parts
        self.path = path
        self.is_package = path.name == "__init__.py"
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        text = path.read_text()
        self.code = size.code_lines(text)
        self.definitions: dict[str, Definition] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        self.all_of: list[str] = []  # modules of `from module import *`
        self.operations: dict[str, set[Key]] = defaultdict(set)  # by type
        self.subjects: dict[str, set[str]] = {}  # by statement, what it is about
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                self.imports |= {
                    a.asname or a.name: (node.module or "", a.name) for a in node.names
                }
                self.all_of += [node.module or "" for a in node.names if a.name == "*"]
            elif isinstance(node, ast.Import):
                self.imports |= {a.asname: (a.name, "") for a in node.names if a.asname}
                self.imports |= {
                    a.name.split(".")[0]: (a.name.split(".")[0], "")
                    for a in node.names
                    if not a.asname
                }
        #: What runs when the module is imported, and names nothing that it defines.
        self.top = Definition(self.name, "", "statement", set())
        statements: list[ast.stmt] = []
        self._read(tree.body, statements)
        for node in statements:
            self._read_statement(node)
        owned = [each.lines for each in self.definitions.values()]
        self.top.lines = self.code.difference(*owned)

    def _definition(self, name: str, kind: str, nodes: list, around: Any = None) -> Definition:
        lines = self._lines(around) if around is not None else set()
        found = Definition(self.name, name, kind, lines)
        found.read(nodes)
        found.decorators = getattr(around, "decorator_list", [])
        if name in self.definitions:
            self.definitions[name].merge(found)
            return self.definitions[name]
        return found

    def _lines(self, node: Any) -> set[int]:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        return self.code.intersection(range(first, node.end_lineno + 1))

    def _read(self, body: list[ast.stmt], statements: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = node.name
                self.definitions[name] = self._definition(name, "function", [node], node)
                self._declare(name, node.decorator_list)
            elif isinstance(node, ast.ClassDef):
                self._read_class(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and (names := _assigned(node)):
                for name in names:
                    self.definitions[name] = self._definition(name, "assignment", [node], node)
                    if node.value is not None and not self.name.startswith(NO_OPERATIONS):
                        self._declare(name, ast.walk(node.value))
            elif isinstance(node, ast.If | ast.Try | ast.With):
                for inside in ("body", "orelse", "finalbody"):
                    self._read(getattr(node, inside, []), statements)
                for handler in getattr(node, "handlers", []):
                    self._read(handler.body, statements)
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                statements.append(node)

    def _read_statement(self, node: ast.stmt) -> None:
        """Notes a statement: one such as `wire(pool_op, pool_grad_op)` belongs to what it names."""
        found = Definition(self.name, f"line {node.lineno}", "statement", self._lines(node))
        found.read([node])
        subjects = self._subjects(node)
        if subjects:
            self.definitions[found.name] = found
            self.subjects[found.name] = subjects
        else:
            self.top.merge(found)

    def _subjects(self, node: ast.stmt) -> set[str]:
        """What a call is about: x in `x.gradient(f)`, both in `wire(x, y)` when this module has it.

        Any other statement belongs to the module: `register(handler)` with an imported function.
        """
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            return set()
        first, *rest = _chain(node.value.func) or [""]
        if rest:
            return {first}.intersection(self.definitions)
        if first not in self.definitions:
            return set()
        inside = [inner for each in node.value.args for inner in ast.walk(each)]
        names = {inner.id for inner in inside if isinstance(inner, ast.Name)}
        return names.intersection(self.definitions)

    def _read_class(self, node: ast.ClassDef) -> None:
        methods = [n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        rest = [each for each in node.body if each not in methods]
        outside = [*node.decorator_list, *node.bases, *(each.value for each in node.keywords)]
        own = self._definition(node.name, "class", [*outside, *rest], node)
        for method in methods:
            name = f"{node.name}.{method.name}"
            self.definitions[name] = self._definition(name, "method", [method], method)
            own.lines -= self.definitions[name].lines
        self.definitions[node.name] = own

    def _declare(self, name: str, nodes: Iterable[ast.AST]) -> None:
        """Notes the operation that `@op("MatMul", ...)` or `x = unary("Exp", ...)` declares."""
        for call in nodes:
            if isinstance(call, ast.Call) and call.args and _called(call) not in CALLS_BY_NAME:
                first = getattr(call.args[0], "value", None)
                if isinstance(first, str) and _TYPE.fullmatch(first):
                    self.operations[first].add((self.name, name))


def _assigned(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    inside = [inner for target in targets for inner in ast.walk(target)]
    if any(isinstance(each, ast.Attribute | ast.Subscript) for each in targets):
        return []
    return [each.id for each in inside if isinstance(each, ast.Name)]


class Code:
    """All modules of minitf/, and what a name in one of them means."""

    def __init__(self) -> None:
        found = [Module(path) for path in sorted((ROOT / "minitf").rglob("*.py"))]
        self.modules = {module.name: module for module in found}
        self.definitions = {d.key: d for m in found for d in m.definitions.values()}
        self.operations: dict[str, set[Key]] = defaultdict(set)
        for module in found:
            for type_, keys in module.operations.items():
                self.operations[type_] |= keys
        self.methods: dict[Key, list[Definition]] = defaultdict(list)
        for definition in self.definitions.values():
            if definition.kind == "method":
                self.methods[definition.owner].append(definition)
        #: What belongs to a definition: functions under `@square.gradient`, statements about it.
        self.attached: dict[Key, set[Key]] = defaultdict(set)
        for module in found:
            for statement, subjects in module.subjects.items():
                for subject in subjects:
                    self.attached[module.name, subject].add((module.name, statement))
        for key, definition in self.definitions.items():
            for decorator in definition.decorators if definition.kind == "function" else ():
                for subject in _subjects_of(decorator):
                    meant = self.meaning(key[0], subject)
                    if isinstance(meant, tuple):
                        self.attached[meant].add(key)

    def meaning(self, module: str, name: str, depth: int = 0) -> Key | str | None:
        """The definition or the module (a str) that a name stands for in a module."""
        if (module, name) in self.definitions:
            return module, name
        source, original = self._imports(module).get(name, ("", ""))
        if original and source in self.modules and depth < 20:
            found = self.meaning(source, original, depth + 1)
            if found is not None:
                return found
        inside = f"{source}.{original}" if original else source or f"{module}.{name}"
        if inside in self.modules:
            return inside
        everything = self.modules[module].all_of if module in self.modules and depth < 20 else ()
        found_there = (self.meaning(each, name, depth + 1) for each in everything)
        return next((found for found in found_there if found is not None), None)

    def _imports(self, module: str) -> dict[str, tuple[str, str]]:
        return self.modules[module].imports if module in self.modules else {}

    def named(self, definition: Definition) -> Iterator[Key]:
        """The definitions that one names, by itself or as a chain a.b.c."""
        for chain in [*((name,) for name in definition.names), *definition.chains]:
            meant, rest = self.meaning(definition.module, chain[0]), list(chain[1:])
            while isinstance(meant, str) and rest:
                meant = self.meaning(meant, rest.pop(0))
            if isinstance(meant, tuple):
                yield meant
                if rest and (meant[0], f"{meant[1]}.{rest[0]}") in self.definitions:
                    yield meant[0], f"{meant[1]}.{rest[0]}"


class Closure:
    """What is reached from some definitions and some names of attributes."""

    def __init__(self, code: Code, roots: Roots) -> None:
        self._code = code
        self.reached: set[Key] = set()
        self.imported: set[str] = set()
        self._attributes: set[str] = set()
        self._waiting: list[Definition] = []
        self._by_name: dict[str, list[Definition]] = defaultdict(list)
        for definition in code.definitions.values():
            if definition.kind == "method":
                self._by_name[definition.name.partition(".")[2]].append(definition)
        for attribute in roots.attributes:
            self._name(attribute)
        for module in roots.modules:
            self._import(code.modules[module])
        for key in roots.keys:
            self._reach(key)
        while self._waiting:
            self._follow(self._waiting.pop())

    def _reach(self, key: Key) -> None:
        definition = self._code.definitions.get(key)
        if definition is None or key in self.reached:
            return
        self.reached.add(key)
        self._waiting.append(definition)
        if definition.kind == "method":
            self._reach(definition.owner)
            self._name(definition.name.partition(".")[2])  # in subclasses, too

    def _name(self, attribute: str) -> None:
        """Reaches the methods of a name in all classes that are reached."""
        if attribute not in self._attributes:
            self._attributes.add(attribute)
            for method in self._by_name[attribute]:
                if method.owner in self.reached:
                    self._reach(method.key)

    def _import(self, module: Module) -> None:
        if module.name not in self.imported:
            self.imported.add(module.name)
            package = self._code.modules.get(module.name.rpartition(".")[0])
            if package is not None:
                self._import(package)
            for key in self._code.named(module.top):
                self._reach(key)
            for attribute in module.top.attributes:
                self._name(attribute)
            for name in ("__all__", "__dir__", "__getattr__"):  # Python asks for these
                self._reach((module.name, name))

    def _follow(self, definition: Definition) -> None:
        module = self._code.modules[definition.module]
        self._import(module)
        if definition.kind == "assignment" and module.name.startswith(TABLES):
            return
        for key in self._code.named(definition):
            self._reach(key)
        for key in self._code.attached[definition.key]:
            self._reach(key)
        for attribute in definition.attributes:
            self._name(attribute)
        for text in definition.texts:
            if not module.name.startswith(TRANSLATORS):
                for key in self._code.operations.get(text, ()):
                    self._reach(key)
            if text.isidentifier():
                self._name(text)  # a call between tasks
        for method in self._code.methods[definition.key]:
            name = method.name.partition(".")[2]
            if name in self._attributes or name.startswith("__") and name.endswith("__"):
                self._reach(method.key)

    def lines(self, module: Module) -> set[int]:
        """The code lines of a module that are reached."""
        own = [d.lines for d in module.definitions.values() if d.key in self.reached]
        return set().union(*own, module.top.lines if module.name in self.imported else ())


def sources() -> Iterator[str]:
    """The text of each program and notebook that counts as use."""
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        cells = json.loads(path.read_text())["cells"]
        yield CELL.join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    for pattern in PROGRAMS:
        for path in sorted(ROOT.glob(pattern)):
            yield path.read_text()


class Roots:
    """Where the closure starts: definitions, modules, and names of attributes."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._short: dict[str, str] = {}  # what a program calls a namespace
        self.keys: set[Key] = set()
        self.modules = {n for n in code.modules if n in WHOLE or n.startswith(ALWAYS)}
        for name in self.modules:
            self.keys |= {each.key for each in code.modules[name].definitions.values()}
        self.attributes = {line.rpartition(".")[2] for line in METHODS.read_text().split()}
        for symbol in coverage.read_symbols():
            self._public(symbol.name.removeprefix("tf."))
        for text in sources():
            self._program(text)
        for place, _ in kept():
            if place.startswith("tf."):
                self._public(place.removeprefix("tf."))
            self.keys |= set(_place(code, place))

    def _program(self, text: str) -> None:
        self.attributes |= set(re.findall(r"\.([A-Za-z_]\w*)", text))
        for name in set(re.findall(r"\btf\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", text)):
            self._public(name)
        self._short = {"tf": "", "keras": "keras"}
        for cell in text.split(CELL):
            self._parsed(cell)

    def _parsed(self, text: str) -> None:
        """Adds what imports and names such as `layers = tf.keras.layers` lead to."""
        lines = ["pass" if line.lstrip()[:1] in ("%", "!") else line for line in text.splitlines()]
        try:
            nodes = list(ast.walk(ast.parse("\n".join(lines))))
        except SyntaxError:
            return
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self._imported(node.module or "", alias)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.partition(".")[0] == "tensorflow":
                        self._short[alias.asname or "tensorflow"] = alias.name.partition(".")[2]
            elif isinstance(node, ast.Assign) and (chain := _chain(node.value)):
                if chain[0] in self._short and isinstance(node.targets[0], ast.Name):
                    self._short[node.targets[0].id] = self._long(chain)
        for node in nodes:
            chain = _chain(node) if isinstance(node, ast.Attribute) else []
            if chain and chain[0] in self._short:
                self._public(self._long(chain))

    def _imported(self, module: str, alias: ast.alias) -> None:
        meant = self._code.meaning(module, alias.name) if module.startswith("minitf") else None
        if isinstance(meant, tuple):
            self.keys.add(meant)
        head, _, path = module.partition(".")
        if head in ("minitf", "tensorflow"):
            name = f"{path}.{alias.name}".lstrip(".")
            self._short[alias.asname or alias.name] = name
            self._public(name)

    def _long(self, chain: list[str]) -> str:
        return ".".join(filter(None, [self._short[chain[0]], *chain[1:]]))

    @functools.cache  # noqa: B019  one object, as long as the program
    def _public(self, name: str) -> None:
        """Adds what a public name leads to, and each name on the way."""
        parts = name.split(".")
        holder = coverage.resolve("tf")
        for number in range(1, len(parts) + 1):
            try:
                found = coverage.resolve("tf." + ".".join(parts[:number]))
            except (AttributeError, ImportError):
                break
            self.keys |= set(self._definition_of(found))
            part = parts[number - 1]
            space = next((each for each in _spaces(holder) if hasattr(each, part)), None)
            if space is not None:
                self.modules |= {space.__name__} & self._code.modules.keys()
                book = getattr(space, "_book", None)  # of a namespace: where its names are
                entry = book.entries.get(part) if isinstance(book, Book) else None
                meant = self._code.meaning(*(entry or (space.__name__, part)))
                self.keys |= {meant} if isinstance(meant, tuple) else set()
            holder = found

    def _definition_of(self, found: Any) -> Iterator[Key]:
        if isinstance(found, type):
            yield found.__module__, found.__qualname__.partition(".")[0]
            return
        kernel = getattr(found, "kernel", None) if type(found).__name__ == "OpDef" else None
        function = inspect.unwrap(kernel or found) if callable(kernel or found) else found
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        if code is not None and code.co_filename.startswith(str(ROOT / "minitf")):
            yield from self._at(Path(code.co_filename), code.co_firstlineno)

    def _at(self, path: Path, line: int) -> Iterator[Key]:
        """The definitions that hold a line."""
        for module in self._code.modules.values():
            if module.path == path:
                around = [each for each in module.definitions.values() if line in each.lines]
                yield from (each.key for each in around)


def _spaces(holder: Any) -> list[ModuleType]:
    """The modules and namespaces of minitf that a module stands for."""
    alias = coverage.alias
    found = [alias.find(p) for p in holder._places] if isinstance(holder, alias.Alias) else [holder]
    return [each for each in found if isinstance(each, ModuleType)]


def kept(path: Path = KEPT) -> list[tuple[str, str]]:
    """What stays though the closure does not reach it: places, and the reason of each."""
    lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
    return [(place, reason) for place, _, reason in (line.partition(": ") for line in lines)]


def leads_nowhere(code: Code, place: str) -> bool:
    """Whether an exception names what is not there."""
    if not place.startswith("tf."):
        return not any(_place(code, place))
    return coverage.state(coverage.Symbol(place, 0, False)) != coverage.HAS


def _place(code: Code, place: str) -> Iterator[Key]:
    """The definitions at `library/nets/ctc.py`, `core/cluster/` or `core/graph/graph.py Graph`."""
    path, _, name = place.partition(" ")
    for module in code.modules.values():
        file = str(module.path.relative_to(ROOT / "minitf"))
        if file == path or path.endswith("/") and file.startswith(path):
            for each in module.definitions.values():
                if name in ("", each.name, each.name.partition(".")[0]):
                    yield each.key


def closure(code: Code) -> Closure:
    """The closure over what people use."""
    os.environ["MINITF_TIERS"] = "numpy"  # names alone are asked for, so that no kernel need load
    return Closure(code, Roots(code))


def unreached(code: Code, found: Closure) -> Iterator[Definition]:
    """Definitions that are not reached; the methods of a class that is not, with it."""
    for definition in code.definitions.values():
        inside = definition.kind == "method" and definition.owner not in found.reached
        if definition.key not in found.reached and not inside:
            yield definition


def main(arguments: list[str]) -> int:
    """Prints the share that is reached."""
    code = Code()
    found = closure(code)
    reached = sum(len(found.lines(module)) for module in code.modules.values())
    total = sum(len(module.code) for module in code.modules.values())
    if "--list" in arguments:
        for each in sorted(unreached(code, found), key=lambda each: each.key):
            print(f"{each.module.replace('.', '/')}: {each.name} ({len(each.lines)} lines)")
    print(f"{reached:,} of {total:,} code lines of minitf/ are reached: {reached / total:.1%}.")
    wrong = [
        f"{KEPT.relative_to(ROOT)}: {place} leads nowhere, or has no reason"
        for place, reason in kept()
        if len(reason) < 8 or leads_nowhere(code, place)
    ]
    if reached < ENOUGH * total:
        wrong.append(f"Fewer than {ENOUGH:.0%}: python scripts/reach.py --list")
    print(*wrong, sep="\n", file=sys.stderr, end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
