/*
 * All that was seen, to look at again: what was under way at any moment, and how things stood.
 *
 *     live ticks, or a whole recording --push--> ticks, events
 *     position --> bookAt (rates, totals), inFlight (messages on the screen), logAt (last messages)
 *
 * What is drawn at a position depends on the position alone, so that one may scrub back as well.
 * Times are seconds since the epoch, on the cluster's clock. No DOM in this file.
 */
import { concerns, type Log } from "./messages";
import { HISTORY, RateBook } from "./rates";
import { type Particle, particleOf } from "./time";
import { type Mark, parseTask, type Tick, type TrafficEvent, type Wait } from "./wire";

/* A training step of one task: from its first request to its last message. */
export interface StepSpan {
  task: string;
  step: string;
  from: number;
  until: number;
}

/* What a step is stretched to at least, so that a loop over it is seen. */
const SHORTEST = 1e-4;
/* Seconds: a position that was rounded on its way still has the tick it was set to. */
const NEAR = 1e-6;

export class History {
  readonly ticks: Tick[] = [];
  /* By their start. */
  readonly events: TrafficEvent[] = [];
  readonly marks: Mark[] = [];
  /* The longest message: how far back `inFlight` looks. */
  private longest = 0;
  private unsorted = false;
  private book: RateBook | null = null;
  private taken = 0;
  private spans: StepSpan[] = [];
  private byName = new Map<string, StepSpan>();
  private shuffled = false;

  constructor(readonly capacity = 160_000) {}

  push(tick: Tick): void {
    this.ticks.push(tick);
    this.marks.push(...tick.marks);
    for (const event of tick.events) {
      const last = this.events[this.events.length - 1];
      this.unsorted ||= last !== undefined && event.start < last.start;
      this.longest = Math.max(this.longest, event.end - event.start);
      this.events.push(event);
      this.span(event);
    }
    if (this.events.length > this.capacity) this.forget();
  }

  get from(): number {
    return this.ticks[0]?.time ?? 0;
  }

  get until(): number {
    return this.ticks[this.ticks.length - 1]?.time ?? 0;
  }

  /* Rates and totals as they stood at a moment; quick for one soon after the one before. */
  bookAt(time: number): RateBook {
    const upTo = after(this.ticks, time + NEAR, (tick) => tick.time);
    const soon = this.book !== null && upTo >= this.taken && upTo - this.taken < 50;
    if (!soon) {
      this.book = new RateBook();
      this.taken = after(this.ticks, time - HISTORY - 1, (tick) => tick.time);
      if (upTo === 0) this.take(1);
    }
    while (this.taken < upTo) this.take(this.taken + 1);
    return this.book as RateBook;
  }

  private take(next: number): void {
    const tick = this.ticks[next - 1];
    if (tick) (this.book as RateBook).push(tick);
    this.taken = next;
  }

  /* What the tasks waited for at a moment. */
  waitsAt(time: number): readonly Wait[] {
    return this.ticks[Math.max(0, after(this.ticks, time + NEAR, (tick) => tick.time) - 1)]?.waits ?? [];
  }

  /* The messages on the screen at a moment, each seen for `shown` seconds of that clock at least. */
  inFlight(time: number, shown: number, limit = 1200): Particle[] {
    this.sort();
    const end = after(this.events, time, (event) => event.start);
    const found: Particle[] = [];
    const back = time - Math.max(this.longest, shown);
    for (let i = end - 1; i >= 0 && found.length < limit; i -= 1) {
      const event = this.events[i] as TrafficEvent;
      if (event.start < back) break;
      const until = event.start + Math.max(event.end - event.start, shown);
      if (until > time) found.push(particleOf(event, event.start, until));
    }
    return found.reverse();
  }

  /* The last messages up to a moment, as a log. */
  logAt(time: number): Log {
    this.sort();
    const end = after(this.events, time, (event) => event.start);
    return {
      last: (count, selection = null) => {
        const found: TrafficEvent[] = [];
        for (let i = end - 1; i >= 0 && found.length < count; i -= 1) {
          const event = this.events[i] as TrafficEvent;
          if (concerns(event, selection)) found.push(event);
        }
        return found;
      },
    };
  }

  /* The next message (way 1) or the one before (-1) of the selection, seen from a moment. */
  message(time: number, way: 1 | -1, of: (event: TrafficEvent) => boolean): TrafficEvent | null {
    this.sort();
    let i = after(this.events, time, (event) => event.start) - 1;
    if (way > 0) i += 1;
    else while (i >= 0 && (this.events[i] as TrafficEvent).start >= time) i -= 1;
    for (; i >= 0 && i < this.events.length; i += way) {
      const event = this.events[i] as TrafficEvent;
      if (of(event)) return event;
    }
    return null;
  }

  /* All training steps by their beginning. */
  steps(): readonly StepSpan[] {
    if (this.shuffled) this.spans.sort((a, b) => a.from - b.from);
    this.shuffled = false;
    return this.spans;
  }

  private span(event: TrafficEvent): void {
    const task = owner(event);
    if (task === null || event.step === "0") return;
    const key = `${task} ${event.step}`;
    let span = this.byName.get(key);
    // a task that began again counts its steps from 1 again
    if (!span || event.start > span.until + 60) {
      span = { task, step: event.step, from: event.start, until: event.start + SHORTEST };
      this.byName.set(key, span);
      this.spans.push(span);
      this.shuffled = true;
    }
    this.shuffled ||= event.start < span.from;
    span.from = Math.min(span.from, event.start);
    span.until = Math.max(span.until, event.end);
  }

  private sort(): void {
    if (!this.unsorted) return;
    this.events.sort((a, b) => a.start - b.start);
    this.unsorted = false;
  }

  /* Lets the oldest tenth go. */
  private forget(): void {
    const gone = this.ticks.splice(0, Math.ceil(this.ticks.length / 10));
    const first = this.from;
    this.sort();
    this.events.splice(0, after(this.events, first, (event) => event.start));
    this.marks.splice(0, after(this.marks, first, (mark) => mark[0]));
    this.taken = Math.max(0, this.taken - gone.length);
    this.spans = this.spans.filter((span) => span.until >= first);
    this.byName = new Map(this.spans.map((span) => [`${span.task} ${span.step}`, span]));
  }
}

/* Whose step a message belongs to: the end that is neither a parameter server nor a client. */
export function owner(event: TrafficEvent): string | null {
  const ends = [event.destination, event.source];
  return ends.find((end) => !["ps", "client"].includes(parseTask(end).job)) ?? null;
}

/* How many of the sorted `items` are at or before `time`. */
function after<T>(items: readonly T[], time: number, of: (item: T) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(items[middle] as T) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
