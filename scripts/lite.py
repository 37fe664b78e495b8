"""Makes site/lite, a JupyterLab that runs in a browser tab, with the lessons that can run there.

    lessons, minitf as a wheel, front ends of the widgets  --JupyterLite-->  lite/lab/index.html
    Pyodide's lock file, and the wheels that it lacks      ------------->  lite/pypi/

The kernel is Pyodide: CPython and NumPy as WebAssembly. It loads what a cell imports by itself if
its lock file lists it. So minitf enters the lock file, and no lesson has a cell that installs.

    python scripts/lite.py                       to site/lite; Pyodide comes from its public server
    python scripts/lite.py --pyodide FOLDER      a copy of this Pyodide becomes part of site/lite
    python scripts/lite.py --pyodide ADDRESS     browsers load it from https://a.school/pyodide

Any web server can publish the folder; a browser does not run it from a file.
"""

import argparse
import hashlib
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent

#: The lessons that need no threads, processes and sockets; tests/test_lesson.py runs them so.
LESSONS = (
    "00-first-light",
    "01-tensors-and-ranks",
    "02-graphs-and-sessions",
    "03-gradients-and-regression",
    "04-convolutions",
    "05-sequences",
    "06-what-the-session-does",
    "07-debugging",
    "08-pipelines",
    "09-keras-and-loops",
    "10-estimators",
    "11-checkpoints-and-queues",
    "12-devices-and-parallelism",
)
#: What the lessons use beside NumPy, which minitf's wheel requires.
PACKAGES = ("anywidget", "diastatic-malt", "matplotlib", "scikit-learn", "tensorboard")
#: What Pyodide lacks of these and of what they require. The versions are those of this environment.
WHEELS = "anywidget comm diastatic-malt ipywidgets jupyterlab-widgets psygnal tensorboard".split()
#: Requirements that no lesson imports: of the classic notebook, and of TensorBoard's own server.
UNUSED = {"absl-py", "grpcio", "markdown", "pillow", "setuptools", "tensorboard-data-server"}
UNUSED |= {"werkzeug", "widgetsnbextension"}
#: The environment for which requirements are read.
TARGET = {"sys_platform": "emscripten", "platform_system": "Emscripten", "extra": ""}
EXTENSION = Path(sys.prefix, "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension")
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
#: JupyterLab's: no news, the theme of the reader's system, and names of files in full.
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": False},
}
LOCK = "pyodide-lock.json"
LINK = re.compile(r"\[([^\]]+)\]\(([^):]+)\.ipynb\)")


def public() -> str:
    """The address of the Pyodide that the kernel is made for."""
    # Here, so that LESSONS can be read without JupyterLite.
    from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL

    return PYODIDE_CDN_URL


def make_wheels(folder: Path) -> list[Path]:
    """Builds minitf's wheel, and downloads those that Pyodide lacks."""
    hatch = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*hatch, "--directory", folder], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
    pip += ["--only-binary=:all:", "--platform=any", "--abi=none", "--implementation=py"]
    names = [f"{name}=={importlib.metadata.version(name)}" for name in WHEELS]
    subprocess.run([*pip, *names], check=True)
    return sorted(folder.glob("*.whl"))


def entry(wheel: Path) -> dict[str, Any]:
    """What Pyodide's lock file says of a wheel that lies beside it."""
    files = zipfile.ZipFile(wheel).namelist()
    about = next(each for each in files if each.endswith(".dist-info/METADATA"))
    found = importlib.metadata.PathDistribution(zipfile.Path(wheel, about.removesuffix("METADATA")))
    needs = [Requirement(each) for each in found.requires or ()]
    needs = [each for each in needs if each.marker is None or each.marker.evaluate(TARGET)]
    tops = {each.split("/")[0].removesuffix(".py") for each in files if each.endswith(".py")}
    return {
        "name": canonicalize_name(found.name),
        "version": found.version,
        "file_name": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "install_dir": "site",
        "unvendored_tests": False,
        "imports": sorted(each for each in tops if each.isidentifier()),
        "depends": sorted({canonicalize_name(each.name) for each in needs} - UNUSED),
    }


