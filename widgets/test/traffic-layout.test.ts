import { expect, test } from "vitest";
import recorded from "./traffic-layout.json";
import { curvePath, layoutTraffic, rowsOf, Track } from "../src/traffic/layout";

interface Case {
  name: string;
  tasks: string[];
  links: [string, string][];
  space: number;
  layout: {
    width: number;
    height: number;
    boxes: [string, number, number, number, number, number, boolean][];
    lanes: [string, string][];
  };
}

const cases = recorded as unknown as Case[];

test.each(cases)("layout: $name", ({ tasks, links, space, layout }) => {
  const got = layoutTraffic(
    tasks,
    links.map(([source, destination]) => ({ source, destination })),
    space,
  );
  expect({
    width: got.width,
    height: got.height,
    boxes: got.boxes.map((b) => [b.task, b.row, b.x, b.y, b.width, b.height, b.compact]),
    lanes: got.lanes.map((lane) => [lane.key, curvePath(lane.curve)]),
  }).toEqual(layout);
});

test("parameter servers come first, workers and chief second, other jobs below", () => {
  expect(
    rowsOf([
      "client", "/job:worker/task:10", "/job:worker/task:9", "/job:evaluator/task:0",
      "/job:chief/task:0", "/job:ps/task:1", "/job:ps/task:0",
    ]),
  ).toEqual([
    ["/job:ps/task:0", "/job:ps/task:1"],
    ["/job:chief/task:0", "/job:worker/task:9", "/job:worker/task:10"],
    ["/job:evaluator/task:0"],
    ["client"],
  ]);
});

test("a track gives the point at any share of its length, and the direction there", () => {
  const straight = new Track([{ x: 0, y: 0 }, { x: 0, y: 30 }, { x: 0, y: 60 }, { x: 0, y: 90 }]);
  expect(straight.length).toBeCloseTo(90, 9);
  expect(straight.at(0.5).y).toBeCloseTo(45, 9);
  expect(straight.at(0.5).angle).toBeCloseTo(Math.PI / 2, 9);
  expect(straight.at(-1)).toMatchObject({ x: 0, y: 0 });
  expect(straight.at(2)).toMatchObject({ x: 0, y: 90 });
});
