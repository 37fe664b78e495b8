/* The reductions' front end: a dot product, and all-reduce. Both have a stage, which is drawn anew
 * for each step and width, a play bar, a line that tells the step, and a table that compares. */
import { choice, PlayBar, slider, toolbar } from "../common/controls";
import { h, listenKeys, onResize, s, tableOf } from "../common/dom";
import { saveButtons, standalone } from "../common/export";
import { formatCount, formatValue, inked, lookOf } from "../common/look";
import { type Tile, Track, valueTile } from "../common/motion";
import { type Model, put, watch, widget } from "../common/widget";

/* What a kind of reduction brings. */
interface Reduction {
  name: string;
  traits: string[];
  speeds: readonly number[];
  speed: number;
  /* Controls for the toolbar; called again when a trait has changed. */
  controls(): Node[];
  /* Steps after the first moment, 0. */
  length(): number;
  /* Draws a moment; returns the height, and the numbers that are on their way then. */
  draw(content: SVGGElement, at: number, width: number): { height: number; tiles: Tile[] };
  tell(step: number): string;
  table(): Node;
}

const askFor = (model: Model, name: string) => (value: unknown) => put(model, name, value);

/* One thread beside a tree of threads, on one clock. */

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
const NARROW_TREE = 560;
const THIN = 2; // px: of narrower cells nobody could follow one
const value = (x: number) => formatValue(x, 6);
const count = (n: number, what: string) => `${formatCount(n)} ${what}${n === 1 ? "" : "s"}`;

