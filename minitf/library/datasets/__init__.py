"""Ready data sets: real data, fetched once, kept in a folder of the user's choice.

    loading      by name to a tf.data.Dataset        minitf.datasets.load("mnist", split="train")
    catalog      what sets there are                 info: what they are made of
    load_data    as arrays                           tf.keras.datasets.mnist.load_data()
    mnist        in batches                          examples.tutorials.mnist.input_data
    files        their addresses and formats         download: how they come

What cannot be fetched is never made up in silence: where real data of another origin stand in, a
line on the screen says so.
"""
