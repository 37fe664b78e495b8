"""A task that only serves: `python serve.py SPEC JOB INDEX`."""

import json
import sys

from minitf.core.cluster.service.server import Server

if __name__ == "__main__":
    server = Server(json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    print("serves", flush=True)
    server.join()
