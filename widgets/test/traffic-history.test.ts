import { expect, test } from "vitest";
import { shortBytes } from "../src/common/look";
import { History, owner } from "../src/traffic/history";
import { opOf, termOf, wordsOf } from "../src/traffic/messages";
import { byteCurve, longWaits, numberCurves, sinceText, waitText } from "../src/traffic/panel";
import { Replay } from "../src/traffic/replay";
import { lifeOf, type Mark, shortLabel, type Tick, type TrafficEvent } from "../src/traffic/wire";

const PS = "/job:ps/task:0";
const W0 = "/job:worker/task:0";
const W1 = "/job:worker/task:1";

function event(start: number, more: Partial<TrafficEvent> = {}): TrafficEvent {
  return {
    step: "1", tensor: "W/read:0", kind: "recv_tensor", source: PS, destination: W0,
    bytes: 400, start, end: start + 0.01, ...more,
  };
}

function tick(time: number, messages: number, events: TrafficEvent[], marks: Mark[] = []): Tick {
  return {
    time,
    tasks: [PS, W0].map((task) => ({ task, address: "a:1", alive: true, incarnation: "7" })),
    links: [{ source: PS, destination: W0, messages, bytes: 400 * messages }],
    events,
    waits: [{ task: W0, what: "q", text: "waits in q: the queue is empty", seconds: time - 1000 }],
    marks,
  };
}

/* Ten seconds of two workers, each with a step a second: a read, and a gradient half a second on. */
function recorded(): History {
  const history = new History();
  for (let i = 0; i < 50; i += 1) {
    const time = 1000 + i / 5;
    const step = String(Math.floor(i / 5) + 1);
    const events: TrafficEvent[] = [];
    for (const [worker, late] of [[W0, 0], [W1, 0.1]] as const) {
      if (i % 5 === 0) events.push(event(time + late, { destination: worker, step }));
      if (i % 5 === 3) events.push(event(time + late, { source: worker, destination: PS, step, tensor: "g:0" }));
    }
    history.push(tick(time, 2 * i, events, i % 10 ? [] : [[time, "loss", 10 - i / 5], [time, "step", i]]));
  }
  return history;
}

test("totals at a moment are those of the counters then, forwards and back", () => {
  const history = recorded();
  const totals = (time: number) => history.bookAt(time).totals().messages;
  expect([1009.8, 1000, 1004.1, 1004.3, 990, 2000].map(totals)).toEqual([98, 0, 40, 42, 0, 98]);
  expect(history.bookAt(1005).totals().rate.messages).toBeCloseTo(10, 1);
});

test("while nothing moves no tick is kept, and rates fall to nothing", () => {
  const history = new History();
  const still = (time: number) => ({ ...tick(time, 5, []), waits: [] });
  history.push(tick(1000, 0, []));
  history.push(still(1000.5));
  expect(history.bookAt(1000.5).totals().rate.messages).toBe(10);
  for (let i = 1; i < 20; i += 1) history.push(still(1000.5 + i / 5));
  expect(history.ticks.length).toBe(2);
  expect(history.bookAt(history.until).totals()).toMatchObject({ messages: 5, rate: { messages: 0 } });
  expect(history.waitsAt(history.until)).toEqual([]);
});

test("what is under way depends on the moment alone", () => {
  const history = recorded();
  const there = (time: number, shown: number) =>
    history.inFlight(time, shown).map((p) => [p.event.destination, p.event.step]);
  expect(there(1002.005, 0)).toEqual([[W0, "3"]]);
  expect(there(1002.15, 0.3)).toEqual([[W0, "3"], [W1, "3"]]);
  expect(there(1002.5, 0.1)).toEqual([]);
  expect(there(1002.005, 0)).toEqual([[W0, "3"]]);
  expect(history.logAt(1002.05).last(2).map((e) => [e.step, e.destination])).toEqual([["3", W0], ["2", PS]]);
});

test("steps go from the first request to the last message of a worker", () => {
  const history = recorded();
  const steps = history.steps();
  expect(steps.length).toBe(20);
  expect(steps[2]).toMatchObject({ task: W0, step: "2", from: 1001 });
  expect(steps[2]!.until).toBeCloseTo(1001.61, 6);
  expect(owner(event(0, { source: "client", destination: PS }))).toBeNull();
});

test("old messages are forgotten with their ticks and steps", () => {
  const history = new History(30);
  for (let i = 0; i < 100; i += 1) history.push(tick(1000 + i, i, [event(1000 + i, { step: String(i) })]));
  expect(history.events.length).toBeLessThanOrEqual(30);
  expect(history.from).toBeGreaterThan(1050);
  expect(Math.abs(history.steps().length - history.events.length)).toBeLessThanOrEqual(1);
  expect(history.bookAt(history.until).totals().messages).toBe(99);
});

