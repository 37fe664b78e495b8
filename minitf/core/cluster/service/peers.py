"""Access of one task to the others of the cluster: channels by task name, and the rendezvous."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.cluster.wire.call import Expected, decode_error, derived
from minitf.core.cluster.wire.channel import Channel, Pending, Talk
from minitf.core.cluster.wire.traffic import TrafficTap
from minitf.core.cluster.wire.transport import TransportOptions
from minitf.core.graph import errors
from minitf.core.kernels.host import on_host
from minitf.core.runtime.run.rendezvous import Key, Rendezvous, standing


class Peers:
    """The channels of one task to the others.

    Args:
      own_task: the task that calls.
      options: token, TLS and timeouts.
      tap: records the messages.
      kept: state of libraries for the task, by name; shared with its TaskServer.
    """

    def __init__(
        self,
        own_task: str,
        options: TransportOptions,
        tap: TrafficTap,
        kept: dict[str, Any] | None = None,
    ):
        self.kept = {} if kept is None else kept
        self.own_task = own_task
        self.options = options
        self.tap = tap
        self._addresses: dict[str, str] = {}
        self._channels: dict[str, Channel] = {}
        self._lock = threading.Lock()

    def set_cluster(self, spec: ClusterSpec) -> None:
        """Sets the addresses of the tasks; closes channels to tasks that have moved."""
        addresses = spec.addresses()
        with self._lock:
            for task in list(self._channels):
                if addresses.get(task) != self._addresses.get(task):
                    self._channels.pop(task).close()
            self._addresses = addresses

    @property
    def tasks(self) -> list[str]:
        """The names of all tasks of the cluster, including this one."""
        return list(self._addresses)

    def address(self, task: str) -> str:
        """Returns "host:port" of a task."""
        try:
            return self._addresses[task]
        except KeyError:
            raise errors.InvalidArgumentError.of(
                f"The cluster has no task {task}: it has {', '.join(self._addresses)}"
            ) from None

    def channel(self, task: str) -> Channel:
        """Returns the channel to a task, made at first use."""
        found = self._channels.get(task)
        if found is None:
            address = self.address(task)
            with self._lock:
                found = self._channels.setdefault(task, Channel(address, self.options))
        return found

    def close(self) -> None:
        """Closes all channels."""
        with self._lock:
            for channel in self._channels.values():
                channel.close()
            self._channels.clear()


# ---- remote rendezvous -------------------------------------------------------------------
#
# The rendezvous of a step in several tasks: a Recv fetches the tensor from the task that sends it.
#
#     task A                                   task B
#       _Send "W:0" --> store                    _Recv "W:0", "b:0"
#                         ^--- recv_tensor(step, [W:0, b:0]) ---'   one message for all of them
#
# Tensors go directly from the task that made them to the task that needs them, not through the
# master. Send never blocks. A Recv waits until the tensor is there or the step is aborted. It fails
# within milliseconds when the peer dies, and after missed heartbeats when the peer hangs.


class RemoteRendezvous(Rendezvous):
    """The rendezvous of a step in one task.

    Args:
      step_id: the step.
      peers: the other tasks.
    """

    def __init__(self, step_id: int, peers: Peers):
        super().__init__(number=step_id)
        self.peers = peers
        self.incarnations: Mapping[str, int] = {}  # of the tasks that take part
        self._incoming: Mapping[Key, Expected] = {}
        self._calls: set[Pending] = set()
        self._talks: dict[str, Talk] = {}
        self._to_send: int | None = None  # tensors for other tasks; None until the step starts here
        self._taken = 0  # how many of them were fetched
        self.running = False  # whether the task's own program runs
        self.master: Any = None  # the connection that the step came over, None in one process

    def begin(
        self,
        to_send: int,
        incarnations: Mapping[str, int],
        deadline: float | None,
        talks: Sequence[Talk] = (),
        master: Any = None,
        incoming: Mapping[Key, Expected] | None = None,
    ) -> None:
        """Starts the step in this task.

        Args:
          to_send: how many tensors it sends to other tasks.
          incarnations: of the tasks from which it receives.
          deadline: a `time.monotonic()` time, or None.
          talks: connections to tasks that exchange tensors on them, without `recv_tensor`.
          master: the connection of the call, None within one process.
          incoming: the types and shapes of tensors from other tasks.
        Raises:
          OpError: the error for which the step was aborted already.
        """
        with self._condition:
            self.master = master
            self.running = True
            self._talks = {talk.task: talk for talk in talks}
            self._to_send = to_send
            self.incarnations = incarnations
            self._incoming = incoming or {}
            self._deadline = deadline
        self.check()  # `abort` may not have seen the talks

    def send(self, key: Key, value: Any) -> None:
        """Stores a tensor for its receiver. Never blocks."""
        talk = self._talks.get(key.receiving_task) if self._talks else None
        if talk is None:
            super().send(key, value)
        else:
            talk.put(key, on_host(value))
            self._taken += 1

    def flush(self) -> None:
        """Sends the tensors that were collected for the tasks of this step's talks."""
        for talk in self._talks.values():
            talk.flush()
        if self._error is not None and self._talks:
            self.check()  # nothing was sent

    def end_talks(self) -> None:
        """Leaves the talks: this task's program has ended, while their calls go on."""
        self._talks = {}

    def recv_many(self, keys: Sequence[Key]) -> list[Any]:
        """Takes the values of `keys`, from here or from other tasks.

        It sends the requests to all tasks before it waits for the first reply.
        """
        tensors = ",".join(key.tensor for key in keys)
        with standing(self, tensors, "_Recv", keys[0].sending_task):
            return self._receive(keys, time.time())

    def _receive(self, keys: Sequence[Key], start: float) -> list[Any]:
        self.flush()
        here: list[Key] = []
        heard: list[tuple[Talk, Key]] = []
        asked: dict[str, list[Key]] = {}
        for key in keys:
            task = key.sending_task
            if task == self.peers.own_task:
                here.append(key)
            elif task in self._talks:
                heard.append((self._talks[task], key))
            else:
                asked.setdefault(task, []).append(key)
        calls: list[Pending] = []
        try:
            for task, wanted in asked.items():
                calls.append(self._ask(task, wanted))
            for talk, key in heard:
                self._listen(talk, key, start)
                here.append(key)
            values = super().recv_many(here)
            if asked:
                found = dict(zip(here, values))
                for task, wanted in asked.items():
                    found.update(zip(wanted, self._answer(task, wanted, calls.pop(0), start)))
                values = [found[key] for key in keys]
        finally:
            for call in calls:  # after a failure: nobody waits for these any more
                self._calls.discard(call)
                call.drop()
        for key, value in zip(keys, values):
            if key in self._incoming:
                self._incoming[key].check(value, f"Cannot take from {key.sending_task} a")
        return values

    def take_for_peer(self, keys: Sequence[Key]) -> list[Any]:
        """Takes the values of `keys` that this task sends, for the peer that asks."""
        values = super().recv_many(keys)
        with self._condition:
            self._taken += len(keys)
        return values

    @property
    def is_over(self) -> bool:
        """Whether the program has ended here, and all tensors for other tasks have been fetched."""
        return not self.running and self._taken == self._to_send

    def abort(self, error: BaseException) -> None:
        """Aborts the step, also where it waits for other tasks."""
        super().abort(error)
        for call in list(self._calls):
            call.interrupt()
        for talk in list(self._talks.values()):
            talk.interrupt()

    def _ask(self, task: str, keys: list[Key]) -> Pending:
        timeout = None
        if self._deadline is not None:
            timeout = max(self._deadline - time.monotonic(), 0.001)
        call = self.peers.channel(task).begin(
            "recv_tensor",
            {"step": self.number, "keys": [key.text for key in keys]},
            timeout=timeout,
            incarnation=self.incarnations.get(task),
        )
        self._calls.add(call)
        if self._error is not None:  # aborted meanwhile: `abort` may not have seen this call
            call.interrupt()
        return call

    def _listen(self, talk: Talk, key: Key, start: float) -> None:
        """Receives messages of the task at the other end until `key` has arrived."""
        while key not in self._arrived:
            if self._error is not None:
                self.check()
            if talk.reply is not None:
                raise self._echo(talk)
            try:
                messages = talk.receive(self._deadline)
            except TimeoutError:
                raise errors.DeadlineExceededError.of(
                    f"Timed out waiting for tensor '{key.tensor}' of {talk.task}."
                ) from None
            except errors.OpError:
                if self._error is not None:
                    raise self._error from None
                raise
            for keys, values, nbytes in messages:
                self._arrived.update(zip(keys, values))
                self._record(talk.task, keys, nbytes, start)

    def _record(self, task: str, keys: Sequence[Key], nbytes: int, start: float) -> None:
        """Records a message with tensors of another task."""
        names, own = ",".join(key.tensor for key in keys), self.peers.own_task
        self.peers.tap.record(self.number, names, "recv_tensor", task, own, nbytes, start)

    def _echo(self, talk: Talk) -> BaseException:
        """Returns the error for a call that has ended in the other task before a tensor came."""
        fields = talk.reply[0] if talk.reply is not None else {}
        if "error" in fields:
            return derived(decode_error(fields))
        text = f"{talk.task} ended the step before it had sent its tensors."
        return derived(errors.AbortedError.of(text))

    def _answer(self, task: str, keys: list[Key], call: Pending, start: float) -> list[Any]:
        try:
            answer = call.finish()
        except errors.OpError as error:
            if self._error is not None:
                raise self._error from None
            # That task reports its failure to the master itself; this error is an echo of it.
            if not isinstance(error, errors.UnavailableError | errors.DeadlineExceededError):
                derived(error)
            raise
        finally:
            self._calls.discard(call)
        self._record(task, keys, answer.received, start)
        values, wanted = iter(answer.arrays), sum(not key.is_control for key in keys)
        if len(answer.arrays) != wanted:
            raise errors.InvalidArgumentError.of(
                f"{answer.origin}Expected {wanted} tensors, got {len(answer.arrays)}"
            )
        return [None if key.is_control else next(values) for key in keys]
