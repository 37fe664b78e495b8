import { expect, test } from "vitest";
import { decodeStream, decodeTick, linkKey, tickFromJson, type JsonTick } from "../src/traffic/wire";
import recorded from "./traffic-tick.json";

/* The bytes are those that minitf_widgets/traffic/wire.py packs; tests/widgets checks its side. */
function buffer(hex: string): DataView {
  const bytes = Uint8Array.from(hex.match(/../g) as string[], (pair) => parseInt(pair, 16));
  return new DataView(bytes.buffer);
}

const wanted = {
  time: 1000.5,
  tasks: [
    {
      task: "/job:ps/task:0",
      address: "127.0.0.1:2222",
      alive: true,
      incarnation: "79228162514264337593543950336",
    },
    { task: "/job:worker/task:0", address: "127.0.0.1:2223", alive: false, incarnation: "8" },
  ],
  links: [
    { source: "/job:ps/task:0", destination: "/job:worker/task:0", messages: 3, bytes: 5e12 },
    { source: "/job:worker/task:0", destination: "/job:ps/task:0", messages: 1, bytes: 40 },
  ],
  events: [
    {
      step: "72057594037927937",
      tensor: "größe/read:0",
      kind: "recv_tensor",
      source: "/job:ps/task:0",
      destination: "/job:worker/task:0",
      bytes: 401408,
      start: 1000.25,
      end: 1000.375,
    },
  ],
  waits: [
    { task: "/job:worker/task:0", what: "q/take", text: "waits for q/take of ps 0", seconds: 3.5 },
  ],
  marks: [[1000.25, "loss", 0.5]],
};

test("a buffer from Python gives the tick that was packed", () => {
  expect(decodeTick(buffer(recorded.hex))).toEqual(wanted);
});

test("a buffer inside a larger one is read from its own beginning", () => {
  const bytes = new Uint8Array(buffer(`ffffffffffffffff${recorded.hex}`).buffer);
  const tick = decodeTick(new DataView(bytes.buffer, 8));
  expect(tick).toEqual(wanted);
});

test("a stream gives its ticks, each after its length", () => {
  const one = Uint8Array.from(recorded.hex.match(/../g) as string[], (pair) => parseInt(pair, 16));
  const bytes = new Uint8Array(3 + 2 * (4 + one.length));
  const view = new DataView(bytes.buffer, 3);
  for (const at of [0, 4 + one.length]) {
    view.setUint32(at, one.length, true);
    bytes.set(one, 3 + at + 4);
  }
  expect([...decodeStream(view)]).toEqual([wanted, wanted]);
});

test("the JSON form gives the same tick", () => {
  const { snapshot } = recorded;
  const events = snapshot.events.map((e) => ({ ...e, step: "72057594037927937" }));
  const json = { ...snapshot, events, waits: wanted.waits, marks: wanted.marks } as unknown as JsonTick;
  expect(tickFromJson(json)).toMatchObject({ ...wanted, tasks: wanted.tasks });
});

test("other bytes, another version and a cut buffer are refused", () => {
  expect(() => decodeTick(buffer("00".repeat(64)))).toThrow("not a traffic buffer");
  expect(() => decodeTick(buffer("4d54"))).toThrow("not a traffic buffer");
  expect(() => decodeTick(buffer(recorded.hex.replace("4d5446540200", "4d5446540900")))).toThrow(
    "traffic buffer of version 9, this page reads 2",
  );
  expect(() => decodeTick(buffer(recorded.hex.slice(0, 200)))).toThrow();
});

test("links are named source|destination", () => {
  expect(linkKey("/job:ps/task:0", "client")).toBe("/job:ps/task:0|client");
});
