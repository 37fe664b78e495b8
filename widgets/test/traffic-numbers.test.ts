import { expect, test } from "vitest";
import { formatBytes, formatCount, formatDuration, formatFactor } from "../src/common/look";
import { History, mainClass, POINTS, RateBook, sparkPath } from "../src/traffic/history";
import { classOf, tensorsOf } from "../src/traffic/messages";
import { describe as tell, shareText, slownessText, staleness, stalenessText } from "../src/traffic/panel";
import { crowding, laneWidth, shapePath } from "../src/traffic/stage";
import { taskLabel, type Tick, type TrafficEvent } from "../src/traffic/wire";

const PS = "/job:ps/task:0";
const W0 = "/job:worker/task:0";
const W1 = "/job:worker/task:1";

function event(more: Partial<TrafficEvent>): TrafficEvent {
  return {
    step: "1", tensor: "W/read:0", kind: "recv_tensor", source: PS, destination: W0,
    bytes: 400, start: 0, end: 0.001, ...more,
  };
}

type Count = [source: string, destination: string, messages: number, bytes: number];

function tick(time: number, counts: Count[], more: Partial<Tick> = {}): Tick {
  return {
    time,
    tasks: [PS, W0].map((task) => ({ task, address: "a:1", alive: true, incarnation: "7" })),
    links: counts.map(([source, destination, messages, bytes]) => ({
      source, destination, messages, bytes,
    })),
    events: [],
    waits: [],
    marks: [],
    ...more,
  };
}

test.each([
  [0, "0 B"], [999, "999 B"], [1536, "1.54 kB"], [401408, "401 kB"], [12_345_678, "12.3 MB"],
  [999_950, "1.00 MB"], [5e12, "5.00 TB"], [7e15, "7000 TB"],
])("%d bytes read %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test.each([
  [0, "0 µs"], [0.000042, "42.0 µs"], [0.0009999, "1.00 ms"], [0.25, "250 ms"], [2.5, "2.50 s"],
])("%f s read %s", (seconds, text) => expect(formatDuration(seconds)).toBe(text));

test.each([[1, "1×"], [3.41, "3.4×"], [812.3, "810×"], [12_345, "12,000×"]])(
  "a factor of %f reads %s",
  (factor, text) => expect(formatFactor(factor)).toBe(text),
);

test("counts have commas, tasks short names", () => {
  expect([0, 999, 1234567].map(formatCount)).toEqual(["0", "999", "1,234,567"]);
  expect(["/job:ps/replica:0/task:1", "client"].map(taskLabel)).toEqual(["ps 1", "client"]);
});

test("the class of a message comes from what it is and its ends", () => {
  expect(
    [
      event({}),
      event({ source: W0, destination: PS }),
      event({ source: W0, destination: W1 }),
      event({ tensor: "^init" }),
      event({ tensor: "^init,W/read:0" }),
      event({ kind: "run_graph", tensor: "" }),
      event({ kind: "ping", tensor: "" }),
    ].map(classOf),
  ).toEqual(["from-ps", "to-ps", "tensor", "control", "from-ps", "control", "other"]);
  const mixed = event({ tensor: "W1/read:0,^W1/read,b1/read:0" });
  expect(tensorsOf(mixed)).toEqual(["W1/read:0", "b1/read:0"]);
});

test("what is fed and fetched has the colour of a tensor", () => {
  const client = "/job:client/task:0";
  expect(
    [
      event({ kind: "run_step", tensor: "x:0", source: client, destination: W0 }),
      event({ kind: "run_step", tensor: "right/d2/BiasAdd:0", source: W0, destination: client }),
      event({ kind: "run_graph", tensor: "loss:0", source: W1, destination: W0 }),
      event({ kind: "run_graph", tensor: "updates:0", source: PS, destination: W0 }),
      event({ kind: "run_graph", tensor: "^train", source: W1, destination: W0 }),
      event({ kind: "run_step", tensor: "", source: W0, destination: client }),
      event({ kind: "register_graph", tensor: "graph", source: W0, destination: PS }),
    ].map(classOf),
  ).toEqual(["tensor", "tensor", "tensor", "from-ps", "control", "control", "control"]);
});

