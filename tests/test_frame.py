"""The frame of the project holds together: packaging, documents, targets, sizes, the public API."""

import ast
import importlib.metadata
import inspect
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import minitf
from scripts import size
from tests.compiled import whole_project

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS: dict[str, list[str]] = PYPROJECT["project"]["optional-dependencies"]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])
CODE = ("minitf", "widgets/minitf_widgets", "scripts", "tests", "bench", "examples")
MODULES = [path.as_posix() for folder in CODE for path in (ROOT / folder).rglob("*.py")]

# conda-forge gives some packages other names; the environment holds what `make lab` installs.
CONDA_NAMES = {"msgpack": "msgpack-python", "cupy-cuda12x[ctk]": "cupy"}
FROM_PIP = "autograph"  # the extra whose package is not in conda-forge

# A plain `import minitf` must stay fast and work with NumPy alone.
HEAVY = (
    *("anywidget", "cupy", "dask", "distributed", "google", "google_crc32c", "malt", "msgpack"),
    *("numba", "PIL", "scipy", "tensorboard", "traitlets"),
    *("hashlib", "subprocess"),  # 4 MB: OpenSSL
)


def _expand(extra: str) -> set[str]:
    """The requirements of an extra, those of the extras it names included."""
    found = set()
    for requirement in EXTRAS[extra]:
        own = re.fullmatch(r"minitf\[(.*)\]", requirement)
        if own:
            found.update(*(_expand(name) for name in own[1].split(",")))
        else:
            found.add(requirement)
    return found


def _name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match, requirement
    return match[0]


def _run(*arguments: str) -> str:
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# ---- packaging ----------------------------------------------------------------------------------


def test_numpy_is_the_only_hard_dependency() -> None:
    assert [_name(requirement) for requirement in PYPROJECT["project"]["dependencies"]] == ["numpy"]


def test_the_extra_all_holds_every_other() -> None:
    everything = set().union(*(_expand(name) for name in EXTRAS))
    assert _expand("all") == everything


def _conda(requirements: set[str]) -> set[str]:
    """Requirements under the names that conda-forge has for their packages."""
    for name, renamed in CONDA_NAMES.items():
        requirements = {each.replace(f"{name}>", f"{renamed}>") for each in requirements}
    return requirements


def test_environments_of_conda_equal_pyproject() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *packages, from_pip = environment["dependencies"]
    wanted = _expand("lab").union(PYPROJECT["project"]["dependencies"]) - _expand(FROM_PIP)
    python = PYPROJECT["project"]["requires-python"]
    assert set(packages) == _conda(wanted) | {f"python{python},<3.14", "pip"}
    assert from_pip == {"pip": [f"--editable .[{FROM_PIP}]"]}
    with_card = yaml.safe_load((ROOT / "environment-gpu.yml").read_text())
    assert set(with_card["dependencies"]) == _conda(_expand("gpu"))


def test_a_student_installs_nothing_that_only_an_instructor_needs() -> None:
    names = {_name(requirement) for requirement in _expand("lab")}
    assert not names & {"nbgrader", "numba", "h5py", "cryptography"}
    assert {"dask", "ipywidgets", "jupyterlab", "matplotlib"} <= names


def test_the_version_is_one() -> None:
    version = PYPROJECT["project"]["version"]
    assert minitf.__version__ == version
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
    assert f'"version": "{version}"' in (ROOT / "widgets/package.json").read_text()


def test_dask_finds_our_transport() -> None:
    points = importlib.metadata.entry_points(group="distributed.comm.backends")
    backends = {point.name: point.load().__name__ for point in points if "minitf" in point.value}
    assert backends == {"mtf": "MtfBackend", "mtfs": "MtfsBackend"}


def test_the_wheel_holds_the_packages_and_the_built_front_ends(tmp_path: Path) -> None:
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"minitf", "minitf_widgets"}
    for home, package in ((ROOT, "minitf"), (ROOT / "widgets", "minitf_widgets")):
        files = {str(path.relative_to(home)) for path in (home / package).rglob("*.py")}
        files |= {str(path.relative_to(home)) for path in (home / package).rglob("*.pyi")}
        files |= {"minitf/py.typed", "minitf/compat/tensorflow/tree.txt"}
        assert files <= names
    static = list((ROOT / "widgets/minitf_widgets/static").glob("*.js"))
    assert static
    assert {f"minitf_widgets/static/{path.name}" for path in static} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_every_folder_is_a_package() -> None:
    folders = {path.parent for path in ROOT.glob("minitf/**/*.py")}
    folders |= {path.parent for path in ROOT.glob("widgets/minitf_widgets/**/*.py")}
    assert [str(path) for path in folders if not (path / "__init__.py").is_file()] == []


