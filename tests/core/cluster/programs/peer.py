"""A task server alone in its process: prints its address, then answers until it is killed."""

import sys
import time

from minitf.core.cluster.wire.task_server import TaskServer

server = TaskServer("/job:ps/task:0")
server.handle("sleep", lambda call: (time.sleep(call.fields["seconds"]) or {}, ()))
print(server.start(sys.argv[1]), flush=True)
server.stopped.wait()
