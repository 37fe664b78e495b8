/*
 * Rates and short histories from exact counters: what the labels, widths and sparklines show.
 *
 * The counters only ever grow; when one falls (a task was restarted and counts from zero again) its
 * new value is what has come since. Rates are means over about a second. No DOM in this file.
 */
import { classOf, concerns, type Log, type MessageClass } from "./messages";
import { type Particle, particleOf } from "./time";
import {
  type LinkCount, linkKey, type Mark, parseTask, type TaskState, type Tick, type TrafficEvent,
  type Wait,
} from "./wire";

/* Seconds over which a rate is averaged. */
const WINDOW = 1;
/* Seconds of history behind a sparkline, and how many points it has. */
export const HISTORY = 30;
export const POINTS = 60;
/* Seconds over which the drawn share of messages is counted. */
const SHARE_WINDOW = 5;

export interface Rate {
  messages: number;
  bytes: number;
}
const NOTHING: Readonly<Rate> = { messages: 0, bytes: 0 };

export interface LinkState extends LinkCount {
  key: string;
  /* Messages and bytes a second. */
  rate: Rate;
  /* Bytes of each class among the messages seen one by one: what the link's colour comes from. */
  classes: Partial<Record<MessageClass, number>>;
}

export interface TaskTraffic extends TaskState {
  /* Seen in a counter only: an end of a link that is no task of the cluster, such as a client. */
  listed: boolean;
  restarts: number;
  in: LinkTotals;
  out: LinkTotals;
  /* Bytes a second, oldest first, one point every HISTORY / POINTS seconds. */
  inHistory: number[];
  outHistory: number[];
}

export interface LinkTotals extends Rate {
  rate: Rate;
}

/* Messages that a task received in one tick: by the counters, and one by one. */
interface Arrived {
  counted: number;
  sampled: number;
}

interface Reading {
  time: number;
  messages: number;
  bytes: number;
}

/* A growing count and the moments it was read at, thinned to the last WINDOW seconds. */
class Meter {
  private last: Rate = NOTHING;
  private grown = { ...NOTHING };
  private marks: Reading[] = [];

  /* @returns messages and bytes that came since the reading before; zero at the first reading. */
  read(time: number, messages: number, bytes: number, first: boolean): Rate {
    const fell = messages < this.last.messages || bytes < this.last.bytes;
    const before = first ? { messages, bytes } : fell ? NOTHING : this.last;
    const step = { messages: messages - before.messages, bytes: bytes - before.bytes };
    this.last = { messages, bytes };
    this.grown.messages += step.messages;
    this.grown.bytes += step.bytes;
    this.marks.push({ time, ...this.grown });
    while (this.marks.length > 2 && this.marks[1]!.time <= time - WINDOW) this.marks.shift();
    return step;
  }

  rate(): Rate {
    const first = this.marks[0];
    const last = this.marks[this.marks.length - 1];
    if (!first || !last || last.time <= first.time) return NOTHING;
    const seconds = last.time - first.time;
    return {
      messages: (last.messages - first.messages) / seconds,
      bytes: (last.bytes - first.bytes) / seconds,
    };
  }
}

export class RateBook {
  readonly links = new Map<string, LinkState>();
  readonly tasks = new Map<string, TaskTraffic>();
  private meters = new Map<string, Meter>();
  private points: { at: number; perTask: Map<string, { in: number; out: number }> }[] = [];
  private share: { time: number; arrived: Map<string, Arrived> }[] = [];
  /* Of the newest tick. */
  time: number | null = null;

  /* Takes the next tick in. */
  push(tick: Tick): void {
    const first = this.time === null;
    const arrived = new Map<string, Arrived>();
    for (const link of tick.links) {
      const step = this.readLink(link, tick.time, first);
      const here = arrived.get(link.destination) ?? { counted: 0, sampled: 0 };
      arrived.set(link.destination, { ...here, counted: here.counted + step.messages });
    }
    for (const event of tick.events) {
      const here = arrived.get(event.destination);
      if (here) here.sampled += 1;
    }
    this.countClasses(tick);
    this.readTasks(tick);
    this.remember(tick.time);
    if (!first) {
      this.share.push({ time: tick.time, arrived });
      while ((this.share[0]?.time ?? Infinity) < tick.time - SHARE_WINDOW) this.share.shift();
    }
    this.time = tick.time;
  }

  /* Exact totals over all links. */
  totals(): LinkTotals {
    return sum([...this.links.values()]);
  }

  /*
   * The share of the counted messages that came along one by one in the last seconds (0..1), of all
   * or of those to one task; null when there were none to count.
   */
  sampledShare(destination: string | null = null): number | null {
    let counted = 0;
    let sampled = 0;
    for (const { arrived } of this.share) {
      for (const [task, here] of arrived) {
        if (destination !== null && task !== destination) continue;
        counted += here.counted;
        sampled += here.sampled;
      }
    }
    return counted === 0 ? null : Math.min(1, sampled / counted);
  }

