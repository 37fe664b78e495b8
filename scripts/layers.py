"""The layers of the project, and the check that nothing is imported upwards.

    core < library < fast < compat < the public API: minitf/__init__.py and the stubs in minitf/api

    core:     graph < kernels < ops < gradients, variables, runtime < train, cluster
    library:  packages in any order, but never in a circle
    fast      registers itself with what stands below; nothing imports it
    compat    is imported by nothing

A file imports from below its own layer and from its own package, at the top of the file, and no two
files import each other. Packages of core on one layer do not see each other. An import inside a
function usually hides a cycle, so only an optional package may be imported there, in the file that
owns it. What is needed from above is registered by a call; a name that is declared in one file and
set from another hides an import upwards, and two are left open. The widgets stand on top of
everything and see descriptions of graphs, runs and traffic, never what makes them.

    python scripts/layers.py      prints the packages and what each one uses

Exit status 1 if a rule is broken, each place on a line of its own.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

LAYERS = ("core", "library", "fast", "compat")
CORE = (
    ("graph",),
    ("kernels",),
    ("ops",),
    ("gradients", "variables", "runtime"),
    ("train", "cluster"),
)
LAYER_OF = {package: number for number, packages in enumerate(CORE) for package in packages}

# Names that one file declares and another sets, since the first is used while the second loads.
LEFT_OPEN = {
    "core/graph/stacks.py": {"_new_graph"},  # by graph.py: a graph to start with
    "core/runtime/run/resources.py": {"compile_function"},  # by plan.py: functions inside a kernel
}

REQUIRED = {"numpy"}

# Packages that a user may not have, and the files of minitf (or the one folder, ending in "/") that
# may import them. Everything else runs without.
_OLD = "compat/tensorflow/package_changes.py"  # gives packages names of theirs back
OWNERS = {
    "PIL": ("library/images/image_codec.py", "library/keras/preprocessing/image.py", _OLD),
    "h5py": ("library/keras/saving/hdf5.py",),
    "malt": ("library/eager/autograph.py",),
    "cryptography": ("library/clusters/certificates.py",),
    "cupy": ("fast/cuda/gpu.py",),
    "dask": ("library/clusters/",),
    "distributed": ("core/cluster/wire/comm.py", "library/clusters/"),
    "google": ("library/formats/protobuf_messages.py",),  # google.protobuf
    "google_crc32c": ("library/formats/records.py",),
    "ml_dtypes": ("core/graph/dtypes.py",),
    "msgpack": ("core/cluster/",),
    "sklearn": ("library/datasets/", "compat/contrib/learn_data.py", _OLD),
    "tensorboard": ("library/formats/summary_protos.py",),
    "scipy": ("fast/", "library/keras/preprocessing/image.py", _OLD),
    "numba": ("fast/loader.py", "fast/compiled/"),
    "llvmlite": ("fast/machine_code.py", "fast/translations.py", "fast/compiled/"),
}

# What a file may fetch late beside an optional package it owns, because it stands on that
# package or is slow to import.
LATE = {
    "fast/loader.py": ("minitf.fast.compiled", "shutil", "subprocess"),
    "fast/translations.py": ("hashlib",),
    "compat/tensorflow/runner.py": ("minitf.library.clusters.lending",),
    "compat/tensorflow/old_packages.py": ("minitf.compat.tensorflow.package_changes",),
    "library/datasets/download.py": ("http.client.HTTPException", "urllib.request"),
    "library/clusters/__init__.py": ("minitf.library.clusters.dask_cluster",),
}

# What a widget may read of minitf, and the packages it is made with.
WIDGET_MODULES = (
    "minitf.core.graph.graph_def",
    "minitf.core.runtime.run.step_stats",
    "minitf.library.graph_tools.timeline",
    "minitf.library.saving.saved_model",
    "minitf.core.cluster.wire.traffic",
)
PUBLIC_API = "minitf"  # the public names, which a widget may use as a student does
WIDGET_PACKAGES = {
    "anywidget",
    "ipywidgets",
    "traitlets",
    "IPython",
    "numpy",
    "pygments",
    "resvg_py",
}
# Beside the widgets: scikit-learn's digits, for the lessons. No widget imports this package.
PLOTTERS = "minitf_widgets/lessons"
PLOTTERS_USE = {"sklearn"}
PLOTTERS_LATE = {"sklearn"}  # longer to import than all else; only when digits are read


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
      >>> imports_of("from . import graph", "minitf.core.graph")[0].module
      'minitf.core.graph.graph'
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
    """Checks every file of `root/minitf` against the layers, and for cycles."""
    modules = {_dotted(path, root): path for path in sorted((root / "minitf").rglob("*.py"))}
    uses: dict[str, set[str]] = defaultdict(set)
    packages: dict[str, dict[str, Violation]] = defaultdict(dict)
    violations = []
    for name, path in modules.items():
        where = str(path.relative_to(root))
        inside, source = where.removeprefix("minitf/"), path.read_text()
        violations += _set_from_above(where, ast.parse(source))
        for item in imports_of(source, _package(name, path)):
            for message in _judge(inside, item):
                violations.append(Violation(where, item.line, message))
            target = _longest_known(item.module, modules)
            if not target or target == name or item.only_for_types or item.inside_function:
                continue
            uses[name].add(target)
            own, other = (
                _package_of(inside),
                _package_of(target.partition(".")[2].replace(".", "/") + "/"),
            )
            if own != other and own.startswith("library/") and other.startswith("library/"):
                message = f"{own} and {other} import each other"
                packages[own].setdefault(other, Violation(where, item.line, message))
    for cycle in _cycles(uses):
        start = str(modules[cycle[0]].relative_to(root))
        violations.append(Violation(start, 1, "import each other: " + " -> ".join(cycle)))
    for cycle in _cycles({package: set(others) for package, others in packages.items()}):
        first = packages[cycle[0]][cycle[1]]
        violations.append(
            Violation(first.path, first.line, "packages in a circle: " + " -> ".join(cycle))
        )
    return violations


def _set_from_above(where: str, tree: ast.Module) -> Iterator[Violation]:
    """Finds names that this file declares for others to set, and names of others that it sets."""
    open_here = LEFT_OPEN.get(where.removeprefix("minitf/"), set())
    imported = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("minitf"):
            imported |= {alias.asname or alias.name for alias in node.names}
        if isinstance(node, ast.AnnAssign) and node.value is None:
            name = ast.unparse(node.target)
            if name not in open_here:
                yield Violation(where, node.lineno, f"declares {name} for another file to set")
        targets = node.targets if isinstance(node, ast.Assign) else ()
        for target in targets:
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) in imported:
                if not any(target.attr in names for names in LEFT_OPEN.values()):
                    text = ast.unparse(target)
                    if not text.endswith("__"):  # operators are bound to Tensor
                        yield Violation(where, node.lineno, f"sets {text} of another file")


def check_widgets(root: Path) -> list[Violation]:
    """Checks that the widgets see minitf by descriptions, or by its face as a student does."""
    violations = []
    home = root / "widgets"
    for path in sorted((home / "minitf_widgets").rglob("*.py")):
        where = str(path.relative_to(root))
        for item in imports_of(path.read_text(), _package(_dotted(path, home), path)):
            top = item.module.partition(".")[0]
            known = top in sys.stdlib_module_names or top in WIDGET_PACKAGES | {"minitf_widgets"}
            known = known or (top in PLOTTERS_USE and path.is_relative_to(home / PLOTTERS))
            if (
                top == "minitf"
                and item.module != PUBLIC_API
                and not _within(item.module, WIDGET_MODULES)
            ):
                message = f"a widget reads {', '.join(WIDGET_MODULES)}; not {item.module}"
            elif item.inside_function and not (known and top in PLOTTERS_LATE):
                message = f"imports {item.module} inside a function"
            elif top != "minitf" and not known:
                message = f"imports {top}, which the widgets do not depend on"
            else:
                continue
            violations.append(Violation(where, item.line, message))
    return violations


def _judge(inside: str, item: Import) -> Iterator[str]:
    """Says what one import of a file, named from minitf on ("core/ops/math.py"), breaks."""
    top, _, rest = item.module.partition(".")
    if inside == "__init__.py" and top == "minitf":
        return  # the public API may fetch a package late
    owned = any(inside == owner or inside.startswith(owner) for owner in OWNERS.get(top, ()))
    if item.inside_function and not owned and item.module not in LATE.get(inside, ()):
        yield f"imports {item.module} inside a function"
    if top == "minitf":
        if inside != "__main__.py":
            yield from _judge_floor(inside, item.module, rest)
    elif top in OWNERS:
        if not owned:
            yield f"imports {top}, which only {', '.join(OWNERS[top])} may"
    elif top not in REQUIRED and top not in sys.stdlib_module_names:
        yield f"imports {top}, which minitf does not depend on"


def _judge_floor(inside: str, module: str, target: str) -> Iterator[str]:
    layer, package = (*inside.split("/"), "")[:2]
    other_layer, other_package = (*target.split("."), "")[:2]
    if layer not in LAYERS:
        yield f"{inside.partition('/')[0]} is none of the layers {', '.join(LAYERS)}"
    elif other_layer not in LAYERS:
        yield f"imports {module} through the public API, which is the top layer"
    elif LAYERS.index(other_layer) > LAYERS.index(layer):
        yield f"imports upwards: {layer} stands below {other_layer}"
    elif layer == other_layer == "core" and package != other_package and "." not in package:
        if package not in LAYER_OF or other_package not in LAYER_OF:
            odd = package if package not in LAYER_OF else other_package
            yield f"the package {odd} has no layer in scripts/layers.py"
        elif LAYER_OF[other_package] > LAYER_OF[package]:
            yield f"imports upwards: {package} stands below {other_package}"
        elif LAYER_OF[other_package] == LAYER_OF[package]:
            yield f"imports sideways: {package} and {other_package} are packages of one layer"


def _package_of(inside: str) -> str:
    """Names the package of a file: "core/ops" for `core/ops/math.py`, "" for the public API."""
    parts = inside.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else ""


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


def packages(root: Path) -> dict[str, set[str]]:
    """Says for each package of minitf which other packages it imports from."""
    seen: dict[str, set[str]] = defaultdict(set)
    for path in sorted((root / "minitf").rglob("*.py")):
        package = _package_of(str(path.relative_to(root / "minitf")))
        if not package:
            continue
        seen[package]  # a package that imports nothing is shown too
        for item in imports_of(path.read_text(), _package(_dotted(path, root), path)):
            top, *below = item.module.split(".")
            if top == "minitf" and len(below) > 1 and below[0] in LAYERS:
                seen[package].add("/".join(below[:2]))
        seen[package].discard(package)
    return dict(seen)


def _order(package: str) -> tuple:
    layer, _, name = package.partition("/")
    return LAYERS.index(layer), LAYER_OF.get(name, 0) if layer == "core" else 0, name


def main() -> int:
    """Prints the project from the ground up, then what breaks its rules."""
    used = packages(ROOT)
    for package in sorted(used, key=_order):
        below = [other.removeprefix("core/") for other in sorted(used[package], key=_order)]
        print(f"{package:<20} uses {', '.join(below) or 'nothing'}")
    violations = check_library(ROOT) + check_widgets(ROOT)
    for violation in violations:
        print(violation, file=sys.stderr)
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main())
