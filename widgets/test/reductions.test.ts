import { beforeEach, describe, expect, it, vi } from "vitest";
import { inked, lookOf } from "../src/common/look";
import widget from "../src/reductions/index";
import { OfflineModel } from "../src/site/offline";

const DOT = {
  kind: "dot", picture_class: "", step: 0, threads: 2, elements: 3, free: true,
  sums: { a: [1, 2, 3], b: [0.5, 0.5, 0.5], running: [0.5, 1.5, 3], sizes: [3, 2, 1],
    levels: [[0.5, 1, 1.5], [2, 1], [3]], exact: 3, dtype: "float64" },
  rounds: [
    { level: 0, first: 0, count: 2, active: 2 }, { level: 0, first: 2, count: 1, active: 1 },
    { level: 2, first: 0, count: 1, active: 1 },
  ],
};
const move = (source: number, target: number, piece: number, adds: boolean, sent: string, result: string) =>
  ({ source, target, first: piece, last: piece + 1, adds, bytes: 8, sent: [sent], result: [result] });
const RING = {
  members: ["member 0", "<b>1</b>"], pieces: [1, 1], start: [["1", "2"], ["10", "20"]], bytes: 16, most: 16, row: ["2", "4", "16", "2 (N−1)/N = 1 × 16 = 16"],
  steps: [[move(0, 1, 0, true, "1", "11"), move(1, 0, 1, true, "20", "22")], [move(1, 0, 0, false, "11", "11"), move(0, 1, 1, false, "22", "22")]],
  parts: [[[1, 1], [1, 1]], [[1, 2], [2, 1]], [[2, 2], [2, 2]]],
};

let el: HTMLElement;
const reduce = (on: boolean) => vi.stubGlobal("matchMedia", () => ({ matches: on }));
beforeEach(() => {
  reduce(true);
  el = document.createElement("div");
  document.body.replaceChildren(el);
  vi.stubGlobal("ResizeObserver", class {
    constructor(private readonly call: () => void) {}
    observe(target: HTMLElement): void {
      Object.defineProperty(target, "clientWidth", { value: 900 });
      this.call();
    }
    disconnect(): void {}
  });
});

function shown(state: Record<string, unknown>): OfflineModel {
  const model = new OfflineModel(state, { pool: [], tables: [] }, () => {});
  widget.render({ model, el });
  return model;
}
const press = (title: string) => el.querySelector<HTMLElement>(`[aria-label="${title}"]`)!.click();
const told = () => el.querySelector(".mtfr-told")!.textContent!;
const tiles = () => [...el.querySelectorAll(".mtfw-tile")];
const places = () => tiles().map((tile) => tile.getAttribute("transform"));
const texts = () => [...el.querySelectorAll("svg.mtfr-svg text")].map((each) => each.textContent);

describe("a dot product", () => {
  it("tells the operations of each step with their real numbers", () => {
    const model = shown(DOT);
    press("One step on");
    expect(told()).toBe("One thread: 1 × 0.5 = 0.5. Tree, 2 threads: 1 × 0.5 = 0.5, 2 × 0.5 = 1. Each adds its product to its own sum.");
    press("One step on");
    expect(texts()).toContain("threads' sums");
    press("One step on");
    expect(told()).toBe("One thread: 1.5 + 3 × 0.5 = 3. Tree, 1 thread: 2 + 1 = 3.");
    expect(model.get("step")).toBe(3);
    expect(texts()).toContain("sum 3");
  });

  it("lets numbers travel to their sums, of two threads or one", () => {
    const model = shown({ ...DOT, step: 2 });
    const range = el.querySelector<HTMLInputElement>(".mtfw-scrub")!;
    range.value = "2.5";
    range.dispatchEvent(new Event("input"));
    expect(model.get("step")).toBe(3);
    expect(tiles().map((tile) => tile.textContent)).toEqual(["1.5", "2", "1"]); // the third product, and both sums
    expect(texts()).not.toContain("sum 3");
    range.value = "3";
    range.dispatchEvent(new Event("input"));
    expect(tiles()).toEqual([]);
    expect(texts()).toContain("sum 3");
  });

  it("compares work and steps", () => {
    shown(DOT);
    const rows = [...el.querySelectorAll("tbody tr")].map((row) => [...row.children].map((each) => each.textContent));
    expect(rows[0]!.slice(0, 3)).toEqual(["one thread", "3 × and 2 +", "3"]);
    expect(rows[1]!.slice(0, 5)).toEqual(["tree", "3 × and 2 +", "3", "1", "1.33 of 2"]);
  });

  it("follows Python, and takes its keys on the stage", () => {
    const model = shown(DOT);
    model.set("step", 2);
    expect(el.querySelector(".mtfw-play-words")!.textContent).toBe("step 2 of 3");
    const stage = el.querySelector<HTMLElement>(".mtfr-stage")!;
    stage.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    expect(model.get("step")).toBe(3);
    stage.dispatchEvent(new KeyboardEvent("keydown", { key: "Home" }));
    expect(model.get("step")).toBe(0);
  });
});

describe("all-reduce", () => {
  const state = { kind: "all-reduce", picture_class: "", runs: { ring: RING }, algorithm: "ring", members: 2, free: false, step: 0 };

  it("shows what each member has after a step", () => {
    shown(state);
    expect(texts()).toEqual(expect.arrayContaining(["1", "2", "10", "20"]));
    press("One step on");
    expect(texts()).toEqual(expect.arrayContaining(["1", "22", "11", "20"]));
    expect(told()).toContain("member 0 sends piece 1 (1) to <b>1</b>, which adds it");
    press("One step on");
    expect(texts().filter((text) => text === "11")).toHaveLength(2);
  });

  it("lets numbers travel along the ring and in the table, and adds them when they are there", () => {
    vi.useFakeTimers();
    reduce(false);
    const model = shown(state);
    press("One step on");
    expect(model.get("step")).toBe(1);
    vi.advanceTimersByTime(150);
    const early = places();
    expect(tiles().map((tile) => tile.textContent)).toEqual(["1", "20", "1", "20"]);
    expect(texts()).not.toContain("11");
    vi.advanceTimersByTime(150);
    places().forEach((place, i) => expect(place).not.toBe(early[i]));
    vi.advanceTimersByTime(400);
    vi.useRealTimers();
    expect(tiles()).toEqual([]);
    expect(texts()).toEqual(expect.arrayContaining(["11", "22"]));
  });

  it("gives a member the colour of the worker of its number", () => {
    shown(state);
    const strokes = [...el.querySelectorAll(".mtfr-member")].map((each) => each.getAttribute("stroke"));
    expect(strokes).toEqual([0, 1].map((k) => inked(lookOf(`worker ${k}`)!.color)));
  });

  it("writes foreign names as text", () => {
    shown(state);
    expect(el.querySelector("b")).toBeNull();
  });
});
