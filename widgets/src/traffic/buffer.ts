/*
 * When to show a message: a jitter buffer, and the stretching of microseconds to something visible.
 *
 * Ticks come a few times a second and never evenly. An event is shown `delay` seconds after it
 * happened, on the page's own clock; the two clocks are tied by the quickest recent tick, so that
 * one late tick does not push everything back. A message that took microseconds travels `travel`
 * seconds on the screen (0.4 at least): the factor between the two is what the labels call
 * "slower". What happened more than a second before its turn (before the page was there, or during
 * a pause) is not shown moving. No DOM in this file.
 */
import type { TrafficEvent } from "./wire";

export const MINIMUM_TRAVEL = 0.4;

/* How long a message is seen on its way: its own duration, stretched to `travel` at least. */
export function shownDuration(seconds: number, travel: number): number {
  return Math.max(seconds, travel, MINIMUM_TRAVEL);
}

/* How many times slower than in reality a message is shown; durations under 1 µs count as 1 µs. */
export function slowDown(seconds: number, travel: number): number {
  return shownDuration(seconds, travel) / Math.max(seconds, 1e-6);
}

/* Seconds that a piece of slow motion lasts. */
export const SLOW_SECONDS = 5;

/* Seconds a message may be behind its turn and still set out. */
const TOO_LATE = 1;

export interface Scheduled {
  event: TrafficEvent;
  /* Seconds on the page's clock. */
  from: number;
  until: number;
}

export class JitterBuffer {
  private waiting: Scheduled[] = [];
  private offsets: number[] = [];
  private playing = -Infinity;

  /*
   * @param delay seconds between an event and its showing: one tick interval and the jitter
   * @param capacity events held at most; the oldest of a flood are dropped
   */
  constructor(
    readonly delay = 0.35,
    readonly capacity = 2000,
  ) {}

  /* Takes the events of a tick taken at `time` (cluster's clock) that arrived at `now` (page's). */
  push(events: readonly TrafficEvent[], time: number, now: number, travel: number): void {
    this.offsets.push(now - time);
    if (this.offsets.length > 25) this.offsets.shift();
    const offset = Math.min(...this.offsets);
    for (const event of events) {
      if (event.end + offset + this.delay < now - TOO_LATE) continue;
      const from = Math.max(event.start + offset + this.delay, now);
      const until = from + shownDuration(event.end - event.start, travel);
      this.waiting.push({ event, from, until });
    }
    this.settle();
  }

  /*
   * Slow motion: shows the first SLOW_SECONDS / factor seconds of a tick, `factor` times slower
   * than they were; ticks that come while it plays are passed over. All keep their order and their
   * distances: a read is seen to come before the update that follows from it.
   */
  pushSlow(events: readonly TrafficEvent[], now: number, factor: number): void {
    if (now < this.playing || events.length === 0) return;
    const begin = Math.min(...events.map((event) => event.end)) - MINIMUM_TRAVEL / factor;
    const shown = (time: number) => now + (time - begin) * factor;
    for (const event of events) {
      if (event.end > begin + SLOW_SECONDS / factor) continue;
      const from = Math.max(shown(event.start), now);
      this.waiting.push({ event, from, until: Math.max(shown(event.end), from + MINIMUM_TRAVEL) });
    }
    this.playing = Math.max(...this.waiting.map((item) => item.until));
    this.settle();
  }

  private settle(): void {
    this.waiting.sort((a, b) => a.from - b.from);
    if (this.waiting.length > this.capacity) {
      this.waiting.splice(0, this.waiting.length - this.capacity);
    }
  }

  /* Removes and returns what has to set out by `now`, in order. */
  due(now: number): Scheduled[] {
    const later = this.waiting.findIndex((item) => item.from > now);
    return this.waiting.splice(0, later < 0 ? this.waiting.length : later);
  }

  get size(): number {
    return this.waiting.length;
  }

  clear(): void {
    this.waiting = [];
    this.playing = -Infinity;
  }
}

/* The page's clock, which stands still while the view is paused. */
export class PlayClock {
  private held = 0;
  private since: number | null = null;

  /* @param real seconds on a clock that never stops, such as performance.now() / 1000 */
  now(real: number): number {
    return (this.since ?? real) - this.held;
  }

  pause(real: number): void {
    this.since ??= real;
  }

  resume(real: number): void {
    if (this.since !== null) {
      this.held += real - this.since;
      this.since = null;
    }
  }
}
