"""`tf.data`: input pipelines, as operations of the graph whose values are datasets.

    Dataset.range(10).map(f).batch(2)     dataset.py    the class that programs use
            |
    RangeDataset -> MapDataset -> BatchDatasetV2        operations; what flows between them is a
            |                                           `Source`, a description (cursors.py)
    MakeIterator ........ source.iterate(context)       gives a `Cursor`, which an iterator holds
    IteratorGetNext ..... cursor.next()                 one element a step (iterators.py)
    Batch ............... cursor.rows(2)                several elements as one (cursors.py)

A transformation is one class of cursors, which declares its operation; the method of `Dataset`
stands below it: order.py (which elements, in which order), batches.py, mapping.py (functions
of elements), prefetching.py (threads). Pipelines begin in sources.py, files.py and tables.py.
"""
