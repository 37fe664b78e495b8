"""Graphs: types, shapes, operations, tensors, names.

    dtypes shapes device_spec errors nest    plain values; they know no graph
    messages attr_value                      the same as TensorFlow's messages have them
    stacks                                   what is current in a thread; collections
    op_def                                   the registry: an operation type, declared
    convert  build                           from Python values to typed inputs; inferred shapes
    tensor  graph                            tensors and operations; the graph itself
    composites                               sparse tensors and rows of tensors
    func_graph                               the body of a function, a loop or a branch
    graph_def  untrusted  importer           a graph as data, checked, and made again
    process  logging                         the Python process, messages

The lowest layer: it imports NumPy and nothing else of minitf.
"""
