"""`tf.data`: input pipelines, as operations of the graph whose values are datasets.

    Dataset.range(10).map(f).batch(2)     dataset.py    the class that programs use
            |
    RangeDataset -> MapDataset -> BatchDatasetV2        operations; what flows between them is a
            |                                           `Source`, a description (runtime.py)
    MakeIterator ........ source.iterate(context)       gives a `Cursor`, which an iterator holds
    IteratorGetNext ..... cursor.next()                 one element a step (iterator_ops.py)
    Batch ............... cursor.rows(2)                several elements as one (runtime.py)

Sources stand by family: memory.py, each.py (one element at a time), order.py (batches, buffers,
repetition), nested.py (datasets made of datasets), parallel.py (threads), files.py.
"""
