"""Communication between tasks, from bytes to calls.

framing     messages as bytes: a strict header, raw arrays       handshake   authentication
connection  a blocking socket for one thread at a time           comm        Dask's backend
tcp         connecting, listening, TLS                           call        a call as data
transport   the same by options, and inside of one process
channel     the client of calls; tensors during a call           task_server the server of calls
traffic     records of messages
"""
