/*
 * When messages are seen on their way: microseconds stretched to something visible.
 *
 *     looking back   the position of the bar        --> History.inFlight --> Painter
 *     live           LiveClock: follows the clock   -'
 *
 * A message that took microseconds travels `travel` seconds on the screen (0.4 at least): the factor
 * between the two is what the labels call "slower". No DOM in this file.
 */
import { classOf, type MessageClass } from "./messages";
import { linkKey, type TrafficEvent } from "./wire";

export const MINIMUM_TRAVEL = 0.4;

/* How many times slower than in reality a message is shown; durations under 1 µs count as 1 µs. */
export function slowDown(seconds: number, travel: number): number {
  return Math.max(seconds, travel, MINIMUM_TRAVEL) / Math.max(seconds, 1e-6);
}

/* Seconds that a piece of slow motion lasts. */
export const SLOW_SECONDS = 5;

/* Seconds between an event and its showing: one tick interval and the jitter. */
const DELAY = 0.35;

/*
 * The moment that is shown live, on the cluster's clock.
 *
 * Ticks come a few times a second and never evenly. The two clocks are tied by the quickest recent
 * tick, so that one late tick does not push everything back. In slow motion the newest piece of the
 * traffic is played, SLOW_SECONDS long, then again the newest. `at` stands still while nobody moves
 * it; Infinity when there is nothing to play.
 */
export class LiveClock {
  at = Infinity;
  private offsets: number[] = [];
  private piece: { from: number; since: number } | null = null;

  /* A tick of `time` has come at `real`, seconds on a clock that never stops. */
  tick(time: number, real: number): void {
    this.offsets.push(real - time);
    if (this.offsets.length > 25) this.offsets.shift();
  }

  /* @param newest gives the moment at which the newest piece begins, or null when there is none */
  move(real: number, slow: number, newest: () => number | null): void {
    if (slow === 1) {
      this.at = this.offsets.length > 0 ? real - Math.min(...this.offsets) - DELAY : Infinity;
      return;
    }
    if (!this.piece || real > this.piece.since + SLOW_SECONDS) {
      const from = newest();
      if (from === null || from <= (this.piece?.from ?? -Infinity)) return void (this.at = Infinity);
      this.piece = { from, since: real };
    }
    this.at = this.piece.from + (real - this.piece.since) / slow;
  }

  /* Begins the next piece at once. */
  restart(): void {
    this.piece = null;
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

export function particleOf(event: TrafficEvent, from: number, until: number): Particle {
  const { source, destination, bytes } = event;
  return { event, key: linkKey(source, destination), class: classOf(event), radius: particleRadius(bytes), from, until };
}
