"""Ready data sets: real data, fetched once, kept in a folder of the user's choice.

What cannot be fetched is never made up in silence: where real data of another origin stand in, a
line on the screen says so.
"""
