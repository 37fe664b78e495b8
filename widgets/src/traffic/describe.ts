/*
 * What the panel and the status line say, as plain data: the view only puts it on the page. No DOM
 * here.
 */
import { formatBytes, formatCount, formatDuration, formatFactor, formatRate } from "../common/look";
import { classOf, type Log, tensorsOf, wordsOf } from "./messages";
import type { LinkTotals, RateBook } from "./rates";
import { SLOW_SECONDS, slowDown } from "./time";
import { parseTask, taskLabel, type TrafficEvent, type Wait } from "./wire";

export interface MessageRow {
  event: TrafficEvent;
  /* The tensors in it, or else what kind of message it is. */
  name: string;
  route: string;
  size: string;
  duration: string;
  /* How many times slower than in reality it is shown. */
  slower: string;
}

export interface Description {
  title: string;
  subtitle: string;
  facts: [name: string, value: string][];
  /* Of the selected worker, or of all. */
  staleness: Staleness | null;
  rows: MessageRow[];
}

/* Seconds after which a wait is worth a word. */
const LONG_WAIT = 1;

/* The waits worth telling, the longest first: of one task, or of all (null). */
export function longWaits(waits: readonly Wait[], task: string | null = null): Wait[] {
  return waits
    .filter((wait) => wait.seconds >= LONG_WAIT && (task === null || wait.task === task))
    .sort((a, b) => b.seconds - a.seconds);
}

/* "worker 1 waits for sync_token_q_Dequeue on ps 1: the queue is empty". */
export function waitText(wait: Wait): string {
  return `${taskLabel(wait.task)} ${wait.text}`;
}

/* "35 s", "12 min". */
export function sinceText(seconds: number): string {
  return seconds < 120 ? `${Math.floor(seconds)} s` : `${Math.floor(seconds / 60)} min`;
}

export function linkLabel(key: string): string {
  return key.split("|").map(taskLabel).join(" → ");
}

/* "1,204 messages, 12.3 MB". */
export function totalText(total: { messages: number; bytes: number }): string {
  const noun = total.messages === 1 ? "message" : "messages";
  return `${formatCount(total.messages)} ${noun}, ${formatBytes(total.bytes)}`;
}

export function rateText(total: LinkTotals): string {
  return `${formatRate(total.rate.bytes)}, ${formatCount(total.rate.messages)} messages/s`;
}

export function messageRow(event: TrafficEvent, travel: number): MessageRow {
  const seconds = Math.max(0, event.end - event.start);
  return {
    event,
    name: wordsOf(event),
    route: `${taskLabel(event.source)} → ${taskLabel(event.destination)}`,
    size: formatBytes(event.bytes),
    duration: formatDuration(seconds),
    slower: formatFactor(slowDown(seconds, travel)),
  };
}

/* What is known of the selection; of everything when nothing (or nothing known) is selected. */
export function describe(
  selection: string | null,
  book: RateBook,
  log: Log,
  travel: number,
  rows: number,
): Description {
  const last = (of: string | null) => log.last(rows, of).map((event) => messageRow(event, travel));
  const link = selection === null ? undefined : book.links.get(selection);
  if (link) {
    const back = book.links.get(`${link.destination}|${link.source}`);
    return {
      title: linkLabel(link.key),
      subtitle: "link, this direction",
      facts: [
        ["in all", totalText(link)],
        ["now", rateText(link)],
        ...(link.messages > 0
          ? [["mean message", formatBytes(link.bytes / link.messages)] as [string, string]]
          : []),
        ["way back", back ? totalText(back) : "nothing yet"],
      ],
      staleness: null,
      rows: last(link.key),
    };
  }
  const task = selection === null ? undefined : book.tasks.get(selection);
  if (task) {
    const state = !task.listed ? "not a task of the cluster" : task.alive ? "alive" : "dead";
    const stale = parseTask(task.task).job === "ps" ? null : stalenessOf(book, log, task.task);
    const restarts = task.restarts > 0 ? `, restarted ${task.restarts}×` : "";
    return {
      title: taskLabel(task.task),
      subtitle: [`${state}${restarts}`, task.address].filter(Boolean).join(" · "),
      facts: [
        ["in, all", totalText(task.in)],
        ["in, now", rateText(task.in)],
        ["out, all", totalText(task.out)],
        ["out, now", rateText(task.out)],
        ...stalenessFact(stale),
      ],
      staleness: stale,
      rows: last(task.task),
    };
  }
  const dead = [...book.tasks.values()].filter((other) => !other.alive).length;
  const totals = book.totals();
  const stale = stalenessOf(book, log, null);
  return {
    title: "All tasks",
    subtitle: "select a task or a link for its own numbers",
    facts: [
      ["tasks", `${formatCount(book.tasks.size)}${dead > 0 ? `, ${dead} dead` : ""}`],
      ["in all", totalText(totals)],
      ["now", rateText(totals)],
      ...stalenessFact(stale),
    ],
    staleness: stale,
    rows: last(null),
  };
}

/* Messages that the staleness is counted from, at most. */
const STALENESS_EVENTS = 1500;

/* Of one worker, or of all (null); null while no updates are seen. */
function stalenessOf(book: RateBook, log: Log, worker: string | null): Staleness | null {
  const shareOf = (ps: string) => book.sampledShare(ps);
  return staleness(log.last(STALENESS_EVENTS), shareOf, worker);
}

