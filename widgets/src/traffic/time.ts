/*
 * The messages of now on their way over the screen: when each is seen, stretched from microseconds to
 * something visible.
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
  /* By the moment at which they set out. */
  private items: Particle[] = [];
  private offsets: number[] = [];
  private playing = -Infinity;

  /*
   * @param delay seconds between an event and its showing: one tick interval and the jitter
   * @param capacity held at most; the oldest of a flood are dropped
   * @param limit drawn at once at most; more than that no eye and no canvas follows
   */
  constructor(readonly delay = 0.35, readonly capacity = 3000, readonly limit = 1200) {}

  /* Takes a tick that arrived at `now`; `slow` above 1 plays a piece of it at a time. */
  push(tick: Pick<Tick, "events" | "time">, now: number, travel: number, slow = 1): void {
    const { events, time } = tick;
    this.offsets.push(now - time);
    if (this.offsets.length > 25) this.offsets.shift();
    if (slow > 1) this.pushSlow(events, now, slow);
    else {
      const offset = Math.min(...this.offsets) + this.delay;
      for (const event of events) {
        if (event.end + offset < now - TOO_LATE) continue;
        const from = Math.max(event.start + offset, now);
        this.items.push(particleOf(event, from, from + shownDuration(event.end - event.start, travel)));
      }
    }
    this.items.sort((a, b) => a.from - b.from);
    this.items.splice(0, this.items.length - this.capacity);
  }

  /*
   * Slow motion: shows the first SLOW_SECONDS / factor seconds of a tick, `factor` times slower
   * than they were; ticks that come while it plays are passed over. All keep their order and their
   * distances: a read is seen to come before the update that follows from it.
   */
  private pushSlow(events: readonly TrafficEvent[], now: number, factor: number): void {
    if (now < this.playing || events.length === 0) return;
    const begin = Math.min(...events.map((event) => event.end)) - MINIMUM_TRAVEL / factor;
    const shown = (time: number) => now + (time - begin) * factor;
    for (const event of events) {
      if (event.end > begin + SLOW_SECONDS / factor) continue;
      const from = Math.max(shown(event.start), now);
      this.items.push(particleOf(event, from, Math.max(shown(event.end), from + MINIMUM_TRAVEL)));
    }
    this.playing = Math.max(...this.items.map((item) => item.until));
  }

  /* Those under way, in the order in which they set out; those that have arrived go. */
  at(now: number): Particle[] {
    this.items = this.items.filter((item) => item.until > now);
    return this.items.filter((item) => item.from <= now).slice(-this.limit);
  }

  /* Whether there is anything to animate, now or soon. */
  get busy(): boolean {
    return this.items.length > 0;
  }

  clear(): void {
    this.items = [];
    this.playing = -Infinity;
  }
}

export function particleOf(event: TrafficEvent, from: number, until: number): Particle {
  const { source, destination, bytes } = event;
  return { event, key: linkKey(source, destination), class: classOf(event), radius: particleRadius(bytes), from, until };
}
