/* Numbers as people read them: bytes, rates, durations, counts, task names. No DOM in this file. */

const SIZES = ["B", "kB", "MB", "GB", "TB"];

/* 1536 -> "1.54 kB" (powers of 1000, three digits). */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < SIZES.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : threeDigits(value)} ${SIZES[unit]}`;
}

export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/* 0.00042 -> "420 µs". */
export function formatDuration(seconds: number): string {
  if (seconds < 0.9995e-3) return `${threeDigits(seconds * 1e6)} µs`;
  if (seconds < 0.9995) return `${threeDigits(seconds * 1e3)} ms`;
  return `${threeDigits(seconds)} s`;
}

/* 1234567 -> "1,234,567". */
export function formatCount(count: number): string {
  return Math.round(count).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/* How much slower than in reality something is shown: 812.3 -> "810×", 3.41 -> "3.4×". */
export function formatFactor(factor: number): string {
  const digits = Math.floor(Math.log10(Math.max(factor, 1)));
  const unit = 10 ** Math.max(digits - 1, 0);
  const rounded = digits === 0 ? Math.round(factor * 10) / 10 : Math.round(factor / unit) * unit;
  return `${rounded >= 1000 ? formatCount(rounded) : rounded}×`;
}

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  if (value >= 9.995) return value.toFixed(1);
  return value.toFixed(value === 0 ? 0 : 2);
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

/* For a small box: 1536 -> "1.5k". */
export function shortBytes(bytes: number): string {
  const [value, unit] = formatBytes(bytes).split(" ") as [string, string];
  return `${Number(Number(value).toPrecision(2))}${unit === "B" ? "" : unit.slice(0, 1)}`;
}

/* "/job:ps/task:1" -> "ps 1". */
export function taskLabel(task: string): string {
  const { job, index } = parseTask(task);
  return index === null ? job : `${job} ${index}`;
}
