"""What goes over a connection between tasks, from bytes to calls.

framing     messages as bytes: a strict header, raw arrays       handshake   who may speak
connection  a blocking socket for one thread at a time           comm        Dask's backend
transport   calls into Dask's event loop                         call        a call as data
channel     asks, and waits; tensors on the way of a call        task_server answers
traffic     what went over
"""
