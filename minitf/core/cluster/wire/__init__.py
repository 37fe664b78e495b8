"""Communication between tasks, from bytes to calls.

framing     messages as bytes: a strict header, raw arrays       handshake   authentication
connection  a blocking socket for one thread at a time           comm        Dask's backend
transport   calls into Dask's event loop                         call        a call as data
channel     the client of calls; tensors during a call           task_server the server of calls
traffic     records of messages
"""
