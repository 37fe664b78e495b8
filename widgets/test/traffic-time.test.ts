import { expect, test } from "vitest";
import { LiveClock, particleRadius, progress, slowDown } from "../src/traffic/time";

test.each([
  [0.0002, 0.8, 4000],
  [0.0002, 0.1, 2000],
  [0.5, 0.8, 1.6],
  [3, 0.8, 1],
  [0, 0.8, 800_000],
])("%f s with travel %f is shown %f times slower", (real, travel, slower) => {
  expect(slowDown(real, travel)).toBeCloseTo(slower, 6);
});

const nothing = () => null;

test("what is shown live is one delay old; a late tick does not move the clock", () => {
  const live = new LiveClock();
  live.move(49, 1, nothing);
  expect(live.at).toBe(Infinity); // no tick yet
  live.tick(1000, 50);
  live.move(50.1, 1, nothing);
  expect(live.at).toBeCloseTo(999.75, 9);
  live.tick(1000.2, 50.5); // 0.3 s later than usual
  live.move(50.5, 1, nothing);
  expect(live.at).toBeCloseTo(1000.15, 9);
});

test("slow motion plays one piece to its end, then the newest, and waits when there is none", () => {
  const live = new LiveClock();
  live.tick(1000, 50);
  live.move(50, 100, () => 999.9);
  live.move(52, 100, () => 1002);
  expect(live.at).toBeCloseTo(999.92, 9); // still the first piece
  live.move(55.1, 100, () => 1005);
  expect(live.at).toBeCloseTo(1005, 9);
  live.move(60.2, 100, () => 1005); // nothing has come since
  expect(live.at).toBe(Infinity);
  live.move(60.3, 100, () => 1010);
  live.restart();
  live.move(60.4, 20, () => 1011);
  expect(live.at).toBeCloseTo(1011, 9);
});

test("progress starts at 0, ends at 1 and never turns back", () => {
  const way = { from: 2, until: 4 };
  expect([1, 2, 3, 4, 5].map((now) => progress(way, now))).toEqual([0, 0, 0.5, 1, 1]);
  const steps = Array.from({ length: 50 }, (_, i) => progress(way, 2 + i / 25));
  expect(steps.every((value, i) => i === 0 || value > steps[i - 1]!)).toBe(true);
});

test.each([[0, 2.5], [100, 2.5], [1e9, 9], [1e12, 9]])("%d bytes: radius %f", (bytes, radius) => {
  expect(particleRadius(bytes)).toBeCloseTo(radius, 9);
});
