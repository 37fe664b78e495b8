"""Answers to builders 4 that are right in part; the points of each stand beside its name."""

import numpy as np

import minitf as tf


# %% pack-answer: 3
def pack(what, arrays):
    """A message as bytes."""
    described = [[name, str(a.dtype), list(a.shape)] for name, a in arrays.items()]
    header = json.dumps({"what": what, "arrays": described}).encode()
    return struct.pack(">I", len(header)) + header + b"".join(a.tobytes() for a in arrays.values())


def unpack(read):
    """(what, arrays) of the message that `read(n)` gives the bytes of."""
    [length] = struct.unpack(">I", read(4))
    header = json.loads(read(length))
    arrays = {}
    for name, dtype, shape in header["arrays"]:
        size = int(np.prod(shape, dtype=int)) * np.dtype(dtype).itemsize
        arrays[name] = np.frombuffer(read(size), dtype).reshape(shape)
    return header["what"], arrays


# %% server-answer: 2
class Server:
    """Keeps weights, and answers at a socket."""

    def __init__(self, weights, rate):
        self.weights = {name: np.array(array) for name, array in weights.items()}
        self.rate, self.step = rate, 0
        self.lock = threading.Lock()
        self.bytes = 0

    def pull(self):
        """All weights, and the number of pushes as "step"."""
        with self.lock:
            copies = dict(self.weights)
            return {**copies, "step": np.array(self.step, np.int64)}

    def push(self, gradients):
        """Takes a step down."""
        with self.lock:
            for name, gradient in gradients.items():
                self.weights[name] -= self.rate * gradient
            self.step += 1


# %% socket-answer: 2
def answer(server, what, arrays):
    """What the server sends back, as bytes."""
    if what == "pull":
        return pack("weights", server.pull())
    if what == "push":
        server.push(arrays)
        return pack("done", {})
    return pack("unknown", {})


def ask(connection, what, arrays):
    """Sends a message; returns the arrays of the answer."""
    connection.sendall(pack(what, arrays))
    _, got = unpack(lambda n: exactly(connection, n))
    return got


# %% place-answer: 0
def train_step(connection, session, net, rows):
    """Pull, compute, push. Returns how many pushes of others came in between."""
    before = ask(connection, "pull", {})
    for name, variable in net.variables.items():
        variable.load(before[name], session)
    gradients = session.run(
        net.gradients, {net.images: digit_images[rows], net.truth: labels[rows]}
    )
    ask(connection, "push", gradients)
    after = ask(connection, "pull", {})
    return int(after["step"]) - int(before["step"])