function bar(history: History, live = true) {
  const state = { playing: true, selected: null as string | null, slow: 1, moves: [] as boolean[] };
  const replay = new Replay({
    history, live,
    counts: () => true,
    selected: () => state.selected,
    pace: () => ({ slow: state.slow, travel: 0.8 }),
    playing: () => state.playing,
    play: (on) => void (state.playing = on),
    onmove: (jumped) => void state.moves.push(jumped),
  });
  return { replay, state };
}

test("one steps through messages and through the steps of a worker", () => {
  const { replay, state } = bar(recorded());
  state.slow = 1000;
  replay.go(1003.0005);
  replay.message(1);
  expect(replay.at).toBeCloseTo(1003.105, 6);
  expect(replay.element.querySelector("output")!.textContent).toBe("W/read:0: ps 0 → worker 1, 400 B in 10.0 ms");
  replay.message(1);
  expect(replay.at).toBeCloseTo(1003.605, 6);
  replay.message(-1);
  expect(replay.at).toBeCloseTo(1003.105, 6);
  state.selected = W1;
  replay.step(1);
  expect(replay.at).toBeCloseTo(1004.1, 6);
  replay.step(-1);
  expect(replay.at).toBeCloseTo(1003.1, 6);
  expect(state.playing).toBe(false);
  replay.go(null);
  expect(replay.at).toBeNull();
});

test("it plays to the end and stands there; a loop begins its step again", () => {
  const { replay, state } = bar(recorded(), false);
  replay.go(1009);
  state.playing = true;
  for (let i = 0; i < 40; i += 1) replay.advance(0.1);
  expect(state.playing).toBe(false);
  expect(replay.at).toBeCloseTo(1009.8 + 0.8, 6);
  const loop = replay.element.querySelector<HTMLInputElement>("input[type=checkbox]")!;
  state.slow = 100;
  replay.go(1004.2);
  loop.checked = true;
  loop.dispatchEvent(new Event("change"));
  const seen: number[] = [];
  for (let i = 0; i < 200; i += 1) {
    replay.advance(1);
    seen.push(replay.at!);
  }
  expect(Math.min(...seen)).toBeGreaterThanOrEqual(1003.9);
  expect(Math.max(...seen)).toBeLessThan(1005);
  expect(seen.some((at, i) => i > 0 && at < seen[i - 1]!)).toBe(true);
});

test("loss and bytes have one axis of time", () => {
  const history = recorded();
  expect(numberCurves(history)).toMatchObject([{ name: "loss", xs: [0, 2, 4, 6, 8], ys: [10, 8, 6, 4, 2] }]);
  const bytes = byteCurve(history);
  expect(bytes.xs.length).toBeGreaterThan(10);
  for (const rate of bytes.ys) expect(rate).toBeCloseTo(4000, -2);
});

test("waits in words, the longest first; short ones are not worth one", () => {
  const wait = (task: string, seconds: number) => ({ task, what: "q", text: "waits in q", seconds });
  const waits = [wait(W0, 2), wait(W1, 35), wait(PS, 0.3)];
  expect(longWaits(waits).map((each) => each.task)).toEqual([W1, W0]);
  expect(longWaits(waits, W0).length).toBe(1);
  expect(waitText(waits[1]!)).toBe("worker 1 waits in q");
  expect([35.9, 150].map(sinceText)).toEqual(["35 s", "2 min"]);
});

test("words come before jargon", () => {
  const says = (more: Partial<TrafficEvent>) => wordsOf(event(0, more));
  expect(says({})).toBe("W/read:0");
  expect(says({ tensor: "^GradientDescent/update/NoOp" })).toBe("GradientDescent/update/NoOp is done");
  expect(says({ tensor: "", kind: "run_graph" })).toBe("run your part / it is done");
  expect(termOf(event(0, { tensor: "^a" }))).toBe("control edge");
  expect(["W/read:0", "^a/b", "a:0,b:1", "", "<img src=x>"].map((tensor) => opOf({ tensor }))).toEqual([
    "W/read", "a/b", "a", null, null,
  ]);
  expect(["/job:worker/task:15", PS, "client", "/job:chief/task:0"].map(shortLabel)).toEqual(["w15", "ps0", "client", "c0"]);
  expect([0, 940, 1536, 12_345_678].map(shortBytes)).toEqual(["0", "940", "1.5k", "12M"]);
});

test("a replay begins with the first message, and a task that was never heard of is not dead", () => {
  const history = new History();
  history.push(tick(1000, 0, []));
  history.push(tick(1009, 2, [event(1008.5), event(1008)]));
  expect([history.from, history.first]).toEqual([1000, 1008]);
  expect(new History().first).toBe(0);
  const life = (alive: boolean, incarnation: string) => lifeOf({ task: PS, address: "", alive, incarnation });
  expect([life(true, "7"), life(false, "7"), life(false, "0")]).toEqual(["alive", "dead", "not there yet"]);
});