test("rates are means over a second of exact counters", () => {
  const book = new RateBook();
  for (const [time, messages] of [[10, 100], [10.5, 110], [11, 120], [11.5, 150]] as const) {
    book.push(tick(time, [[PS, W0, messages, messages * 1000]]));
  }
  const link = book.links.get(`${PS}|${W0}`)!;
  expect(link.rate).toEqual({ messages: 40, bytes: 40_000 });
  expect(book.totals()).toEqual({ messages: 150, bytes: 150_000, rate: link.rate });
  expect(book.tasks.get(PS)!.out.rate.bytes).toBe(40_000);
  expect(book.tasks.get(W0)!.in).toEqual({ messages: 150, bytes: 150_000, rate: link.rate });
});

test("a counter that falls belongs to a restarted task: what it says has come since", () => {
  const book = new RateBook();
  book.push(tick(10, [[PS, W0, 1000, 1000]]));
  book.push(tick(11, [[PS, W0, 5, 50]]));
  expect(book.links.get(`${PS}|${W0}`)!.rate).toEqual({ messages: 5, bytes: 50 });
});

test("restarts are counted, ends that are no tasks are shown, tasks that left go", () => {
  const history = new History();
  const push = (time: number, incarnation: string, counts: Count[] = [["client", PS, 1, 1]]) => {
    history.push(tick(time, counts, { tasks: [{ task: PS, address: "", alive: true, incarnation }] }));
    return [...history.bookAt(time).tasks.values()];
  };
  push(1, "0");
  expect(push(2, "7")[0]!.restarts).toBe(0); // "0": never heard of before
  const tasks = push(3, "8");
  expect(tasks[0]!.restarts).toBe(1);
  expect(tasks.map((t) => [t.task, t.listed])).toEqual([[PS, true], ["client", false]]);
  expect(push(4, "8", []).map((t) => t.task)).toEqual([PS]);
  expect(history.bookAt(2).tasks.get(PS)!.restarts).toBe(0);
});

test("the sampled share compares single messages with the counters", () => {
  const book = new RateBook();
  const some = (n: number) => ({ events: Array.from({ length: n }, () => event({})) });
  book.push(tick(1, [[PS, W0, 500, 1]], some(9)));
  expect(book.sampledShare()).toBeNull();
  book.push(tick(1.2, [[PS, W0, 600, 1], [W0, PS, 100, 1]], some(50)));
  expect(book.sampledShare()).toBe(0.25);
  expect(book.sampledShare(W0)).toBe(0.5);
  expect([null, 1, 0.25, 0.001].map((share) => shareText(share))).toEqual([
    "no messages now: totals are shown", "every message drawn",
    "25% of messages drawn, totals exact", "under 1% of messages drawn, totals exact",
  ]);
});

test("history ends with the newest rate and is empty where nothing is known", () => {
  const book = new RateBook();
  book.push(tick(100, [[PS, W0, 0, 0]]));
  book.push(tick(101, [[PS, W0, 1, 800]]));
  const history = book.tasks.get(PS)!.outHistory;
  expect(history).toHaveLength(POINTS);
  expect(history.slice(-3)).toEqual([0, 0, 800]);
});

test("a link's colour follows its bytes, not its number of messages", () => {
  const book = new RateBook();
  const control = event({ kind: "run_graph", tensor: "", source: W0, destination: PS, bytes: 58 });
  book.push(
    tick(1, [[W0, PS, 4, 600]], {
      events: [control, control, control, event({ source: W0, destination: PS })],
    }),
  );
  expect(mainClass(book.links.get(`${W0}|${PS}`)!)).toBe("to-ps");
});