function dotProduct(model: Model): Reduction {
  const sums = (): Sums => model.get("sums");
  const rounds = (): Round[] => model.get("rounds");
  const n = () => sums().a.length;
  const shared = () => model.get("threads") < n();

  /* How many results of each level there are before step `step + 1`. */
  function made(step: number): number[] {
    const done = sums().sizes.map(() => 0);
    for (const round of rounds().slice(0, step)) done[round.level]! += round.count;
    if (shared() && done[0] === n()) done[1] = sums().sizes[1]!; // each thread's sum is ready then
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
    const adds = shared() && round.level === 0 ? " Each adds its product to its own sum." : "";
    return told.join(", ") + (round.active > FEW ? ", …" : ".") + adds;
  }

  function levels(count: number): number[] {
    const powers = [];
    for (let power = 1; power < count; power *= 2) powers.push(power);
    return [...powers, count];
  }

  function one(step: number): string {
    if (step === 0) return "";
    const { a, b, running } = sums();
    const at = step - 1;
    const product = `${value(a[at]!)} × ${value(b[at]!)}`;
    return (at ? `${value(running[at - 1]!)} + ${product}` : product) + ` = ${value(running[at]!)}`;
  }

  return {
    name: "dot product",
    traits: ["sums", "rounds", "threads", "elements"],
    speeds: [1, 2, 5, 20, 100],
    speed: 2,
    length: n,

    controls() {
      const offer = (numbers: number[], now: number) =>
        [...new Set([...numbers, now])].sort((x, y) => x - y).map((x) => [x, formatCount(x)] as const);
      const threads = choice({
        label: "threads", value: model.get("threads"), title: "Threads that work at the same time in the tree",
        options: offer(levels(n()), model.get("threads")), onchange: askFor(model, "threads"),
      });
      if (!model.get("free")) return [threads.element];
      const elements = choice({
        label: "elements", value: n(), options: offer([4, 8, 10, 16, 32, 64, 100, 256, 1024], n()),
        onchange: askFor(model, "elements"),
      });
      return [elements.element, threads.element];
    },

    draw(content, at, width) {
      const [past, step] = [Math.floor(at), Math.ceil(at)];
      const tiles: Tile[] = [];
      const narrow = width < NARROW_TREE;
      const side = narrow ? 12 : 178;
      const [left, room] = [12, width - 12 - side];
      const put = (...children: SVGElement[]) => content.append(...children);
      const say = (x: number, y: number, text: string, kind = "", anchor = "start") =>
        put(s("text", { class: kind || null, x, y, "text-anchor": anchor }, text));
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
      const middle = (i: number, span: number, y: number) => `${left + Math.min(room, (i + 0.5) * span)} ${y + ROW / 2 - 2}`;
      const send = (x: number, from: string, to: string, kind: string, space?: number) =>
        past < step && tiles.push({ body: valueTile(value(x), kind, space), way: new Track(`M${from}L${to}`) });
      const { sizes, levels, running } = sums();
      const total = n();
      say(left, 22, "One thread", "mtfr-head");
      say(width - 12, 22, `${step} of ${count(total, "step")}`, "mtfw-muted", "end");
      cells(30, total, room / total, past, Math.max(0, step - 1), step, levels[0] ?? [], "mtfr-one");
      if (!narrow) say(left + room + 12, 44, past ? `sum ${value(running[past - 1]!)}` : "", "mtfw-strong");
      if (!narrow && step && levels[0]?.length)
        send(levels[0][step - 1]!, middle(step - 1, room / total, 30), `${left + room + 40} 40`, "mtfr-one");
      const round = rounds()[step - 1];
      const done = made(past);
      const threads: number = model.get("threads");
      let y = 82;
      say(left, y - 8, `A tree of ${count(threads, "thread")}`, "mtfr-head");
      say(width - 12, y - 8, `${Math.min(step, rounds().length)} of ${count(rounds().length, "step")}`, "mtfw-muted", "end");
      let wide = room / total;
      let above = wide; // the width of a cell of the row above
      sizes.forEach((size, level) => {
        const now = round?.level === level ? round : undefined;
        // Sums of two are as wide as both.
        if (level) wide = size === Math.ceil(sizes[level - 1]! / 2) ? 2 * wide : room / size;
        const span = Math.min(room, wide);
        cells(y, size, span, done[level]!, now?.first ?? 0, now ? now.first + now.count : 0, levels[level]!, "mtfr-tree");
        if (!narrow) {
          const words = now ? `${count(now.active, "thread")} at work` : ["products", shared() ? "threads' sums" : ""][level] ?? "";
          say(left + room + 12, y + 14, level === sizes.length - 1 && done[level] ? `sum ${value(levels[level]![0]!)}` : words,
            now || level === sizes.length - 1 ? "mtfw-strong" : "mtfw-muted");
        }
        const terms = levels[level - 1] ?? [];
        if (now && above >= THIN)
          for (let i = 2 * now.first; i < Math.min(terms.length, 2 * (now.first + now.count)); i++)
            send(terms[i]!, middle(i, above, y - ROW), middle(Math.floor(i / 2), span, y), "mtfr-tree", above);
        above = span;
        y += ROW;
      });
      return { height: y + 6, tiles };
    },

    tell(step) {
      const round = rounds()[step - 1];
      if (step === 0) return "Nothing has been computed yet. Press play, or step on.";
      const single = `One thread: ${one(step)}.`;
      if (!round) return `${single} The tree finished in step ${rounds().length}.`;
      return `${single} Tree, ${count(round.active, "thread")}: ${operations(round)}`;
    },

    table() {
      const { exact, running, levels } = sums();
      const work = `${formatCount(n())} × and ${formatCount(n() - 1)} +`;
      const depth = rounds().length;
      const busy = rounds().reduce((sum, round) => sum + round.active, 0) / depth;
      return tableOf("Work and depth", [
        ["", "work", "steps", "speedup", "threads busy on average", `result (${sums().dtype})`, "exact sum"],
        ["one thread", work, String(n()), "1", "1 of 1", String(running.at(-1)), String(exact)],
        ["tree", work, String(depth), formatValue(n() / depth), `${formatValue(busy)} of ${model.get("threads")}`,
          String(levels.at(-1)![0]), String(exact)],
      ]);
    },
  };
}

/* All-reduce: the members in a circle with what is sent, and what each has of every piece. */

interface Move {
  source: number;
  target: number;
  first: number;
  last: number;
  adds: boolean;
  bytes: number;
  sent: string[];
  result: string[];
}
interface Run {
  members: string[];
  pieces: number[];
  start: string[][];
  steps: Move[][];
  bytes: number;
  most: number;
  row: string[];
  parts: number[][][];
}