  private readLink(link: LinkCount, time: number, first: boolean): Rate {
    const key = linkKey(link.source, link.destination);
    let meter = this.meters.get(key);
    if (!meter) this.meters.set(key, (meter = new Meter()));
    const step = meter.read(time, link.messages, link.bytes, first);
    const before = this.links.get(key);
    this.links.set(key, { ...link, key, rate: meter.rate(), classes: before?.classes ?? {} });
    return step;
  }

  private countClasses(tick: Tick): void {
    for (const event of tick.events) {
      const link = this.links.get(linkKey(event.source, event.destination));
      if (!link) continue;
      const id = classOf(event);
      link.classes[id] = (link.classes[id] ?? 0) + event.bytes;
    }
  }

  private readTasks(tick: Tick): void {
    const names = new Set(tick.tasks.map((task) => task.task));
    const strangers = new Set<string>();
    for (const { source, destination } of tick.links) {
      for (const end of [source, destination]) if (!names.has(end)) strangers.add(end);
    }
    for (const name of this.tasks.keys()) {
      if (!names.has(name) && !strangers.has(name)) this.tasks.delete(name);
    }
    for (const state of tick.tasks) this.readTask(state, true);
    for (const task of strangers) {
      this.readTask({ task, address: "", alive: true, incarnation: "" }, false);
    }
  }

  private readTask(state: TaskState, listed: boolean): void {
    const all = [...this.links.values()];
    this.tasks.set(state.task, {
      ...state,
      listed,
      restarts: state.restarts ?? 0,
      in: sum(all.filter((link) => link.destination === state.task)),
      out: sum(all.filter((link) => link.source === state.task)),
      inHistory: [],
      outHistory: [],
    });
  }

  /* Adds one history point a HISTORY / POINTS seconds; the latest point is the rate just now. */
  private remember(time: number): void {
    const slot = Math.floor((time * POINTS) / HISTORY);
    const perTask = new Map(
      [...this.tasks].map(([name, task]) => [
        name,
        { in: task.in.rate.bytes, out: task.out.rate.bytes },
      ]),
    );
    if (this.points[this.points.length - 1]?.at === slot) this.points.pop();
    this.points.push({ at: slot, perTask });
    while ((this.points[0]?.at ?? slot) <= slot - POINTS) this.points.shift();
    for (const [name, task] of this.tasks) {
      task.inHistory = new Array<number>(POINTS).fill(0);
      task.outHistory = new Array<number>(POINTS).fill(0);
      for (const point of this.points) {
        const rates = point.perTask.get(name);
        if (!rates) continue;
        task.inHistory[POINTS - 1 - (slot - point.at)] = rates.in;
        task.outHistory[POINTS - 1 - (slot - point.at)] = rates.out;
      }
    }
  }
}

function sum(links: readonly LinkState[]): LinkTotals {
  const total: LinkTotals = { messages: 0, bytes: 0, rate: { messages: 0, bytes: 0 } };
  for (const link of links) {
    total.messages += link.messages;
    total.bytes += link.bytes;
    total.rate.messages += link.rate.messages;
    total.rate.bytes += link.rate.bytes;
  }
  return total;
}

/* The class that most of a link's sampled bytes belong to; without samples, by the link's ends. */
export function mainClass(link: LinkState): MessageClass {
  let best: MessageClass | null = null;
  for (const [id, bytes] of Object.entries(link.classes) as [MessageClass, number][]) {
    if (best === null || bytes > (link.classes[best] ?? 0)) best = id;
  }
  const { source, destination } = link;
  return best ?? classOf({ kind: "recv_tensor", tensor: "", source, destination });
}

/* A sparkline as the outline of an area, bottom left to bottom right. No DOM in this file. */
export function sparkPath(
  points: readonly number[],
  peak: number,
  width: number,
  height: number,
): string {
  const step = points.length > 1 ? width / (points.length - 1) : width;
  const round = (value: number) => Math.round(value * 10) / 10;
  const tops = points.map(
    (value, i) => `L${round(i * step)} ${round(height * (1 - Math.min(1, value / peak)))}`,
  );
  return `M0 ${height}${tops.join("")}L${width} ${height}Z`;
}

/*
 * All that was seen: what was under way at any moment, and how things stood.
 *
 *     live ticks, or a whole recording --push--> ticks, events
 *     moment --> bookAt (rates, totals), inFlight (messages on the screen), logAt (last messages)
 *
 * What is drawn at a moment depends on the moment alone: now, or one that is looked back at.
 * Times are seconds since the epoch, on the cluster's clock. No DOM in this file.
 */

/* A training step of one task: from its first request to its last message. */
export interface StepSpan {
  task: string;
  step: string;
  from: number;
  until: number;
}

