"""The functions of a model that `tf.saved_model.save` writes: its call, and what is served.

loaded(x, training=False)                     as the model
loaded.signatures["serving_default"](i=x)     from named inputs to named outputs
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import nest
from minitf.library.eager.function import Function
from minitf.library.eager.type_specs import TensorSpec


def served_functions(model: Any) -> dict[str, Function]:
    """The functions of a model, traced; none of one that was never called.

    Args:
      model: the model.
    """
    structure = model.inputs
    if getattr(model, "_is_graph_network", False):
        structure = model._nested_inputs
    elif not structure:
        structure = getattr(model, "_called_on", None)
    if structure is None:
        return {}
    names = list(model.input_names or ())
    specs = []
    for place, each in enumerate(nest.flatten(structure)):
        sizes = each.shape.as_list() if each.shape.ndims else []
        shape = [None, *sizes[1:]] if sizes else each.shape
        name = names[place] if place < len(names) else f"input_{place + 1}"
        specs.append(TensorSpec(shape, each.dtype.base_dtype, name))
    given: Any = nest.pack_sequence_as(structure, specs) if nest.is_nested(structure) else specs[0]

    takes = "training" in model._call_arguments

    def call(inputs: Any, training: bool = False) -> Any:
        return model(inputs, **({"training": training} if takes else {}))

    def serving(*inputs: Any) -> dict[str, Any]:
        nested = nest.is_nested(structure)
        arranged = nest.pack_sequence_as(structure, list(inputs)) if nested else inputs[0]
        results = nest.flatten(call(arranged))
        known = list(model.output_names or ())
        if len(known) != len(results):
            known = [f"output_{place + 1}" for place in range(len(results))]
        return dict(zip(known, results, strict=True))

    whole = Function(call, "call", autograph=False)
    for training in (False, True) if takes else (False,):
        whole.get_concrete_function(given, training=training)
    serve = Function(serving, "serving_default", tuple(specs), autograph=False)
    return {"__call__": whole, "_default_save_signature": serve}
