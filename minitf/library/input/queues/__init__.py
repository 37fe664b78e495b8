"""Queues: the operations, the classes, the threads that fill them, and batches made from them.

producers --> queue --> batch        runner and coordinator look after the threads
"""