# ---- the public API -----------------------------------------------------------------------------


def test_import_minitf_needs_numpy_alone() -> None:
    program = f"import sys, minitf; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    assert _run(sys.executable, "-c", program).split() == []


def test_import_minitf_brings_in_only_numpy_and_the_standard_library() -> None:
    program = (
        "import sys; before = set(sys.modules); import minitf;"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    found = set(_run(sys.executable, "-c", program).split())
    assert found - set(sys.stdlib_module_names) <= {"minitf", "numpy"}


def test_a_tensor_has_its_operators_whatever_a_program_has_imported() -> None:
    program = (
        "import minitf as tf; x = tf.placeholder(tf.float32, [3, 4]);"
        "print((2.0 * -x[:, None, 1:] + x[0, 0]).shape, (x > 1.0).dtype.name, (x[:, :3] @ x).shape)"
    )
    assert _run(sys.executable, "-c", program).strip() == "(3, 1, 3) bool (3, 4)"


def test_use_resource_holds_whatever_a_program_has_imported() -> None:
    program = """import minitf as tf
made = [tf.Variable(1.0, use_resource=True), tf.get_variable("v", [2], use_resource=True)]
with tf.variable_scope("scope", use_resource=True):
    made += [tf.Variable(1.0), tf.get_variable("v", [2])]
print(*(type(variable).__name__ for variable in made), type(tf.Variable(1.0)).__name__)"""
    assert _run(sys.executable, "-c", program) == "ResourceVariable " * 4 + "Variable\n"


def test_a_graph_that_comes_as_data_finds_every_op() -> None:
    program = (
        "import sys, minitf; from minitf.core.graph import op_def;"
        "op_def.load_all_ops(); print(*sys.modules)"
    )
    loaded = set(_run(sys.executable, "-c", program).split())
    for path in ROOT.glob("minitf/**/*.py"):
        if "testing" in path.parts or "fast" in path.parts:
            continue  # ops of TensorFlow's own tests, and nodes that only plans have
        if re.search(r"op_def import \(?\s*(\w+,\s+)*op\b", path.read_text()):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            assert module in loaded


def test_all_of_the_face_is_sorted_and_there() -> None:
    names = minitf.__all__
    assert names == sorted(names)
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(minitf, name)] == []


def test_the_face_is_documented() -> None:
    bare = []
    for name in minitf.__all__:
        thing = getattr(minitf, name)
        if inspect.isclass(thing):
            members = [(f"{name}.{key}", getattr(thing, key)) for key in vars(thing)]
            things = [
                (name, thing),
                *(m for m in members if not m[0].split(".")[1].startswith("_")),
            ]
        else:
            things = [(name, thing)]
        for label, part in things:
            if (callable(part) or isinstance(part, property)) and not inspect.getdoc(part):
                bare.append(label)
    assert bare == []


def test_every_all_is_sorted() -> None:
    unsorted = []
    for path in [*ROOT.glob("minitf/**/*.py"), *ROOT.glob("widgets/minitf_widgets/**/*.py")]:
        found = re.search(r"^__all__ = \[(.*?)\]", path.read_text(), re.MULTILINE | re.DOTALL)
        names = re.findall(r"[\"'](\w+)[\"']", found[1]) if found else []
        if names != sorted(names):
            unsorted.append(str(path.relative_to(ROOT)))
    assert unsorted == []


# ---- documents ----------------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text())
    local = [link for link in links if not link.startswith(("http:", "https:"))]
    assert [link for link in local if not (document.parent / link).exists()] == []


@whole_project
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_name_files_that_exist(document: Path) -> None:
    text = document.read_text()
    roots = "minitf|tests|docs|scripts|bench|widgets|notebooks|examples"
    paths = re.findall(rf"`((?:{roots})/[\w./-]*)`", text)
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert _unknown_modules(re.findall(r"`([a-z][\w/]*\.py)`", text)) == []
    assert paths or document.name != "journey.md"