const NARROW_CIRCLE = 620;
const CIRCLE = 250;
const brief = (text: string) => (text.length > 9 ? `${text.slice(0, 8)}…` : text);
const kindOf = (move: Move) => (move.adds ? "mtfr-adds" : "mtfr-takes");
const pieces = (move: Move) =>
  move.last <= move.first ? "" : move.last - move.first === 1 ? `piece ${move.first + 1}` : `pieces ${move.first + 1}–${move.last}`;

function allReduce(model: Model): Reduction {
  const runs = (): Record<string, Run> => model.get("runs");
  const run = (): Run => runs()[model.get("algorithm")] ?? Object.values(runs())[0]!;

  /* What each member has after `step`, as text, and what it has sent. */
  function after(step: number): { texts: string[][]; sent: number[] } {
    const { start, steps, members } = run();
    const texts = start.map((row) => [...row]);
    const sent = members.map(() => 0);
    for (const move of steps.slice(0, step).flat()) {
      sent[move.source]! += move.bytes;
      for (let i = move.first; i < move.last; i++) if (texts[move.target]) texts[move.target]![i] = move.result[i - move.first]!;
    }
    return { texts, sent };
  }
  function circle(content: SVGGElement, step: number, left: number, top: number): Tile[] {
    const tiles: Tile[] = [];
    const { members, steps } = run();
    const size = Math.min(17, 200 / members.length);
    const radius = CIRCLE / 2 - 26;
    const at = (member: number): [number, number] => {
      const angle = (2 * Math.PI * member) / members.length - Math.PI / 2;
      return [left + CIRCLE / 2 + radius * Math.cos(angle), top + CIRCLE / 2 + radius * Math.sin(angle)];
    };
    const moves = steps[step - 1] ?? [];
    for (const move of moves) {
      const [[x1, y1], [x2, y2]] = [at(move.source), at(move.target)];
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
      const back = moves.some((other) => other.source === move.target && other.target === move.source);
      const bend = back ? Math.min(26, length / 5) : 0; // two ways between the same two stay apart
      const [sx, sy] = [x1 + dx * (size + 2), y1 + dy * (size + 2)];
      const [ex, ey] = [x2 - dx * (size + 8), y2 - dy * (size + 8)];
      const [mx, my] = [(sx + ex) / 2 - dy * bend, (sy + ey) / 2 + dx * bend];
      const tilt = (Math.atan2(ey - my, ex - mx) * 180) / Math.PI;
      const [kind, d] = [kindOf(move), `M${sx} ${sy}Q${mx} ${my} ${ex} ${ey}`];
      const text = move.sent.length > 1 ? "" : brief(move.sent[0] ?? ""); // the table has room for more
      tiles.push({ body: valueTile(text, kind, length - 2 * size), way: new Track(d) });
      content.append(
        s("path", { class: `mtfr-arrow ${kind}`, d }),
        s("path", { class: `mtfr-tip ${kind}`, d: "M7 0L-3 -5V5Z", transform: `translate(${ex} ${ey}) rotate(${tilt})` }),
      );
    }
    members.forEach((name, member) => {
      const [cx, cy] = at(member);
      content.append(
        s("g", {}, s("title", {}, name),
          s("circle", { class: "mtfr-member", cx, cy, r: size, stroke: inked(lookOf(`worker ${member}`)!.color) }),
          s("text", { class: "mtfw-strong", x: cx, y: cy + 4, "text-anchor": "middle", "font-size": Math.min(12, size) }, String(member))),
      );
    });
    return tiles;
  }

  function grid(content: SVGGElement, at: number, left: number, top: number, width: number): { bottom: number; tiles: Tile[] } {
    const { members, pieces: sizes, parts, steps } = run();
    const [past, moves] = [Math.floor(at), steps[Math.ceil(at) - 1] ?? []];
    const { texts, sent } = after(past);
    const names = Math.min(96, 12 + 7 * Math.max(...members.map((name) => name.length)));
    const bars = 92;
    const room = width - names - bars;
    const cell = room / Math.max(1, sizes.length);
    const row = members.length > 12 ? 18 : Math.max(32, Math.min(52, (CIRCLE - 24) / members.length));
    const limit = Math.max(...Object.values(runs()).map((each) => each.most), 1);
    const say = (x: number, y: number, text: string, kind: string, anchor = "middle") =>
      content.append(s("text", { class: kind || null, x, y, "text-anchor": anchor }, text));
    sizes.forEach((_, piece) => cell > 52 && say(left + names + (piece + 0.5) * cell, top + 12, `piece ${piece + 1}`, "mtfw-muted"));
    say(left + width, top + 12, "bytes sent", "mtfw-muted", "end");
    members.forEach((name, member) => {
      const y = top + 20 + member * row;
      say(left + names - 8, y + row / 2 + 2, name, "", "end");
      sizes.forEach((_, piece) => {
        const x = left + names + piece * cell;
        const move = moves.find((each) => each.target === member && each.first <= piece && piece < each.last);
        const share = ((parts[past]?.[member]?.[piece] ?? 1) - 1) / Math.max(1, members.length - 1);
        const text = texts[member]?.[piece] ?? "";
        const whole = share === 1;
        content.append(
          s("rect", { class: "mtfr-empty", x: x + 1, y, width: cell - 2, height: row - 3 }),
          s("rect", { class: "mtfr-tree", x: x + 1, y: y + row - 8, width: (cell - 2) * share, height: 5 }),
          move ? s("rect", { class: `mtfr-changed ${kindOf(move)}`, x: x + 2, y: y + 1, width: cell - 4, height: row - 5 }) : s("g"),
        );
        const fits = (words: string) => words.length * 6.6 + 6 <= cell;
        const shown = fits(text) ? text : fits(text.split(" ")[0]! + " …") ? text.split(" ")[0]! + " …" : "";
        if (row > 20) say(x + cell / 2, y + row / 2, shown, whole ? "mtfr-number mtfw-strong" : "mtfr-number");
      });
      const wide = bars - 34;
      content.append(
        s("rect", { class: "mtfr-empty", x: left + width - bars + 6, y: y + row / 2 - 6, width: wide - 18, height: 8 }),
        s("rect", { class: "mtfr-one", x: left + width - bars + 6, y: y + row / 2 - 6, width: ((wide - 18) * sent[member]!) / limit, height: 8 }),
      );
      say(left + width, y + row / 2 + 2, formatCount(sent[member]!), "mtfr-number", "end");
    });
    const middle = (member: number, piece: number) => `${left + names + (piece + 0.5) * cell} ${top + 16 + (member + 0.5) * row}`;
    const tiles = moves.flatMap((move) => move.sent.map((text, i) => ({
      body: valueTile(row > 20 ? brief(text) : "", kindOf(move), cell - 4),
      way: new Track(`M${middle(move.source, move.first + i)}L${middle(move.target, move.first + i)}`),
    })));
    return { bottom: top + 24 + members.length * row, tiles };
  }

  return {
    name: "all-reduce",
    traits: ["runs", "algorithm", "members"],
    speeds: [0.5, 1, 2, 5],
    speed: 1,
    length: () => run().steps.length,

    controls() {
      const which = choice({
        label: "algorithm", value: model.get("algorithm"),
        options: Object.keys(runs()).map((name) => [name, name] as const), onchange: askFor(model, "algorithm"),
      });
      if (!model.get("free")) return [which.element];
      const members = slider({
        label: "members", low: 2, high: 16, step: 1, value: run().members.length, onchange: askFor(model, "members"),
      });
      return [which.element, members.element];
    },

    draw(content, at, width) {
      const narrow = width < NARROW_CIRCLE;
      const around = circle(content, Math.ceil(at), narrow ? (width - CIRCLE) / 2 : 6, 8);
      const [left, top, room] = narrow ? [8, CIRCLE + 12, width - 20] : [CIRCLE + 18, 18, width - CIRCLE - 32];
      const { bottom, tiles } = grid(content, at, left, top, room);
      const floor = Math.max(bottom, CIRCLE + 12);
      const items: [string, string][] = [["mtfr-adds", "sent and added"], ["mtfr-takes", "sent, replaces"]];
      items.forEach(([kind, text], place) => {
        const x = 14 + place * 130;
        content.append(
          s("path", { class: `mtfr-arrow ${kind}`, d: `M${x} ${floor + 10}h22` }),
          s("text", { class: "mtfw-muted", x: x + 28, y: floor + 14 }, text),
        );
      });
      if (run().pieces.length && !narrow)
        content.append(
          s("rect", { class: "mtfr-tree", x: 310, y: floor + 7, width: 22, height: 5 }),
          s("text", { class: "mtfw-muted", x: 338, y: floor + 14 }, "share of the sum; bold: complete"),
        );
      return { height: floor + 24, tiles: Number.isInteger(at) ? [] : [...around, ...tiles] };
    },

    tell(step) {
      const { steps, members } = run();
      if (step === 0) return `${members.length} members, each with its own numbers. At the end, each must have the sum of all.`;
      const moves = steps[step - 1] ?? [];
      const told = moves.slice(0, 3).map((move) => {
        const what = [pieces(move), move.sent.length ? `(${move.sent.join(" ")})` : `${formatCount(move.bytes)} bytes`].filter(Boolean).join(" ");
        return `${members[move.source]} sends ${what} to ${members[move.target]}${move.adds ? ", which adds it" : ""}`;
      });
      const rest = moves.length - told.length;
      return `Step ${step}: ${told.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`;
    },

    table() {
      const head = ["", "steps", "messages", "bytes sent by the busiest member", "theory"];
      const rows = Object.entries(runs()).map(([name, { row }]) => [name, ...row]);
      return tableOf("The algorithms side by side", [head, ...rows], Object.keys(runs()).indexOf(model.get("algorithm")));
    },
  };
}

