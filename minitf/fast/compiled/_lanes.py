"""Sixteen numbers at once, kept in a register for as long as a loop needs them.

LLVM makes vectors of simple loops by itself, but what such a loop adds to is memory: a sum over a
window is read and written once for each element of the window. `Lanes` is LLVM's own vector, a type
for numba. A local variable of it is a register, so that sums over windows cost one store:

    for c in range(0, channels, WIDTH):
        count, total = channels - c, spread(0)
        for tap in range(taps):
            total += load(x, corner + offsets[tap] + c, count) * load(w, tap * channels + c, count)
        store(total, y, place + c, count)

Arrays are rows of numbers. At most `count` of them are touched, the lanes beyond are 0; whether a
place is inside is looked at by nobody.
"""

from __future__ import annotations

import operator
from typing import Any

from minitf.fast import translations
from minitf.fast.compiled._loops import cgutils, intrinsic, ir, types

if translations.translating:
    from numba.core.datamodel import default_manager, models
    from numba.core.imputils import lower_builtin
    from numba.core.typing.templates import ConcreteTemplate, infer_global, signature

__all__ = ["WIDTH", "beats", "choose", "fetch", "load", "same", "spread", "store"]

WIDTH = 16  # a register of AVX-512; two of AVX2, four of others

lanes: Any = None
mask: Any = None
_FLOATS = {
    operator.add: "fadd",
    operator.iadd: "fadd",
    operator.mul: "fmul",
    operator.truediv: "fdiv",
}


def _vector(element: Any) -> Any:
    return ir.VectorType(element, WIDTH)


def _declare_types() -> None:
    """Tells numba of vectors of floats and of truth values, and what + * / do with the former."""
    global lanes, mask

    def kind(name: str, element: Any) -> Any:
        def model(manager: Any, made: Any) -> Any:
            return models.PrimitiveModel(manager, made, _vector(element))

        made = type(name, (types.Type,), {})
        default_manager.register(made, model)
        return made(name)

    lanes, mask = kind("Lanes", ir.FloatType()), kind("Mask", ir.IntType(1))
    for operation, instruction in _FLOATS.items():
        cases = {"cases": [signature(lanes, lanes, lanes)]}
        infer_global(operation)(type(instruction, (ConcreteTemplate,), cases))

        def code(context, builder, signature, args, instruction=instruction):
            return getattr(builder, instruction)(*args, flags=("contract",))

        lower_builtin(operation, lanes, lanes)(code)


if translations.translating:
    _declare_types()


def _all(builder: Any, element: Any) -> Any:
    """A vector of one value sixteen times."""
    empty = ir.Constant(_vector(element.type), ir.Undefined)
    first = builder.insert_element(empty, element, ir.Constant(ir.IntType(32), 0))
    places = ir.Constant(_vector(ir.IntType(32)), [0] * WIDTH)
    return builder.shuffle_vector(first, empty, places)


def _first(builder: Any, count: Any) -> Any:
    """The mask of the first so many lanes."""
    kind = ir.IntType(32)
    numbers = ir.Constant(_vector(kind), list(range(WIDTH)))
    return builder.icmp_signed("<", numbers, _all(builder, builder.trunc(count, kind)))


def _place(context: Any, builder: Any, array_type: Any, array: Any, place: Any) -> Any:
    """Where a number of an array is, as the address of a vector that begins there."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), _vector(ir.FloatType()).as_pointer())


def _masked(builder: Any, name: str, *kinds: Any) -> Any:
    kind = ir.FunctionType(*kinds)
    return cgutils.get_or_insert_function(builder.module, kind, f"llvm.masked.{name}.v16f32.p0")


@intrinsic
def load(typing_context: Any, array: Any, place: Any, count: Any) -> Any:
    """Up to `count` numbers of an array, from a place on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = _vector(ir.FloatType())
        place = _place(context, builder, array, args[0], args[1])
        valid = _first(builder, args[2])
        align = ir.Constant(ir.IntType(32), 4)
        function = _masked(builder, "load", kind, [place.type, align.type, valid.type, kind])
        return builder.call(function, [place, align, valid, ir.Constant(kind, None)])

    return lanes(array, types.intp, types.intp), code


@intrinsic
def store(typing_context: Any, value: Any, array: Any, place: Any, count: Any) -> Any:
    """Writes up to `count` lanes into an array, from a place on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, array, args[1], args[2])
        whole = builder.icmp_signed(">=", args[3], ir.Constant(args[3].type, WIDTH))
        with builder.if_else(whole) as (then, otherwise):  # a load has to wait for a mask
            with then:
                builder.store(args[0], place, align=4)
            with otherwise:
                valid, align = _first(builder, args[3]), ir.Constant(ir.IntType(32), 4)
                kinds = [args[0].type, place.type, align.type, valid.type]
                function = _masked(builder, "store", ir.VoidType(), kinds)
                builder.call(function, [args[0], place, align, valid])
        return context.get_dummy_value()

    return types.void(lanes, array, types.intp, types.intp), code


@intrinsic
def fetch(typing_context: Any, array: Any, place: Any) -> Any:
    """Has what stands from a place on brought into the cache, for a load to come."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place, number = _place(context, builder, array, *args), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), code


@intrinsic
def spread(typing_context: Any, number: Any) -> Any:
    """One number in all lanes."""
    return lanes(types.float32), lambda context, builder, signature, args: _all(builder, args[0])


@intrinsic
def beats(typing_context: Any, new: Any, old: Any) -> Any:
    """Where a new number is to replace the largest until now: it is larger, or the first NaN."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        larger = builder.fcmp_unordered(">", *args)
        return builder.and_(larger, builder.fcmp_ordered("ord", args[1], args[1]))

    return mask(new, old), code


@intrinsic
def same(typing_context: Any, one: Any, other: Any) -> Any:
    """Where two numbers are equal."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fcmp_ordered("==", *args)

    return mask(one, other), code


@intrinsic
def choose(typing_context: Any, where: Any, one: Any, other: Any) -> Any:
    """Lanes of one where a mask says so, of another elsewhere."""
    return lanes(where, one, other), lambda context, builder, signature, args: builder.select(*args)