function stalenessFact(found: Staleness | null): [string, string][] {
  return found ? [["stale by", stalenessText(found)]] : [];
}

/*
 * How much of the traffic is drawn message by message, in words; totals are exact either way.
 *
 * @param still nothing is drawn moving, since the reader asked for less movement
 * @param slow in slow motion only pieces are drawn: what is told is how much came along one by one
 */
export function shareText(share: number | null, still = false, slow = 1): string {
  if (still) return "less movement asked for: messages counted, not drawn one by one";
  const drawn = slow > 1 ? "sampled" : "drawn";
  if (share === null) return "no messages just now";
  if (share > 0.995) return `every message ${drawn}`;
  const percent = share < 0.01 ? "under 1" : Math.round(share * 100);
  return `${percent} % of messages ${drawn}, totals exact`;
}

/* How slowly the recent messages are shown: the median, in words. */
export function slownessText(log: Log, travel: number, slow = 1): string {
  if (slow > 1) {
    const piece = formatDuration(SLOW_SECONDS / slow);
    const shown = `${piece} shown in ${SLOW_SECONDS} s`;
    return `slow motion, ${formatFactor(slow)} slower: ${shown}, then the newest`;
  }
  const factors = log
    .last(101)
    .map((event) => slowDown(event.end - event.start, travel))
    .sort((a, b) => a - b);
  if (factors.length === 0) return "";
  return `shown about ${formatFactor(factors[factors.length >> 1] as number)} slower than real`;
}

/*
 * How stale asynchronous updates are: how many updates of others a parameter server took in between
 * a worker's reading of its variables and the arrival of that worker's gradients, in one step.
 *
 * Counted from the single messages. Where only a share of them came along, the count is divided by
 * that share, which estimates the mean; the largest count is then not known. No DOM in this file.
 */

export interface Staleness {
  /* Updates of others, mean over the steps. */
  mean: number;
  /* Most in one step; null when not every message was seen. */
  most: number | null;
  /* How many steps were looked at. */
  steps: number;
  /* How many steps had so many updates of others in between: 0, 1, ..., MOST_BINS or more. */
  bins: number[];
}

export const MOST_BINS = 7;

/* A share of the messages above this counts as all of them. */
const COMPLETE = 0.995;

/* From a share of the messages, so many steps must be seen both reading and updating for an estimate. */
const ENOUGH = 20;

/*
 * @param events the last messages of all links, in any order
 * @param shareOf which share they are of the messages to a ps (0..1; null: not known)
 * @param worker only this worker's steps; null for all
 * @returns null when no step was seen both reading and updating
 */
export function staleness(
  events: readonly TrafficEvent[],
  shareOf: (ps: string) => number | null,
  worker: string | null = null,
): Staleness | null {
  const reads = new Map<string, number>();
  const updates = new Map<string, Map<string, TrafficEvent>>();
  for (const event of events) {
    // what is fed to a ps or fetched from it is no reading and no update of a worker's step
    if (event.kind !== "recv_tensor" || tensorsOf(event).length === 0) continue;
    const kind = classOf(event);
    if (kind === "from-ps") {
      const key = `${event.source} ${event.destination} ${event.step}`;
      reads.set(key, Math.min(reads.get(key) ?? Infinity, event.end));
    } else if (kind === "to-ps") {
      const steps = updates.get(event.destination) ?? new Map<string, TrafficEvent>();
      const key = `${event.source} ${event.step}`;
      const before = steps.get(key);
      if (!before || before.end < event.end) steps.set(key, event);
      updates.set(event.destination, steps);
    }
  }
  const counts: number[] = [];
  let complete = true;
  for (const [ps, steps] of updates) {
    const share = shareOf(ps);
    if (share === null || share <= 0) continue;
    const scale = share > COMPLETE ? 1 : 1 / share;
    complete &&= share > COMPLETE;
    const ends = [...steps.values()].map((event) => event.end).sort((a, b) => a - b);
    for (const update of steps.values()) {
      if (worker !== null && update.source !== worker) continue;
      const read = reads.get(`${update.destination} ${update.source} ${update.step}`);
      if (read === undefined || read >= update.end) continue;
      counts.push(scale * (below(ends, update.end) - below(ends, read)));
    }
  }
  if (counts.length < (complete ? 1 : ENOUGH)) return null;
  return {
    mean: counts.reduce((total, count) => total + count, 0) / counts.length,
    most: complete ? Math.max(...counts) : null,
    steps: counts.length,
    bins: binned(counts),
  };
}

function binned(counts: readonly number[]): number[] {
  const bins = new Array<number>(MOST_BINS + 1).fill(0);
  for (const count of counts) bins[Math.min(Math.round(count), MOST_BINS)]! += 1;
  return bins.slice(0, bins.findLastIndex((bin) => bin > 0) + 1);
}

/* How many of the sorted `values` are smaller than `limit`. */
function below(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* "1.4 updates, 3 at most" or, from a share of the messages, "about 1.4 updates". */
export function stalenessText(found: Staleness): string {
  const mean = found.mean < 9.95 ? found.mean.toFixed(1) : found.mean.toFixed(0);
  return found.most === null ? `about ${mean} updates` : `${mean} updates, ${found.most} at most`;
}
