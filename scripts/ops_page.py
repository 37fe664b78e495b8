"""Makes docs/ops.md: every operation with its formula, its shape, its gradient and its tiers.

    python scripts/ops_page.py            writes docs/ops.md
    python scripts/ops_page.py --check    says whether it is up to date, by the exit status

An op is declared in one place; this page is the list that no file holds. What it says is read from
the registry, and from the declaration's text where a row of a table has a formula or a derivative.
"""

import ast
import importlib
import inspect
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/ops.md"
LONGEST = 90  # characters of a formula or a derivative; a longer one is named, not shown

sys.path.insert(0, str(ROOT))

import minitf as tf  # noqa: E402
from minitf.core.graph.op_def import OpDef, all_op_defs, load_all_ops  # noqa: E402
from minitf.core.kernels.table import Kernel  # noqa: E402

HEAD = """\
# The operations

Every operation type of minitf, by the file that declares it. The page is made from the registry by
`python scripts/ops_page.py`, and a test holds it equal.

- *inputs -> outputs*: as declared; `T` is bound by the first tensor, `N*T` is a list, `T&` a
  reference to a variable. **host**: inputs that are in host memory on every device.
- *computes*: the first sentence of its docstring, and the formula from which its kernel comes,
  where it has one.
- *gradient*: an expression of operations, or the function that holds it. Of a row of a table, `x`,
  `y` are the inputs, then the output, `dy` or `dz` its gradient. "none" ends the way back in
  silence, "-" refuses it with TensorFlow's `LookupError`.
- *tiers*: kernels that may run instead of the reference in NumPy.
"""


def page() -> str:
    """The whole page."""
    load_all_ops()
    declared = dict(_declarations())
    by_file: dict[str, list[OpDef]] = defaultdict(list)
    for op_def in all_op_defs():
        module = str(op_def.__module__)
        if not module.startswith("minitf.") or ".testing." in module:
            continue  # declared by a test, or for tests
        file, _ = declared.get(op_def.type, (_file_of(op_def.__module__), None))
        by_file[file].append(op_def)
    count = sum(map(len, by_file.values()))
    parts = [HEAD, f"{count} operations in {len(by_file)} files.\n"]
    for file in sorted(by_file, key=lambda file: (not file.startswith("minitf/core"), file)):
        parts.append(f"## {file}\n\n{_first_line(_module(file).__doc__)}\n")
        parts.append(
            "| operation | inputs -> outputs | computes | gradient | tiers |\n|---|---|---|---|---|"
        )
        for op_def in by_file[file]:
            _, row = declared.get(op_def.type, (None, None))
            parts.append(_line(op_def, row))
        parts.append("")
    return "\n".join(parts)


def _line(op_def: OpDef, row: ast.Call | None) -> str:
    computes = _cell(_first_line(op_def.__doc__))
    formula = op_def.arithmetic or op_def.expr or ""
    names = [f"{a.name}[{i}]" for a in op_def.inputs for i in (0, 1) if a.is_list]
    names = names or [a.name for a in op_def.inputs]
    formula = re.sub(r"\{(\d+)\}", lambda place: names[int(place[1])], formula)
    formula = re.sub(r"\{(\w+)\}", r"\1", formula)  # an attribute
    if 0 < len(formula) <= LONGEST:
        computes += f" {_code(formula)}"
    cells = (
        f"**{op_def.type}**",
        _signature(op_def),
        computes,
        _gradient(op_def, row),
        _tiers(op_def),
    )
    return f"| {' | '.join(cells)} |"


def _signature(op_def: OpDef) -> str:
    text = _code(op_def.signature.strip())
    hosts = [arg.name for i, arg in enumerate(op_def.inputs) if i in op_def.host_inputs]
    return f"{text} **host** {', '.join(map(_code, hosts))}" if hosts else text


def _gradient(op_def: OpDef, row: ast.Call | None) -> str:
    """The derivative of a row, the one expression of a function, or the function's name."""
    if not op_def.differentiable:
        return "none"
    function = op_def.gradient_function
    if function is None:
        return "-"
    rule = row.args[-1] if row and len(row.args) > 2 else None
    if isinstance(rule, ast.Name):
        return _code(rule.id)
    expression = rule.body if isinstance(rule, ast.Lambda) else _only_expression(function)
    if expression is not None and len(text := ast.unparse(expression)) <= LONGEST:
        return _code(text)
    return "a longer one" if "<" in function.__qualname__ else _code(function.__name__)


def _only_expression(function: Callable[..., Any]) -> ast.expr | None:
    """What a function returns, where that is all it does."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):
        return None
    body = getattr(tree.body[0], "body", [])
    statements = [
        s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
    ]
    if len(statements) == 1 and isinstance(statements[0], ast.Return):
        return statements[0].value
    return None


def _tiers(op_def: OpDef) -> str:
    """The tiers of the kernels of the table that the op's own kernel calls."""
    found: list[Kernel] = []
    seen: set[Any] = set()
    waiting = [op_def.kernel, op_def.bind_function]
    while waiting:
        function = waiting.pop()
        if isinstance(function, Kernel):
            found.append(function)
        elif inspect.isfunction(function) and function not in seen:
            seen.add(function)
            waiting += [
                function.__globals__.get(name)
                for code in (function.__code__, *_inner(function.__code__))
                for name in code.co_names
            ]
    names = {tier for kernel in found for tier in kernel.tiers} - {"numpy"}
    names |= {"numba" for kernel in found if kernel.compiled}
    return ", ".join(sorted(names))


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _declarations() -> Iterator[tuple[str, tuple[str, ast.Call | None]]]:
    """For each op type the file that declares it, and the call that does."""
    types = {op_def.type for op_def in all_op_defs()}
    for path in sorted((ROOT / "minitf").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            calls: list[ast.expr] = []
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) and node.value:
                calls = [node.value] if node.col_offset == 0 else []
            elif isinstance(node, ast.FunctionDef):
                calls = node.decorator_list
            for call in calls:
                if (
                    isinstance(call, ast.Call)
                    and call.args
                    and isinstance(call.args[0], ast.Constant)
                ):
                    if call.args[0].value in types and len(call.args) > 1:
                        yield call.args[0].value, (str(path.relative_to(ROOT)), call)


def _file_of(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def _module(file: str) -> Any:
    return importlib.import_module(file.removesuffix(".py").replace("/", "."))


def _first_line(text: str | None) -> str:
    return " ".join((text or "").strip().split("\n\n")[0].split())


def _code(text: str) -> str:
    return f"`{_cell(text)}`"


def _cell(text: str) -> str:
    """Text that stays in one cell of a table."""
    return text.replace("|", "\\|")


def main() -> int:
    """Writes the page, or checks it."""
    assert tf.__version__
    text = page()
    if "--check" in sys.argv[1:]:
        return int(PAGE.read_text() != text)
    PAGE.write_text(text)
    print(f"{PAGE.relative_to(ROOT)}: {len(text.splitlines())} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