test("staleness counts the updates between a step's read and its own update", () => {
  const read = (worker: string, step: string, end: number) =>
    event({ destination: worker, step, end });
  const update = (worker: string, step: string, end: number) =>
    event({ source: worker, destination: PS, step, end, tensor: "gradients/W:0" });
  const events = [
    read(W0, "1", 1), read(W1, "2", 1.1),
    update(W1, "2", 2), read(W1, "3", 2.1), update(W1, "3", 3),
    update(W0, "1", 4), // two updates of worker 1 came in between
    event({ source: W0, destination: PS, step: "9", end: 1.5, tensor: "^init" }),
  ];
  expect(staleness(events, () => 1)).toEqual({ mean: 2 / 3, most: 2, steps: 3, bins: [2, 0, 1] });
  expect(staleness(events, () => 1, W0)).toEqual({ mean: 2, most: 2, steps: 1, bins: [0, 0, 1] });
  expect(staleness(events, () => 0.5, W0)).toBeNull(); // one step of a sample says nothing
  const later = (start: number) =>
    events.map((one) => ({ ...one, step: `${start}:${one.step}`, start: one.start + start, end: one.end + start }));
  const many = Array.from({ length: 20 }, (_, i) => later(10 * i)).flat();
  expect(staleness(many, () => 0.5, W0)).toEqual({ mean: 4, most: null, steps: 20, bins: [0, 0, 0, 0, 20] });
  expect(staleness([], () => 1)).toBeNull();
  expect(stalenessText({ mean: 1.44, most: 3, steps: 9, bins: [] })).toBe("1.4 updates, 3 at most");
  expect(stalenessText({ mean: 12.3, most: null, steps: 9, bins: [] })).toBe("about 12 updates");
});

function logOf(...events: TrafficEvent[]) {
  const history = new History();
  history.push({ time: 0, tasks: [], links: [], events, waits: [], marks: [] });
  return history.logAt(Infinity);
}

test("the log gives the last messages of a selection, newest first", () => {
  const log = logOf(
    event({ step: "1" }), event({ step: "2", destination: W1 }), event({ step: "3" }),
    event({ step: "4", source: W1, destination: PS }),
  );
  expect(log.last(3).map((e) => e.step)).toEqual(["4", "3", "2"]);
  expect(log.last(9, W1).map((e) => e.step)).toEqual(["4", "2"]);
  expect(log.last(9, `${PS}|${W0}`).map((e) => e.step)).toEqual(["3", "1"]);
});

test("the panel tells a link's and a task's own numbers", () => {
  const book = new RateBook();
  const log = logOf(event({ tensor: "W/read:0,^W/read", end: 0.0002 }));
  book.push(tick(1, [[PS, W0, 3, 3000], [W0, PS, 1, 40]]));
  expect(tell(`${PS}|${W0}`, book, log, 0.8, 5)).toMatchObject({
    title: "ps 0 → worker 0",
    facts: [
      ["in all", "3 messages, 3.00 kB"], ["now", "0 B/s, 0 messages/s"],
      ["mean message", "1.00 kB"], ["reverse direction", "1 message, 40 B"],
    ],
    rows: [{ name: "W/read:0", size: "400 B", duration: "200 µs", slower: "4,000×" }],
  });
  expect(tell(W0, book, log, 0.8, 5)).toMatchObject({ title: "worker 0", subtitle: "alive · a:1" });
  expect(tell("gone", book, log, 0.8, 5).title).toBe("All tasks");
  expect(slownessText(log, 0.8)).toBe("about 4,000× slower than real");
  expect(slownessText(log, 0.8, 100)).toBe(
    "slow motion, 100× slower: 50.0 ms shown in 5 s, then the newest",
  );
});

test("widths, sizes and shapes", () => {
  expect([0, 100, 1e4, 1e12].map(laneWidth)).toEqual([1.5, 1.5, 3.5, 7]);
  expect([0, 200, 800, 5000].map(crowding)).toEqual([1, 1, 0.5, 0.5]);
  expect(sparkPath([0, 5, 10], 10, 20, 8)).toBe("M0 8L0 8L10 4L20 0L20 8Z");
  expect(shapePath("square", 2)).toBe("M-1.8 -1.8H1.8V1.8H-1.8Z");
});
