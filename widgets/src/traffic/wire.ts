/*
 * What arrives from Python each tick: one buffer (or, where buffers do not pass, one JSON object).
 *
 * The layout is drawn in minitf_widgets/traffic/wire.py, which packs it. No DOM in this file.
 */

export interface TaskState {
  task: string;
  address: string;
  alive: boolean;
  incarnation: string;
}

export interface LinkCount {
  source: string;
  destination: string;
  messages: number;
  bytes: number;
}

/* One recorded message; times in seconds since the epoch, on the cluster's clock. */
export interface TrafficEvent {
  step: string;
  tensor: string;
  kind: string;
  source: string;
  destination: string;
  bytes: number;
  start: number;
  end: number;
}

/* What a task waits for, since how many seconds: told by waits.py. */
export interface Wait {
  task: string;
  /* An operation, a tensor or a task. */
  what: string;
  /* A sentence without its subject. */
  text: string;
  seconds: number;
}

/* A number of the training at a time: its step, its loss. */
export type Mark = [time: number, name: string, value: number];

export interface Tick {
  time: number;
  tasks: TaskState[];
  links: LinkCount[];
  events: TrafficEvent[];
  waits: Wait[];
  marks: Mark[];
}

/* A snapshot as JSON: the counters keyed "source|destination". */
export interface JsonTick {
  time: number;
  tasks: TaskState[];
  counters: Record<string, { messages: number; bytes: number }>;
  events: TrafficEvent[];
  waits: Wait[];
  marks: Mark[];
}

const MAGIC = 0x5446544d; // "MTFT", read as a little-endian word
const VERSION = 2;
const HEADER = 44;
const TASK = 16;
const LINK = 24;
const EVENT = 48;
const WAIT = 20;
const MARK = 20;

/* The name of a link, as in the counters and in `selected`. */
export function linkKey(source: string, destination: string): string {
  return `${source}|${destination}`;
}

/* Decodes one buffer; throws a RangeError or an Error when it is not one of ours. */
export function decodeTick(view: DataView): Tick {
  if (view.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) {
    throw new Error("not a traffic buffer");
  }
  const version = view.getUint16(4, true);
  if (version !== VERSION) {
    throw new Error(`traffic buffer of version ${version}, this page reads ${VERSION}`);
  }
  const time = view.getFloat64(8, true);
  const [tasks, links, events, waits, marks, count] = [16, 20, 24, 28, 32, 36].map((at) =>
    view.getUint32(at, true),
  ) as [number, number, number, number, number, number];
  const tasksAt = HEADER;
  const linksAt = tasksAt + tasks * TASK;
  const eventsAt = linksAt + links * LINK;
  const waitsAt = eventsAt + events * EVENT;
  const marksAt = waitsAt + waits * WAIT;
  const stringsAt = marksAt + marks * MARK;
  const strings = decodeStrings(view, stringsAt, count);
  const text = (at: number): string => {
    const found = strings[view.getUint32(at, true)];
    if (found === undefined) throw new Error("traffic buffer names a string it does not hold");
    return found;
  };
  return {
    time,
    tasks: range(tasks, (i) => {
      const at = tasksAt + i * TASK;
      return {
        task: text(at),
        address: text(at + 4),
        incarnation: text(at + 8),
        alive: (view.getUint32(at + 12, true) & 1) === 1,
      };
    }),
    links: range(links, (i) => {
      const at = linksAt + i * LINK;
      return {
        source: text(at),
        destination: text(at + 4),
        messages: view.getFloat64(at + 8, true),
        bytes: view.getFloat64(at + 16, true),
      };
    }),
    events: range(events, (i) => {
      const at = eventsAt + i * EVENT;
      return {
        step: view.getBigInt64(at, true).toString(),
        bytes: view.getFloat64(at + 8, true),
        start: view.getFloat64(at + 16, true),
        end: view.getFloat64(at + 24, true),
        tensor: text(at + 32),
        kind: text(at + 36),
        source: text(at + 40),
        destination: text(at + 44),
      };
    }),
    waits: range(waits, (i) => {
      const at = waitsAt + i * WAIT;
      return {
        task: text(at),
        what: text(at + 4),
        text: text(at + 8),
        seconds: view.getFloat64(at + 12, true),
      };
    }),
    marks: range(marks, (i) => {
      const at = marksAt + i * MARK;
      return [view.getFloat64(at, true), text(at + 8), view.getFloat64(at + 12, true)];
    }),
  };
}

/* The ticks of a stream, each after its length. */
export function* decodeStream(view: DataView): Generator<Tick> {
  let at = 0;
  while (at < view.byteLength) {
    const length = view.getUint32(at, true);
    yield decodeTick(new DataView(view.buffer, view.byteOffset + at + 4, length));
    at += 4 + length;
  }
}

function decodeStrings(view: DataView, at: number, count: number): string[] {
  const utf8 = new TextDecoder();
  const textAt = at + 4 * (count + 1);
  return range(count, (i) => {
    const from = view.getUint32(at + 4 * i, true);
    const to = view.getUint32(at + 4 * i + 4, true);
    return utf8.decode(new Uint8Array(view.buffer, view.byteOffset + textAt + from, to - from));
  });
}

function range<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/* The same tick from its JSON form. */
export function tickFromJson(json: JsonTick): Tick {
  return {
    time: json.time,
    tasks: json.tasks,
    links: Object.entries(json.counters).map(([key, count]) => {
      const bar = key.indexOf("|");
      return { source: key.slice(0, bar), destination: key.slice(bar + 1), ...count };
    }),
    events: json.events.map((event) => ({ ...event, step: String(event.step) })),
    waits: json.waits ?? [],
    marks: json.marks ?? [],
  };
}
