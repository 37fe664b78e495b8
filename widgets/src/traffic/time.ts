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
import { classOf, type MessageClass } from "./messages";
import { linkKey, type Tick, type TrafficEvent } from "./wire";

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

/*
 * The messages under way on the screen: which, where, how big. Painting is canvas.ts's. No DOM
 * here.
 */

export interface Particle {
  event: TrafficEvent;
  key: string;
  class: MessageClass;
  radius: number;
  from: number;
  until: number;
}

/* Pixels: 2.5 for a hundred bytes or less, growing with the logarithm, 9 for a gigabyte. */
export function particleRadius(bytes: number): number {
  const decades = Math.log10(Math.max(bytes, 100)) - 2;
  return Math.min(9, 2.5 + (6.5 * decades) / 7);
}

/* How far along a particle is, 0..1: slower at both ends, where it is seen to leave and arrive. */
export function progress(particle: Pick<Particle, "from" | "until">, now: number): number {
  const share = (now - particle.from) / (particle.until - particle.from);
  const t = Math.min(Math.max(share, 0), 1);
  return t * t * (3 - 2 * t) * 0.5 + t * 0.5;
}

export class Particles {
  readonly buffer: JitterBuffer;
  moving: Particle[] = [];

  /* @param limit particles drawn at once at most; more than that no eye and no canvas follows */
  constructor(delay = 0.35, readonly limit = 1200) {
    this.buffer = new JitterBuffer(delay);
  }

  /* @param slow how many times slower than real; 1 shows everything as it happens, see buffer.ts */
  push(tick: Tick, now: number, travel: number, slow: number): void {
    if (slow > 1) this.buffer.pushSlow(tick.events, now, slow);
    else this.buffer.push(tick.events, tick.time, now, travel);
  }

  /* Lets those whose turn it is set out, and takes those that arrived away. */
  advance(now: number): void {
    this.moving = this.moving.filter((particle) => particle.until > now);
    for (const item of this.buffer.due(now)) {
      if (item.until > now) this.moving.push(particleOf(item));
    }
    if (this.moving.length > this.limit) this.moving.splice(0, this.moving.length - this.limit);
  }

  /* Whether there is anything to animate, now or soon. */
  get busy(): boolean {
    return this.moving.length > 0 || this.buffer.size > 0;
  }

  clear(): void {
    this.moving = [];
    this.buffer.clear();
  }
}

function particleOf({ event, from, until }: Scheduled): Particle {
  return {
    event,
    key: linkKey(event.source, event.destination),
    class: classOf(event),
    radius: particleRadius(event.bytes),
    from,
    until,
  };
}
