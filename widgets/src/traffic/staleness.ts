/*
 * How stale asynchronous updates are: how many updates of others a parameter server took in between
 * a worker's reading of its variables and the arrival of that worker's gradients, in one step.
 *
 * Counted from the single messages. Where only a share of them came along, the count is divided by
 * that share, which estimates the mean; the largest count is then not known. No DOM in this file.
 */
import { classOf, tensorsOf } from "./classes";
import type { TrafficEvent } from "./wire";

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
