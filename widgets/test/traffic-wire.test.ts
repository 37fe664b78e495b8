import { expect, test } from "vitest";
import { decodeStream, decodeTick, linkKey } from "../src/traffic/wire";
import recorded from "./traffic-tick.json";

/* The text is that which minitf_widgets/traffic/wire.py packs; tests/widgets checks its side. */
const { packed } = recorded;

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

test("a text from Python gives the tick that was packed", () => {
  expect(decodeTick(packed)).toEqual(wanted);
});

test("a stream gives its ticks, one a line", () => {
  expect(decodeStream(`${packed}\n${packed}`)).toEqual([wanted, wanted]);
  expect(decodeStream("")).toEqual([]);
});

test("numbers of the training need not be finite", () => {
  const values = ["nan", "Infinity", "-Infinity"].map((value) => packed.replace('"0.5"', `"${value}"`));
  expect(values.map((text) => decodeTick(text).marks[0]![2])).toEqual([NaN, Infinity, -Infinity]);
});

test("other texts, another version and a cut text are refused", () => {
  expect(() => decodeTick("MTFT")).toThrow();
  expect(() => decodeTick(packed.slice(0, 200))).toThrow();
  expect(() => decodeTick(packed.replace('"version":3', '"version":9'))).toThrow("traffic of version 9, this page reads 3");
  expect(() => decodeTick(packed.replace(/"names":.*]/, '"names":[]'))).toThrow("names a text that it does not hold");
});

test("links are named source|destination", () => {
  expect(linkKey("/job:ps/task:0", "client")).toBe("/job:ps/task:0|client");
});
