/*
 * What arrives from Python each tick: a text, drawn in minitf_widgets/traffic/wire.py, which packs
 * it. No DOM in this file.
 */

export interface TaskState {
  task: string;
  address: string;
  alive: boolean;
  incarnation: string;
  /* How often it has begun again: counted by History. */
  restarts?: number;
}

/* "alive", "dead", or "not there yet": never heard of. */
export function lifeOf({ alive, incarnation }: TaskState): string {
  return alive ? "alive" : incarnation === "0" ? "not there yet" : "dead";
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

/* What a task waits for, since how many seconds: told by `explain_waits`. */
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

const VERSION = 3;

/* The name of a link, as in the counters and in `selected`. */
export function linkKey(source: string, destination: string): string {
  return `${source}|${destination}`;
}

/* Decodes one snapshot; throws when the text is none of ours. */
export function decodeTick(text: string): Tick {
  const { version, names, time, tasks, links, events, waits, marks } = JSON.parse(text);
  if (version !== VERSION) throw new Error(`traffic of version ${version}, this page reads ${VERSION}`);
  const name = (place: number): string => {
    if (names[place] === undefined) throw new Error("traffic names a text that it does not hold");
    return names[place];
  };
  return {
    time, tasks, waits,
    links: links.map(([source, destination, messages, bytes]: number[]) => ({
      source: name(source!), destination: name(destination!), messages, bytes,
    })),
    events: events.map(([tensor, kind, source, destination, step, bytes, start, end]: any[]) => ({
      step, tensor: name(tensor), kind: name(kind), source: name(source), destination: name(destination),
      bytes, start: time + start, end: time + end,
    })),
    marks: marks.map(([at, of, value]: [number, string, string]) => [time + at, of, Number(value)]),
  };
}

/* The snapshots of a text with one in each line. */
export function decodeStream(text: string): Tick[] {
  return text.split("\n").filter(Boolean).map(decodeTick);
}

/* "/job:ps/replica:0/task:1" -> { job: "ps", index: 1 }; anything else is a job of its own. */
export function parseTask(task: string): { job: string; index: number | null } {
  const job = /\/job:([^/]+)/.exec(task);
  const index = /\/task:(\d+)/.exec(task);
  return { job: job?.[1] ?? task, index: index ? Number(index[1]) : null };
}

/* For a small box: "/job:worker/task:15" -> "w15". */
export function shortLabel(task: string): string {
  const { job, index } = parseTask(task);
  return index === null ? job.slice(0, 6) : `${job === "ps" ? job : job.slice(0, 1)}${index}`;
}

/* "/job:ps/task:1" -> "ps 1". */
export function taskLabel(task: string): string {
  const { job, index } = parseTask(task);
  return index === null ? job : `${job} ${index}`;
}
