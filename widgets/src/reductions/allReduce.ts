/* All-reduce: the members in a circle with what is sent, and what each has of every piece. */
import { choice, slider } from "../common/controls";
import { s } from "../common/dom";
import { formatValue, swatch } from "../common/look";
import type { Model } from "../common/widget";
import { askFor, type Reduction, tableOf } from "./reduction";

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
  algorithm: string;
  theory: number;
  parts: number[][][];
  seconds?: number;
}

const NARROW = 620;
const CIRCLE = 250;
const grouped = (n: number) => Math.round(n).toLocaleString("en");
const pieces = (move: Move) =>
  move.last <= move.first ? "" : move.last - move.first === 1 ? `piece ${move.first + 1}` : `pieces ${move.first + 1}–${move.last}`;

export function allReduce(model: Model): Reduction {
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
  const most = (each: Run) => {
    const sent = each.members.map(() => 0);
    for (const move of each.steps.flat()) sent[move.source]! += move.bytes;
    return Math.max(...sent);
  };

  function circle(content: SVGGElement, step: number, left: number, top: number): void {
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
      const kind = move.adds ? "mtfr-adds" : "mtfr-takes";
      content.append(
        s("path", { class: `mtfr-arrow ${kind}`, d: `M${sx} ${sy}Q${mx} ${my} ${ex} ${ey}` }),
        s("path", { class: `mtfr-tip ${kind}`, d: "M7 0L-3 -5V5Z", transform: `translate(${ex} ${ey}) rotate(${tilt})` }),
      );
    }
    members.forEach((name, member) => {
      const [cx, cy] = at(member);
      content.append(
        s("g", {}, s("title", {}, name),
          s("circle", { class: "mtfr-member", cx, cy, r: size, stroke: swatch(member).color }),
          s("text", { class: "mtfr-text mtfr-strong", x: cx, y: cy + 4, "text-anchor": "middle", "font-size": Math.min(12, size) }, String(member))),
      );
    });
  }

  function grid(content: SVGGElement, step: number, left: number, top: number, width: number): number {
    const { members, pieces: sizes, parts, steps } = run();
    const { texts, sent } = after(step);
    const names = Math.min(96, 12 + 7 * Math.max(...members.map((name) => name.length)));
    const bars = 92;
    const room = width - names - bars;
    const cell = room / Math.max(1, sizes.length);
    const row = members.length > 12 ? 18 : Math.max(32, Math.min(52, (CIRCLE - 24) / members.length));
    const limit = Math.max(...Object.values(runs()).map(most), 1);
    const say = (x: number, y: number, text: string, kind: string, anchor = "middle") =>
      content.append(s("text", { class: `mtfr-text ${kind}`, x, y, "text-anchor": anchor }, text));
    sizes.forEach((_, piece) => cell > 52 && say(left + names + (piece + 0.5) * cell, top + 12, `piece ${piece + 1}`, "mtfr-muted"));
    say(left + width, top + 12, "bytes sent", "mtfr-muted", "end");
    members.forEach((name, member) => {
      const y = top + 20 + member * row;
      say(left + names - 8, y + row / 2 + 2, name, "", "end");
      sizes.forEach((_, piece) => {
        const x = left + names + piece * cell;
        const move = (steps[step - 1] ?? []).find((each) => each.target === member && each.first <= piece && piece < each.last);
        const share = ((parts[step]?.[member]?.[piece] ?? 1) - 1) / Math.max(1, members.length - 1);
        const text = texts[member]?.[piece] ?? "";
        const whole = share === 1;
        content.append(
          s("rect", { class: "mtfr-empty", x: x + 1, y, width: cell - 2, height: row - 3 }),
          s("rect", { class: "mtfr-tree", x: x + 1, y: y + row - 8, width: (cell - 2) * share, height: 5 }),
          move ? s("rect", { class: `mtfr-changed ${move.adds ? "mtfr-adds" : "mtfr-takes"}`, x: x + 2, y: y + 1, width: cell - 4, height: row - 5 }) : s("g"),
        );
        const fits = (words: string) => words.length * 6.6 + 6 <= cell;
        const shown = fits(text) ? text : fits(text.split(" ")[0]! + " …") ? text.split(" ")[0]! + " …" : "";
        if (row > 20) say(x + cell / 2, y + row / 2, shown, whole ? "mtfr-number mtfr-strong" : "mtfr-number");
      });
      const wide = bars - 34;
      content.append(
        s("rect", { class: "mtfr-empty", x: left + width - bars + 6, y: y + row / 2 - 6, width: wide - 18, height: 8 }),
        s("rect", { class: "mtfr-one", x: left + width - bars + 6, y: y + row / 2 - 6, width: ((wide - 18) * sent[member]!) / limit, height: 8 }),
      );
      say(left + width, y + row / 2 + 2, grouped(sent[member]!), "mtfr-number", "end");
    });
    return top + 24 + members.length * row;
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
      which.element.dataset.name = "algorithm";
      if (!model.get("free")) return [which.element];
      const members = slider({
        label: "members", low: 2, high: 16, step: 1, value: run().members.length, onchange: askFor(model, "members"),
      });
      members.element.dataset.name = "members";
      return [which.element, members.element];
    },

    draw(content, step, width) {
      const narrow = width < NARROW;
      circle(content, step, narrow ? (width - CIRCLE) / 2 : 6, 8);
      const bottom = grid(content, step, narrow ? 8 : CIRCLE + 18, narrow ? CIRCLE + 12 : 18, width - (narrow ? 20 : CIRCLE + 32));
      const floor = Math.max(bottom, CIRCLE + 12);
      const items: [string, string][] = [["mtfr-adds", "sent and added"], ["mtfr-takes", "sent, takes the place"]];
      items.forEach(([kind, text], place) => {
        const x = 14 + place * 130;
        content.append(
          s("path", { class: `mtfr-arrow ${kind}`, d: `M${x} ${floor + 10}h22` }),
          s("text", { class: "mtfr-text mtfr-muted", x: x + 28, y: floor + 14 }, text),
        );
      });
      if (run().pieces.length && !narrow)
        content.append(
          s("rect", { class: "mtfr-tree", x: 310, y: floor + 7, width: 22, height: 5 }),
          s("text", { class: "mtfr-text mtfr-muted", x: 338, y: floor + 14 }, "how much of the sum is in it; bold: all of it"),
        );
      return floor + 24;
    },

    tell(step) {
      const { steps, members } = run();
      if (step === 0) return `${members.length} members, each with numbers of its own. Each shall have the sum of all.`;
      const moves = steps[step - 1] ?? [];
      const told = moves.slice(0, 3).map((move) => {
        const what = [pieces(move), move.sent.length ? `(${move.sent.join(" ")})` : `${grouped(move.bytes)} bytes`].filter(Boolean).join(" ");
        return `${members[move.source]} sends ${what} to ${members[move.target]}${move.adds ? ", who adds it" : ""}`;
      });
      const rest = moves.length - told.length;
      return `Step ${step}: ${told.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`;
    },

    table() {
      const names = Object.keys(runs());
      return tableOf("The algorithms side by side", [
        ["", "steps", "messages", "bytes that a member sends at most", "theory"],
        ...names.map((name) => {
          const each = runs()[name]!;
          const factor = each.algorithm === "ring" ? `2 (N−1)/N = ${formatValue(each.theory)}` : formatValue(each.theory);
          const time = each.seconds === undefined ? "" : `, ${formatValue(each.seconds * 1000)} ms`;
          return [
            name === each.algorithm ? name : `${name} (${each.algorithm}${time})`, String(each.steps.length), grouped(each.steps.flat().length),
            grouped(most(each)), `${factor} × ${grouped(each.bytes)} = ${grouped(each.theory * each.bytes)}`,
          ];
        }),
      ], names.indexOf(model.get("algorithm")));
    },
  };
}
