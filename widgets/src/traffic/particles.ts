/*
 * The messages under way on the screen: which, where, how big. Painting is canvas.ts's. No DOM
 * here.
 */
import { JitterBuffer, type Scheduled } from "./buffer";
import { classOf, type MessageClass } from "./classes";
import { linkKey, type Tick, type TrafficEvent } from "./wire";

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
