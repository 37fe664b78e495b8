import { expect, test } from "vitest";
import {
  JitterBuffer, particleRadius, Particles, PlayClock, progress, shownDuration, slowDown,
} from "../src/traffic/time";
import type { TrafficEvent } from "../src/traffic/wire";

function event(start: number, end: number, more: Partial<TrafficEvent> = {}): TrafficEvent {
  return {
    step: "1", tensor: "W/read:0", kind: "recv_tensor", source: "/job:ps/task:0",
    destination: "/job:worker/task:0", bytes: 400, start, end, ...more,
  };
}

test.each([
  [0.0002, 0.8, 0.8, 4000],
  [0.0002, 0.1, 0.4, 2000],
  [0.5, 0.8, 0.8, 1.6],
  [3, 0.8, 3, 1],
  [0, 0.8, 0.8, 800_000],
])("%f s with travel %f is shown for %f s, %f times slower", (real, travel, shown, slower) => {
  expect(shownDuration(real, travel)).toBeCloseTo(shown, 12);
  expect(slowDown(real, travel)).toBeCloseTo(slower, 6);
});

test("events set out one delay after they happened, on the page's clock", () => {
  const buffer = new JitterBuffer(0.35);
  buffer.push([event(999.8, 999.801), event(999.9, 999.901)], 1000, 50, 0.8);
  expect(buffer.due(50.1)).toEqual([]);
  const first = buffer.due(50.2);
  expect(first.map((item) => item.event.start)).toEqual([999.8]);
  expect(first[0]!.from).toBeCloseTo(50.15, 9);
  expect(first[0]!.until).toBeCloseTo(50.95, 9);
  expect(buffer.due(60).map((item) => item.event.start)).toEqual([999.9]);
  expect(buffer.size).toBe(0);
});

test("a late tick does not move the clock: the quickest recent tick ties the two", () => {
  const buffer = new JitterBuffer(0.35);
  buffer.push([], 1000, 50, 0.8);
  buffer.push([event(1000.1, 1000.1)], 1000.2, 50.5, 0.8); // 0.3 s later than usual
  expect(buffer.due(51)[0]!.from).toBeCloseTo(50.5, 9); // its turn, 50.45, has passed: at once
});

test("what happened long before is not shown moving; a long request is", () => {
  const buffer = new JitterBuffer(0.35);
  buffer.push([event(990, 990.001), event(995, 999.9)], 1000, 50, 0.8);
  expect(buffer.due(100).map((item) => item.event.start)).toEqual([995]);
});

test("a flood drops the oldest", () => {
  const buffer = new JitterBuffer(0.35, 3);
  buffer.push([1, 2, 3, 4, 5].map((i) => event(1000 + i / 100, 1000.1)), 1000.1, 0, 0.8);
  expect(buffer.due(9).map((item) => item.event.start)).toEqual([1000.03, 1000.04, 1000.05]);
});

test("slow motion keeps order and distances, and plays one piece to its end", () => {
  const buffer = new JitterBuffer();
  const read = event(1000, 1000.004);
  const update = event(1000.024, 1000.034);
  const later = event(1000.2, 1000.3); // beyond 5 s / 100 = 50 ms
  buffer.pushSlow([read, update, later], 7, 100);
  const shown = buffer.due(1e9);
  expect(shown.map((item) => item.event)).toEqual([read, update]);
  // the piece begins 0.4 s / 100 before the first end: 1000.000
  expect(shown[0]!.from).toBeCloseTo(7, 6);
  expect(shown[0]!.until).toBeCloseTo(7.4, 6);
  expect(shown[1]!.from).toBeCloseTo(9.4, 6);
  expect(shown[1]!.until).toBeCloseTo(10.4, 6);
  buffer.pushSlow([event(1001, 1001)], 10, 100);
  expect(buffer.size).toBe(0); // still playing
  buffer.pushSlow([event(1001, 1001)], 10.5, 100);
  expect(buffer.size).toBe(1);
});

test("the clock stands still while paused", () => {
  const clock = new PlayClock();
  expect(clock.now(10)).toBe(10);
  clock.pause(12);
  clock.pause(13);
  expect(clock.now(20)).toBe(12);
  clock.resume(20);
  expect(clock.now(21)).toBe(13);
});

test("particles set out, move and arrive", () => {
  const particles = new Particles(0.35);
  particles.push({ time: 1000, tasks: [], links: [], events: [event(1000, 1000.001)], waits: [], marks: [] }, 50, 0.8, 1);
  expect(particles.busy).toBe(true);
  particles.advance(50.3);
  expect(particles.moving).toEqual([]);
  particles.advance(50.4);
  expect(particles.moving.map((p) => [p.key, p.class])).toEqual([
    ["/job:ps/task:0|/job:worker/task:0", "from-ps"],
  ]);
  particles.advance(51.2);
  expect(particles.moving).toEqual([]);
  expect(particles.busy).toBe(false);
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