export default widget("reductions", (model, root, signal) => {
  const made: Reduction = model.get("kind") === "dot" ? dotProduct(model) : allReduce(model);
  const content = s("g");
  const svg = s("svg", { class: "mtfr-svg", role: "img", "aria-label": made.name }, content);
  const label = `${made.name}: arrow keys step, Space plays`;
  const stage = h("div", { class: "mtfr-stage", tabindex: 0, role: "group", "aria-label": label }, svg);
  const told = h("p", { class: "mtfr-told", role: "status" });
  const table = h("div", { class: "mtfr-table" });
  const controls = h("div", { class: "mtfw-controls mtfr-controls" });
  const moving = s("g", { class: "mtfw-screen-only" });
  let width = 0;
  let height = 0;

  const bar = new PlayBar({
    label: made.name,
    length: made.length() + 1,
    position: model.get("step"),
    speeds: made.speeds,
    speed: made.speed,
    describe: (at) => `step ${at} of ${made.length()}`,
    onmove: (at) => put(model, "step", at),
    draw,
    signal,
  });

  function draw(at: number): Tile[] {
    const words = made.tell(bar.position);
    if (told.textContent !== words) told.textContent = words;
    if (!width) return [];
    content.replaceChildren();
    const drawn = made.draw(content, at, width);
    height = drawn.height;
    moving.replaceChildren(...drawn.tiles.map((tile) => tile.body));
    content.append(moving);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", String(height));
    svg.setAttribute("aria-label", `${made.name}. ${words}`);
    return drawn.tiles;
  }
  function renew(): void {
    const focus = controls.contains(document.activeElement)
      ? document.activeElement?.closest("[data-name]")?.getAttribute("data-name")
      : null;
    controls.replaceChildren(...made.controls());
    if (focus) controls.querySelector<HTMLElement>(`[data-name="${focus}"] :is(select, input, button)`)?.focus();
    table.replaceChildren(made.table());
    bar.resize(made.length() + 1, model.get("step"));
    bar.look();
  }
  const picture = () => standalone(svg, content, { x: 0, y: 0, width, height });
  const top = toolbar(made.name, [controls], saveButtons("reduction", picture));
  root.append(top, stage, h("div", { class: "mtfr-below" }, bar.element, told, table));
  listenKeys(stage, bar.keys, signal);

  watch(model, made.traits, renew, signal);
  watch(model, ["step"], () => {
    if (model.get("step") === bar.position) return;
    bar.pause();
    bar.resize(made.length() + 1, model.get("step"));
    bar.look();
  }, signal);
  const resized = (now: number) => {
    if (now <= 0 || now === width) return;
    width = now;
    bar.look();
  };
  onResize(stage, resized, signal);
  renew();
});