def _unknown_modules(names: list[str]) -> list[str]:
    return [name for name in names if not any(path.endswith(f"/{name}") for path in MODULES)]


@whole_project
def test_packages_name_modules_that_exist() -> None:
    for path in ROOT.glob("minitf/**/__init__.py"):
        text = ast.get_docstring(ast.parse(path.read_text())) or ""
        assert _unknown_modules(re.findall(r"\b[a-z][\w/]*\.py\b", text)) == [], path


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_name_what_minitf_has(document: Path) -> None:
    """A name after `tf.` leads somewhere, unless its sentence is about what is not there."""
    if document.name in ("coverage.md", "CHANGELOG.md", "status.md"):
        return  # lists of what is missing, and history
    names = set(re.findall(r"`tf((?:\.\w+)+)[(`]", document.read_text()))
    assert [name for name in sorted(names) if not _has(minitf, name[1:].split("."))] == []


def _has(place: object, names: list[str]) -> bool:
    for name in names:
        if not hasattr(place, name):
            return False
        place = getattr(place, name)
    return True


def test_documents_name_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for document in DOCUMENTS:
        named = set(re.findall(r"(?:`|^)make ([a-z-]+)", document.read_text(), re.MULTILINE))
        assert named <= targets, document


def test_every_decision_is_one_page_in_the_same_form() -> None:
    pages = sorted(ROOT.glob("docs/decisions/[0-9]*.md"))
    assert pages
    numbers = [int(page.name.partition("-")[0]) for page in pages]
    assert len(set(numbers)) == len(numbers)  # a deleted page leaves its number unused
    for number, page in zip(numbers, pages, strict=True):
        text = page.read_text()
        assert text.startswith(f"# {number}. "), page.name
        parts = re.findall(r"^## (.*)", text, re.MULTILINE)
        assert parts == ["Context", "Decision", "Consequences"], page
        assert len(text.splitlines()) <= 60, page.name


def test_the_example_of_the_readme_prints_what_it_says() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    wanted = re.findall(r"print\(.*\)\s+# (.*)", example)
    assert wanted
    assert _run(sys.executable, "-c", example).splitlines() == wanted


def test_the_readme_shows_a_picture_of_each_lesson() -> None:
    text = (ROOT / "README.md").read_text()
    shown = [ROOT / path for path in re.findall(r"docs/images/lessons/[\w-]+\.webp", text)]
    assert [path.stem for path in shown] == [
        path.stem for path in sorted(ROOT.glob("notebooks/[0-9]*.ipynb"))
    ]
    assert sum(path.stat().st_size for path in shown) < 1_000_000
    assert (ROOT / "docs/images/minitf.webp").stat().st_size < 3_000_000


# ---- the manual ---------------------------------------------------------------------------------


def test_make_lists_every_target() -> None:
    listed = set(re.findall(r"make ([a-z-]+) ", _run("make", "--no-print-directory", "help")))
    wanted = {"help", "lab", "test", "core", "check", "fmt", "notebooks", "bench", "size"}
    assert wanted <= listed


# ---- size ---------------------------------------------------------------------------------------


def test_a_package_over_its_budget_is_named(tmp_path: Path) -> None:
    path = tmp_path / "minitf/core/train/optimizers.py"
    path.parent.mkdir(parents=True)
    most = size.BUDGETS["minitf/core/train"]
    path.write_text("x = 1\n" * (most + 100))
    assert size.over_budget(tmp_path) == [
        f"minitf/core/train: {most + 100} lines of code, over its budget of {most}"
    ]


def test_the_size_report_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text('"""One.\n\nTwo."""\n\n# why\nx = 1  # not a line of prose\n')
    found = size.measure(path, tmp_path)
    assert (found.path, found.lines, found.prose, found.blank, found.code) == ("a.py", 6, 3, 2, 1)


def test_the_size_report_names_what_is_too_long(tmp_path: Path) -> None:
    (tmp_path / "minitf").mkdir()
    (tmp_path / "minitf/long.py").write_text("x = 1\n" * (size.MAX_FILE_LINES + 1))
    (tmp_path / "minitf/short.py").write_text("x = 1\n")
    assert [found.path for found in size.too_long(tmp_path)] == ["minitf/long.py"]
