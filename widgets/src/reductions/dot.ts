/* One thread beside a tree of threads, on one clock. */
import { choice } from "../common/controls";
import { s } from "../common/dom";
import { formatValue } from "../common/look";
import type { Model } from "../common/widget";
import { askFor, type Reduction, tableOf } from "./reduction";

interface Sums {
  a: number[];
  b: number[];
  running: number[];
  sizes: number[];
  levels: number[][];
  exact: number;
  dtype: string;
}
interface Round {
  level: number;
  first: number;
  count: number;
  active: number;
}

const ROW = 24;
const FEW = 4; // operations of a step that are told
const NARROW = 560;
const value = (x: number) => formatValue(x, 6);
const count = (n: number, what: string) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

export function dotProduct(model: Model): Reduction {
  const sums = (): Sums => model.get("sums");
  const rounds = (): Round[] => model.get("rounds");
  const n = () => sums().a.length;

  /* How many results of each level there are before step `step + 1`. */
  function made(step: number): number[] {
    const done = sums().sizes.map(() => 0);
    for (const round of rounds().slice(0, step)) done[round.level]! += round.count;
    return done;
  }

  function operations(round: Round): string {
    const { a, b, levels } = sums();
    const [here, below] = [levels[round.level]!, levels[round.level - 1]];
    const told: string[] = [];
    for (let i = round.first; i < Math.min(round.first + round.active, round.first + FEW); i++) {
      if (round.level === 0) told.push(`${value(a[i]!)} × ${value(b[i]!)}`);
      else if (below?.length) told.push(`${value(below[2 * i]!)} + ${value(below[2 * i + 1]!)}`);
      if (here.length && told.length) told[told.length - 1] += ` = ${value(here[i]!)}`;
    }
    return told.join(", ") + (round.active > FEW ? ", …" : ".");
  }

  function levels(count: number): number[] {
    const powers = [];
    for (let power = 1; power < count; power *= 2) powers.push(power);
    return [...powers, count];
  }

  function one(step: number): string {
    if (step === 0) return "";
    const { a, b, running } = sums();
    const at = Math.min(step, n()) - 1;
    const product = `${value(a[at]!)} × ${value(b[at]!)}`;
    return (at ? `${value(running[at - 1]!)} + ${product}` : product) + ` = ${value(running[at]!)}`;
  }

  return {
    name: "dot product",
    traits: ["sums", "rounds", "threads", "elements"],
    speeds: [1, 2, 5, 20, 100],
    speed: 2,
    length: () => Math.max(n(), rounds().length),

    controls() {
      const named = (control: { element: HTMLElement }, name: string) => {
        control.element.dataset.name = name;
        return control.element;
      };
      const offer = (numbers: number[], now: number) =>
        [...new Set([...numbers, now])].sort((x, y) => x - y).map((x) => [x, x.toLocaleString("en")] as const);
      const threads = choice({
        label: "threads", value: model.get("threads"), title: "Threads that work at the same time in the tree",
        options: offer(levels(n()), model.get("threads")), onchange: askFor(model, "threads"),
      });
      if (!model.get("free")) return [named(threads, "threads")];
      const elements = choice({
        label: "elements", value: n(), options: offer([4, 8, 10, 16, 32, 64, 100, 256, 1024], n()),
        onchange: askFor(model, "elements"),
      });
      return [named(elements, "elements"), named(threads, "threads")];
    },

    draw(content, step, width) {
      const narrow = width < NARROW;
      const side = narrow ? 12 : 178;
      const [left, room] = [12, width - 12 - side];
      const put = (...children: SVGElement[]) => content.append(...children);
      const say = (x: number, y: number, text: string, kind = "", anchor = "start") =>
        put(s("text", { class: `mtfr-text ${kind}`, x, y, "text-anchor": anchor }, text));
      const cells = (y: number, all: number, span: number, done: number, from: number, to: number, texts: number[], kind: string) => {
        put(s("rect", { class: "mtfr-empty", x: left, y, width: room, height: ROW - 4 }));
        const bar = (first: number, last: number, how: string) => {
          const [x, end] = [left + first * span, Math.min(left + room, left + last * span)];
          if (end > x) put(s("rect", { class: `${kind} ${how}`, x, y, width: end - x, height: ROW - 4 }));
        };
        bar(0, done, "mtfr-done");
        bar(from, to, "mtfr-now");
        const shown = texts.map(value); // numbers stand in all cells of a row, or in none
        const fits = Math.max(0, ...shown.map((text) => text.length)) * 6.6 + 4 <= span;
        for (let i = 0; i < all; i++) {
          const [x, end] = [left + i * span, Math.min(left + room, left + (i + 1) * span)];
          if (span >= 4 && i) put(s("line", { class: "mtfr-seam", x1: x, x2: x, y1: y, y2: y + ROW - 4 }));
          if (fits && i < done && shown[i]) say((x + end) / 2, y + 14, shown[i]!, "mtfr-number", "middle");
        }
      };
      const { sizes, levels } = sums();
      const total = n();
      const reached = Math.min(step, total);
      say(left, 22, "One thread", "mtfr-head");
      say(width - 12, 22, `${reached} of ${count(total, "step")}`, "mtfr-muted", "end");
      const at = step && step <= total ? [step - 1, step] as const : [0, 0] as const;
      cells(30, total, room / total, reached, ...at, levels[0] ?? [], "mtfr-one");
      if (!narrow) say(left + room + 12, 44, reached ? `sum ${value(sums().running[reached - 1]!)}` : "", "mtfr-strong");
      const round = rounds()[step - 1];
      const done = made(step);
      const threads: number = model.get("threads");
      let y = 82;
      say(left, y - 8, `A tree of ${count(threads, "thread")}`, "mtfr-head");
      say(width - 12, y - 8, `${Math.min(step, rounds().length)} of ${count(rounds().length, "step")}`, "mtfr-muted", "end");
      sizes.forEach((size, level) => {
        const now = round?.level === level ? round : undefined;
        const span = Math.min(room, (room / total) * 2 ** level);
        cells(y, size, span, done[level]!, now?.first ?? 0, now ? now.first + now.count : 0, levels[level]!, "mtfr-tree");
        if (!narrow) {
          const words = now ? `${count(now.active, "thread")} at work` : level ? "" : "products";
          say(left + room + 12, y + 14, level === sizes.length - 1 && done[level] ? `sum ${value(levels[level]![0]!)}` : words,
            now || level === sizes.length - 1 ? "mtfr-strong" : "mtfr-muted");
        }
        y += ROW;
      });
      return y + 6;
    },

    tell(step) {
      const round = rounds()[step - 1];
      if (step === 0) return "Nothing has been computed yet. Press play, or step on.";
      const single = step <= n() ? `One thread: ${one(step)}.` : "One thread has finished.";
      if (!round) return `${single} The tree finished in step ${rounds().length}.`;
      return `${single} Tree, ${count(round.active, "thread")}: ${operations(round)}`;
    },

    table() {
      const { exact, running, levels } = sums();
      const work = `${n().toLocaleString("en")} × and ${(n() - 1).toLocaleString("en")} +`;
      const depth = rounds().length;
      const busy = rounds().reduce((sum, round) => sum + round.active, 0) / depth;
      return tableOf("Work and depth", [
        ["", "work", "steps", "times faster", "threads busy on average", `result (${sums().dtype})`, "summed without rounding"],
        ["one thread", work, String(n()), "1", "1 of 1", String(running.at(-1)), String(exact)],
        ["tree", work, String(depth), formatValue(n() / depth), `${formatValue(busy)} of ${model.get("threads")}`,
          String(levels.at(-1)![0]), String(exact)],
      ]);
    },
  };
}
