import { expect, test } from "vitest";
import { particleRadius, Particles, PlayClock, progress, shownDuration, slowDown } from "../src/traffic/time";
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

test("messages set out one delay after they happened, on the page's clock, and arrive", () => {
  const particles = new Particles(0.35);
  particles.push({ time: 1000, events: [event(999.8, 999.801), event(999.9, 999.901)] }, 50, 0.8);
  expect(particles.at(50.1)).toEqual([]);
  expect(particles.busy).toBe(true);
  const [first] = particles.at(50.2);
  expect([first!.key, first!.class, first!.event.start]).toEqual([
    "/job:ps/task:0|/job:worker/task:0", "from-ps", 999.8,
  ]);
  expect(first!.from).toBeCloseTo(50.15, 9);
  expect(first!.until).toBeCloseTo(50.95, 9);
  expect(particles.at(51).map((item) => item.event.start)).toEqual([999.9]);
  expect(particles.at(60)).toEqual([]);
  expect(particles.busy).toBe(false);
});

test("a late tick does not move the clock: the quickest recent tick ties the two", () => {
  const particles = new Particles(0.35);
  particles.push({ time: 1000, events: [] }, 50, 0.8);
  particles.push({ time: 1000.2, events: [event(1000.1, 1000.1)] }, 50.5, 0.8); // 0.3 s later than usual
  expect(particles.at(51)[0]!.from).toBeCloseTo(50.5, 9); // its turn, 50.45, has passed: at once
});

test("what happened long before is not shown moving; a long request is", () => {
  const particles = new Particles(0.35);
  particles.push({ time: 1000, events: [event(990, 990.001), event(995, 999.9)] }, 50, 0.8);
  expect(particles.at(50.1).map((item) => item.event.start)).toEqual([995]);
});

test("a flood drops the oldest, and not all of the rest is drawn", () => {
  const events = [1, 2, 3, 4, 5].map((i) => event(1000 + i / 100, 1000.1));
  const particles = new Particles(0.35, 3, 2);
  particles.push({ time: 1000.1, events }, 0, 5);
  expect(particles.at(0.295).map((item) => item.event.start)).toEqual([1000.03, 1000.04]);
  expect(particles.at(1).map((item) => item.event.start)).toEqual([1000.04, 1000.05]);
});

test("slow motion keeps order and distances, and plays one piece to its end", () => {
  const particles = new Particles();
  const read = event(1000, 1000.004);
  const update = event(1000.024, 1000.034);
  const later = event(1000.2, 1000.3); // beyond 5 s / 100 = 50 ms
  particles.push({ time: 1000.3, events: [read, update, later] }, 7, 0.8, 100);
  // the piece begins 0.4 s / 100 before the first end: 1000.000
  const [first] = particles.at(7.1);
  expect([first!.event]).toEqual([read]);
  expect(first!.from).toBeCloseTo(7, 6);
  expect(first!.until).toBeCloseTo(7.4, 6);
  const [second, ...rest] = particles.at(10);
  expect(second!.event).toEqual(update);
  expect(rest).toEqual([]);
  expect(second!.from).toBeCloseTo(9.4, 6);
  expect(second!.until).toBeCloseTo(10.4, 6);
  particles.push({ time: 1001, events: [event(1001, 1001)] }, 10, 0.8, 100);
  expect(particles.at(10.41)).toEqual([]); // still playing
  particles.push({ time: 1001, events: [event(1001, 1001)] }, 10.5, 0.8, 100);
  expect(particles.busy).toBe(true);
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

test("progress starts at 0, ends at 1 and never turns back", () => {
  const way = { from: 2, until: 4 };
  expect([1, 2, 3, 4, 5].map((now) => progress(way, now))).toEqual([0, 0, 0.5, 1, 1]);
  const steps = Array.from({ length: 50 }, (_, i) => progress(way, 2 + i / 25));
  expect(steps.every((value, i) => i === 0 || value > steps[i - 1]!)).toBe(true);
});

test.each([[0, 2.5], [100, 2.5], [1e9, 9], [1e12, 9]])("%d bytes: radius %f", (bytes, radius) => {
  expect(particleRadius(bytes)).toBeCloseTo(radius, 9);
});
