"""What a graph is: types, shapes, operations, tensors, names.

    dtypes shapes device_spec errors nest    plain values; they know no graph
    stacks                                   what is current in a thread
    op_def                                   the registry: an operation type, declared
    convert  build                           from Python values to typed inputs; inferred shapes
    tensor  graph                            tensors and operations; the graph itself
    func_graph  graph_def                    functions; a graph as data

The lowest layer: it imports NumPy and nothing else of minitf.
"""