def lock(pyodide: str, wheels: list[Path]) -> dict[str, Any]:
    """Pyodide's lock file with the wheels in it.

    Args:
      pyodide: a folder, whose packages will lie in static/pyodide, or the address of one.
      wheels: lie beside the lock file.

    Raises:
      ValueError: when a package needs one that is not in the file.
    """
    local = Path(pyodide)
    base = public() if local.is_dir() else pyodide
    if local.is_dir():
        made = json.loads((local / LOCK).read_text(encoding="utf-8"))
    else:
        with urllib.request.urlopen(f"{base}/{LOCK}", timeout=60) as answer:
            made = json.load(answer)
    packages = made["packages"]
    for each in packages.values():
        here = local.is_dir() and (local / each["file_name"]).exists()
        each["file_name"] = f"{'../static/pyodide' if here else base}/{each['file_name']}"
    packages |= {each["name"]: each for each in map(entry, wheels)}
    packages["minitf"]["depends"] += PACKAGES
    known = {canonicalize_name(name) for name in packages}
    for each in packages.values():
        missing = {canonicalize_name(name) for name in each["depends"]} - known
        if missing:
            raise ValueError(f"{each['name']} needs what Pyodide has not: {sorted(missing)}")
    return made


def lesson(path: Path) -> str:
    """A notebook for this folder: its kernel is Pyodide's, and it links to what is here."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"]["kernelspec"] = {"name": "python", "display_name": "Python (Pyodide)"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = LINK.sub(_lead, "".join(cell["source"]))
    return json.dumps(notebook, ensure_ascii=False)


def _lead(found: re.Match[str]) -> str:
    return found[0] if found[2] in LESSONS else found[1]


def build(out: Path, pyodide: str | None = None) -> None:
    """Makes the folder; an earlier one there is replaced.

    Args:
      out: the folder.
      pyodide: a folder, of which the result has a copy, or the address of one; None: the public
        one.
    """
    pyodide = pyodide or public()
    with tempfile.TemporaryDirectory() as folder:
        lite = Path(folder, "lite")
        for name in ("pypi", "files", "static"):
            (lite / name).mkdir(parents=True)
        wheels = make_wheels(lite / "pypi")
        for name in LESSONS:
            text = lesson(ROOT / f"notebooks/{name}.ipynb")
            (lite / "files" / f"{name}.ipynb").write_text(text, encoding="utf-8")
        shutil.copytree(ROOT / "examples", lite / "files/examples")  # lesson 12 runs some
        kernel = {"loadPyodideOptions": {"lockFileURL": f"./pypi/{LOCK}"}}
        if Path(pyodide).is_dir():
            (lite / "static/pyodide").symlink_to(Path(pyodide).resolve())
        else:
            kernel["pyodideUrl"] = f"{pyodide}/pyodide.mjs"
        page = {"appName": "minitf", "litePluginSettings": {KERNEL: kernel}}
        fronts = [each for each in wheels if each.name.startswith(("anywidget", "jupyterlab_"))]
        building = {
            "apps": ["lab"],
            "federated_extensions": [str(each) for each in (EXTENSION, *fronts)],
            "ignore_sys_prefix": True,
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
        }
        for name, content in {
            "jupyter-lite.json": {"jupyter-lite-schema-version": 0, "jupyter-config-data": page},
            "jupyter_lite_config.json": {"LiteBuildConfig": building},
            "overrides.json": SETTINGS,
        }.items():
            (lite / name).write_text(json.dumps(content), encoding="utf-8")
        command = [sys.executable, "-m", "jupyterlite_core", "build"]
        subprocess.run(command, cwd=lite, check=True, stdout=subprocess.DEVNULL)
        text = json.dumps(lock(pyodide, wheels))
        (lite / "_output/pypi" / LOCK).write_text(text, encoding="utf-8")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(lite / "_output", out)


def main() -> None:
    """Makes the folder."""
    parser = argparse.ArgumentParser(description="Makes a JupyterLab for a browser tab.")
    parser.add_argument("--out", type=Path, default=ROOT / "site/lite", metavar="FOLDER")
    parser.add_argument("--pyodide", metavar="FOLDER_OR_ADDRESS", help=f"else {public()}")
    arguments = parser.parse_args()
    build(arguments.out, arguments.pyodide)
    print(f"{arguments.out}: a web server shows it; python -m http.server is one.")


if __name__ == "__main__":
    main()
