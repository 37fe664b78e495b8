import { expect, test } from "vitest";
import { type Places, stretch } from "../src/traffic/layout";
import { neighbour } from "../src/traffic/stage";

/* Of the form of `Layout` in minitf_widgets/traffic/layout.py. */
const places: Places = {
  width: 860, height: 292,
  boxes: Object.fromEntries([["ps", 342, 14, 176, 80], ["w0", 127, 198, 86, 46], ["w1", 557, 198, 176, 80]].map(
    ([task, x, y, width, height]) => [task, { task, x, y, width, height }])) as Places["boxes"],
  lanes: { "ps|w0": [[400, 94], [400, 146], [170, 146], [170, 198]] },
};

test("places are stretched across, curves with the boxes; heights stay", () => {
  const { width, height, boxes, lanes } = stretch(places, 645);
  expect([width, height]).toEqual([645, 292]);
  expect(boxes.map((box) => [box.task, box.x, box.y, box.width, box.height, box.compact])).toEqual([
    ["ps", 256.5, 14, 132, 80, false], ["w0", 95.25, 198, 64.5, 46, true], ["w1", 417.75, 198, 132, 80, false],
  ]);
  expect(lanes).toEqual([{
    key: "ps|w0", curve: [{ x: 300, y: 94 }, { x: 300, y: 146 }, { x: 127.5, y: 146 }, { x: 127.5, y: 198 }],
  }]);
});

test("no box gets too narrow for its label, nor the picture too wide", () => {
  expect(stretch(places, 300).boxes[1]!.width).toBeCloseTo(42, 6);
  expect(stretch(places, 3000).width).toBe(1118);
  expect(stretch({ ...places, boxes: {}, lanes: {} }, 300).width).toBe(300);
});

test("arrow keys go to the nearest box that way", () => {
  const { boxes } = stretch(places, 860);
  const go = (from: number, x: number, y: number) => neighbour(boxes[from]!, boxes, x, y)?.task;
  expect([go(0, 0, 1), go(1, 1, 0), go(1, -1, 0), go(2, 0, -1)]).toEqual(["w1", "w1", undefined, "ps"]);
});
