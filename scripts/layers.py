"""The floors of the house, and the check that nothing is imported upwards.

    platform, framework < kernels < ops < transforms, variables, runtime, data
        < train, cluster, summary, losses, metrics, testing < layers < keras, distribute
        < estimator, datasets < compat < the face: minitf/__init__.py and the namespaces beside it

A file imports from the floors below its own and from its own room, at the top of the file, and no
two files import each other. Rooms on one floor do not see each other. An import inside a function
usually hides a cycle, so only an optional package may be imported there, in the file that owns it.
The face holds names only; it alone may fetch a room late, when a name is first asked for. The
folders contrib and examples belong to the face: they name what the rooms hold. The
widgets stand on top of everything and see descriptions of graphs, runs and traffic, never what
makes them.

    python scripts/layers.py      prints the rooms and what each one uses

Exit status 1 if a rule is broken, each place on a line of its own.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FLOORS = (
    ("platform", "framework"),
    ("kernels",),
    ("ops",),
    ("transforms", "variables", "runtime", "data"),
    ("train", "cluster", "summary", "losses", "metrics", "testing"),
    ("layers",),
    ("keras", "distribute"),
    ("estimator", "datasets"),
    ("compat",),
)
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# Folders of names beside `minitf/__init__.py`.
FACE_FOLDERS = ("contrib", "examples")

REQUIRED = {"numpy"}

# Packages that a user may not have, and the files of minitf (or the one room, ending in "/") that
# may import them. Everything else runs without.
OWNERS = {
    "PIL": ("ops/image_codec.py",),
    "malt": ("transforms/autograph.py",),
    "cupy": ("runtime/gpu.py",),
    "dask": ("cluster/",),
    "distributed": ("cluster/",),
    "google": ("framework/example_proto.py",),  # google.protobuf
    "google_crc32c": ("framework/crc32c.py",),
    "msgpack": ("cluster/",),
    "sklearn": ("datasets/",),
    "tensorboard": ("ops/summary_protos.py",),
    "scipy": ("kernels/",),
    "numba": ("kernels/translations.py", "kernels/compiled/"),
    "llvmlite": ("kernels/translations.py", "kernels/compiled/"),
}

# Doors: what a file may fetch late beside an optional package it owns, because it stands on that
# package or is slow to import.
DOORS = {
    "kernels/library.py": ("minitf.kernels.compiled",),
    "cluster/__init__.py": ("minitf.cluster.dask_cluster",),
    "cluster/transport.py": ("asyncio", "minitf.cluster.comm"),
}

# The front of the house: what a widget may read of minitf, and the packages it is made with.
WIDGET_MODULES = (
    "minitf.framework.graph_def",
    "minitf.runtime.step_stats",
    "minitf.cluster.traffic",
)
WIDGET_PACKAGES = {"anywidget", "ipywidgets", "traitlets", "IPython", "numpy"}


@dataclass(frozen=True)
class Import:
    """One import statement's module, with where it stands."""

    module: str  # dotted; `from a import b` gives "a.b"
    line: int
    inside_function: bool
    only_for_types: bool  # under `if TYPE_CHECKING:`


@dataclass(frozen=True)
class Violation:
    """One broken rule."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def imports_of(source: str, package: str) -> list[Import]:
    """Finds every import of a file, wherever it stands.

    Args:
      source: the text of the file.
      package: dotted name of the package that holds the file; relative imports start there.
    Returns: the imports, in the order of the file.
    Example:
      >>> imports_of("from . import graph", "minitf.framework")[0].module
      'minitf.framework.graph'
    """
    return list(_walk(ast.parse(source), package, inside_function=False, only_for_types=False))


def _walk(
    node: ast.AST, package: str, inside_function: bool, only_for_types: bool
) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, child.lineno, inside_function, only_for_types)
        elif isinstance(child, ast.ImportFrom):
            base = _absolute(child, package)
            for alias in child.names:
                module = base if alias.name == "*" else f"{base}.{alias.name}"
                yield Import(module, child.lineno, inside_function, only_for_types)
        elif late := _imported_late(child):
            yield Import(late, child.lineno, True, only_for_types)
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from _walk(child, package, inside_function or function, only_for_types or types)


def _imported_late(node: ast.AST) -> str:
    """Names the module of a call `importlib.import_module("...")`; "" for anything else."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
        if node.args and isinstance(node.args[0], ast.Constant):
            return str(node.args[0].value)
    return ""


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parents = package.split(".")
    base = ".".join(parents[: len(parents) - node.level + 1])
    return f"{base}.{node.module}" if node.module else base


def check_library(root: Path) -> list[Violation]:
    """Checks every file of `root/minitf` against the floors, and for cycles."""
    modules = {_dotted(path, root): path for path in sorted((root / "minitf").rglob("*.py"))}
    uses: dict[str, set[str]] = defaultdict(set)
    violations = []
    for name, path in modules.items():
        where = str(path.relative_to(root))
        if not _room(where.removeprefix("minitf/")) and path.stem != "__init__":
            violations += _beyond_names(where, path.read_text())
        for item in imports_of(path.read_text(), _package(name, path)):
            for message in _judge(where, item):
                violations.append(Violation(where, item.line, message))
            target = _longest_known(item.module, modules)
            if target and target != name and not (item.only_for_types or item.inside_function):
                uses[name].add(target)
    for cycle in _cycles(uses):
        start = str(modules[cycle[0]].relative_to(root))
        violations.append(Violation(start, 1, "import each other: " + " -> ".join(cycle)))
    return violations