/* Seconds without a tick after which rates are told anew: nothing has moved meanwhile. */
const QUIET = 0.15;
/* What a step is stretched to at least, so that a loop over it is seen. */
const SHORTEST = 1e-4;
/* Seconds: a position that was rounded on its way still has the tick it was set to. */
const NEAR = 1e-6;

export class History {
  readonly ticks: Tick[] = [];
  /* By their start. */
  readonly events: TrafficEvent[] = [];
  readonly marks: Mark[] = [];
  /* The time of the newest tick, kept or not. */
  until = 0;
  private readonly known = new Map<string, TaskState>();
  /* The longest message: how far back `inFlight` looks. */
  private longest = 0;
  private unsorted = false;
  private book: RateBook | null = null;
  private taken = 0;
  private spans: StepSpan[] = [];
  private byName = new Map<string, StepSpan>();
  private shuffled = false;

  constructor(readonly capacity = 160_000) {}

  /* Keeps a tick, unless nothing has moved since the one before. */
  push(tick: Tick): void {
    for (const task of tick.tasks) {
      const before = this.known.get(task.task);
      const again = before && !["", "0"].includes(before.incarnation) && before.incarnation !== task.incarnation;
      task.restarts = (before?.restarts ?? 0) + (again ? 1 : 0);
      this.known.set(task.task, task);
    }
    this.until = tick.time;
    const last = this.ticks.at(-1);
    if (last && idle(last, tick)) return;
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

  /* When the first message began: before it there is nothing to see. */
  get first(): number {
    this.sort();
    return this.events[0]?.start ?? this.from;
  }

  /* Until when a message is seen, each for `shown` seconds at least. */
  lastSeen(shown: number): number {
    return (this.events.at(-1)?.start ?? -Infinity) + Math.max(this.longest, shown);
  }

  /* How many ticks there are up to a moment; the first holds before it, too. */
  private upTo(time: number): number {
    return Math.max(1, countUpTo(this.ticks, time + NEAR, (tick) => tick.time));
  }

  /* Rates and totals as they stood at a moment; quick for one soon after the one before. */
  bookAt(time: number): RateBook {
    const now = Math.min(time, this.until);
    const upTo = this.upTo(now);
    if (!this.book || now + NEAR < (this.book.time ?? 0) || upTo - this.taken >= 50) {
      this.book = new RateBook();
      this.taken = countUpTo(this.ticks, now - HISTORY - 1, (tick) => tick.time);
    }
    for (const tick of this.ticks.slice(this.taken, upTo)) this.book.push(tick);
    this.taken = Math.min(upTo, this.ticks.length);
    const held = this.ticks[upTo - 1];
    if (held && now > this.book.time! + QUIET) this.book.push({ ...held, time: now, events: [], marks: [] });
    return this.book;
  }

  /* What the tasks waited for at a moment. */
  waitsAt(time: number): readonly Wait[] {
    return this.ticks[this.upTo(time) - 1]?.waits ?? [];
  }

  /* The messages on the screen at a moment, each seen for `shown` seconds of that clock at least. */
  inFlight(time: number, shown: number, limit = 1200): Particle[] {
    this.sort();
    const end = countUpTo(this.events, time, (event) => event.start);
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
    const end = countUpTo(this.events, time, (event) => event.start);
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
    let i = countUpTo(this.events, time, (event) => event.start) - 1;
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
    this.events.splice(0, countUpTo(this.events, first, (event) => event.start));
    this.marks.splice(0, countUpTo(this.marks, first, (mark) => mark[0]));
    this.taken = Math.max(0, this.taken - gone.length);
    this.spans = this.spans.filter((span) => span.until >= first);
    this.byName = new Map(this.spans.map((span) => [`${span.task} ${span.step}`, span]));
  }
}

/* Whether nothing has moved from one tick to the next. */
function idle(before: Tick, tick: Tick): boolean {
  return (
    [tick.events, tick.marks, tick.waits, before.waits].every((each) => each.length === 0) &&
    tick.links.length === before.links.length &&
    tick.links.every((link, i) => link.messages === before.links[i]!.messages) &&
    JSON.stringify(tick.tasks) === JSON.stringify(before.tasks)
  );
}

/* Whose step a message belongs to: the end that is neither a parameter server nor a client. */
export function owner(event: TrafficEvent): string | null {
  const ends = [event.destination, event.source];
  return ends.find((end) => !["ps", "client"].includes(parseTask(end).job)) ?? null;
}

/* How many of the sorted `items` are before `time`, or at it where that counts. */
export function countUpTo<T>(items: readonly T[], time: number, of: (item: T) => number, at = true): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = of(items[middle] as T);
    if (found < time || (at && found === time)) low = middle + 1;
    else high = middle;
  }
  return low;
}