def check_widgets(root: Path) -> list[Violation]:
    """Checks that `root/widgets/minitf_widgets` sees minitf only through descriptions."""
    violations = []
    home = root / "widgets"
    for path in sorted((home / "minitf_widgets").rglob("*.py")):
        where = str(path.relative_to(root))
        for item in imports_of(path.read_text(), _package(_dotted(path, home), path)):
            top = item.module.partition(".")[0]
            known = top in sys.stdlib_module_names or top in WIDGET_PACKAGES | {"minitf_widgets"}
            if top == "minitf" and not _within(item.module, WIDGET_MODULES):
                message = f"a widget reads {', '.join(WIDGET_MODULES)}; not {item.module}"
            elif item.inside_function:
                message = f"imports {item.module} inside a function"
            elif top != "minitf" and not known:
                message = f"imports {top}, which the widgets do not depend on"
            else:
                continue
            violations.append(Violation(where, item.line, message))
    return violations


def _beyond_names(where: str, source: str) -> Iterator[Violation]:
    """Finds what stands in a namespace of the face beside imports, other names, and its book."""
    for node in ast.parse(source).body:
        named = isinstance(node, ast.Assign) and (
            isinstance(node.value, ast.Name)
            or ast.unparse(node.targets[0]) == "__all__"
            or ast.unparse(node.value).startswith("late_names(")
        )
        if not named and not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            yield Violation(where, node.lineno, "a namespace of the face holds names only")


def _judge(where: str, item: Import) -> Iterator[str]:
    """Says what one import of the file `where` ("minitf/ops/math.py") breaks."""
    top, _, rest = item.module.partition(".")
    inside = where.removeprefix("minitf/")
    if inside in ("__init__.py", *(f"{folder}/__init__.py" for folder in FACE_FOLDERS)):
        if top == "minitf":
            return
    owned = any(inside == owner or inside.startswith(owner) for owner in OWNERS.get(top, ()))
    if item.inside_function and not owned and item.module not in DOORS.get(inside, ()):
        yield f"imports {item.module} inside a function"
    if top == "minitf":
        yield from _judge_floor(inside, item.module, rest.partition(".")[0])
    elif top in OWNERS:
        if not owned:
            yield f"imports {top}, which only {', '.join(OWNERS[top])} may"
    elif top not in REQUIRED and top not in sys.stdlib_module_names:
        yield f"imports {top}, which minitf does not depend on"


def _judge_floor(inside: str, module: str, target: str) -> Iterator[str]:
    room = _room(inside)
    if not room:
        return  # a namespace of the face sees everything
    if room not in FLOOR_OF:
        yield f"the room {room} has no floor in scripts/layers.py"
    elif target not in FLOOR_OF:
        yield f"imports {module} through the face, which stands on top"
    elif room != target and FLOOR_OF[target] > FLOOR_OF[room]:
        yield f"imports upwards: {room} stands below {target}"
    elif room != target and FLOOR_OF[target] == FLOOR_OF[room]:
        yield f"imports sideways: {room} and {target} are rooms of one floor"


def _room(inside: str) -> str:
    """Names the room of a file: ops for `ops/math.py` or `ops.py`, "" for a file of the face."""
    first, below, _ = inside.partition("/")
    if first in FACE_FOLDERS:
        return ""
    stem = first.removesuffix(".py")
    return first if below else stem if stem in FLOOR_OF else ""


def _dotted(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _package(name: str, path: Path) -> str:
    return name if path.name == "__init__.py" else name.rpartition(".")[0]


def _within(module: str, allowed: Iterable[str]) -> bool:
    return any(module == name or module.startswith(name + ".") for name in allowed)


def _longest_known(module: str, known: dict[str, Path]) -> str | None:
    while module and module not in known:
        module = module.rpartition(".")[0]
    return module or None


def _cycles(uses: dict[str, set[str]]) -> list[list[str]]:
    """Finds import cycles by depth-first search, one for each edge that closes a circle."""
    found, done = [], set()

    def visit(name: str, trail: list[str]) -> None:
        if name in trail:
            found.append([*trail[trail.index(name) :], name])
        elif name not in done:
            for target in sorted(uses.get(name, ())):
                visit(target, [*trail, name])
            done.add(name)

    for name in sorted(uses):
        visit(name, [])
    return found


def rooms(root: Path) -> dict[str, set[str]]:
    """Says for each room of minitf which other rooms it imports from."""
    seen: dict[str, set[str]] = defaultdict(set)
    for path in sorted((root / "minitf").rglob("*.py")):
        room = _room(str(path.relative_to(root / "minitf")))
        seen[room]  # a room that imports nothing is shown too
        for item in imports_of(path.read_text(), _package(_dotted(path, root), path)):
            parts = item.module.split(".")
            if parts[0] == "minitf" and len(parts) > 1 and parts[1] in FLOOR_OF:
                seen[room].add(parts[1])
        seen[room].discard(room)
    return dict(seen)


def main() -> int:
    """Prints the house from the ground up, then what breaks its rules."""
    used = rooms(ROOT)
    for number, names in enumerate(FLOORS):
        for room in names:
            if room in used:
                below = ", ".join(sorted(used[room], key=FLOOR_OF.__getitem__)) or "nothing"
                print(f"{number}  {room:<12} uses {below}")
    violations = check_library(ROOT) + check_widgets(ROOT)
    for violation in violations:
        print(violation, file=sys.stderr)
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main())
