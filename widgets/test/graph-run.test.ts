import { beforeEach, describe, expect, it, vi } from "vitest";
import { wayTo } from "../src/graph/draw";
import widget from "../src/graph/index";
import { type Recording, shown } from "../src/graph/player";
import { FakeModel } from "./fake-model";
import { scene as plain } from "./graph-scene";

const value = (name: string, text: string, more = {}) => ({ name, text, full: text, type: "float32", ...more });
const recording: Recording = {
  steps: [
    { op: "x", type: "Placeholder", ins: [], outs: [value("x:0", "<i>3</i>")], fed: true },
    { op: "layer/W", type: "VariableV2", ins: [], outs: [value("layer/W:0", "0 … 1", { bars: [1, 2, 3], low: "0", mean: "1", high: "1" })] },
    { op: "layer/MatMul", type: "MatMul", ins: ["x:0", "layer/W:0"], outs: [value("layer/MatMul:0", "nan", { bad: 1 })] },
  ],
  alarm: { step: 2, text: "layer/MatMul (MatMul) made nan" },
  error: "",
  why: "",
  needed: 3,
  ops: 9,
};
const place = (id: string) => plain.boxes.findIndex((box) => box.id === id);
const ways: [d: string, tensor: string][] =
  [["M0 0V10", "x:0"], ["M0 10V30", "x:0"], ["M100 0V30", "layer/W:0"], ["M0 0V10", "layer/MatMul:0"]];
const scene = {
  ...plain,
  wires: plain.wires.map((wire, i) => ({ ...wire, d: ways[i]![0], tensors: [ways[i]![1]] })),
  run_at: recording.steps.map((step) => ({
    at: place(step.op),
    chip: { x: 0, y: 0, w: 20, h: 17, text: step.outs[0]!.text, full: step.outs[0]!.full, hides: ["layer|layer/W|layer/MatMul"] },
    wires: (step.op === "x" ? { "|x|layer": "3" } : {}) as Record<string, string>,
  })),
};

let model: FakeModel;
let el: HTMLDivElement;
const state = (id: string) => el.querySelector(`.mtfw-box[data-id="${id}"]`)!.getAttribute("data-run");
const chip = (id: string) => el.querySelector(`.mtfw-chip[data-of="${id}"]`);
const press = (key: string) =>
  el.querySelector(".mtfw-graph")!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

const reduce = (on: boolean) => vi.stubGlobal("matchMedia", () => ({ matches: on }));

beforeEach(() => {
  vi.useFakeTimers();
  reduce(true);
  document.body.replaceChildren();
  el = document.createElement("div");
  document.body.append(el);
  model = new FakeModel({
    scene, recording, step: 0, stops: [], breakpoints: [], lit: [], selected: "", expanded: ["layer"],
    color_by: "device", show_gradients: true, query: "", matches: {}, details: {}, height: 0, picture_class: "",
  });
  widget.render({ model, el });
});

describe("a run", () => {
  it("lights the present op, keeps values, and dims what is not needed", () => {
    expect([state("x"), state("layer/W"), state("save")]).toEqual(["now", "waiting", "unneeded"]);
    press(".");
    expect([state("x"), state("layer/W")]).toEqual(["done", "now"]);
    expect(chip("x")!.textContent).toBe("<i>3</i>");
    expect(chip("layer/W")!.querySelectorAll(".mtfw-bars rect")).toHaveLength(3);
    press(",");
    expect(chip("layer/W")).toBeNull();
    expect(el.querySelector("i")).toBeNull();
  });

  it("tells Python once the reader rests", () => {
    press(".");
    press(".");
    expect(model.get("step")).toBe(0);
    vi.advanceTimersByTime(300);
    expect(model.get("step")).toBe(2);
  });

  it("follows Python", () => {
    model.set("step", 2);
    expect(state("layer/MatMul")).toBe("now");
    expect(chip("layer/MatMul")!.classList.contains("mtfw-bad")).toBe(true);
    model.set("selected", "layer/MatMul");
    model.set("details", { id: "layer/MatMul", name: "layer/MatMul" });
    expect(el.querySelector(".mtfw-card")!.textContent).toContain("made nan");
  });

  it("stops at breakpoints and where the first NaN was made", () => {
    model.set("stops", [1]);
    press("p");
    vi.advanceTimersByTime(5000);
    expect(model.get("step")).toBe(1);
    press("p");
    vi.advanceTimersByTime(5000);
    expect(model.get("step")).toBe(2);
  });

  it("sets a breakpoint on the selected box", () => {
    model.set("selected", "layer/W");
    press("b");
    expect(model.get("breakpoints")).toEqual(["layer/W"]);
    expect(el.querySelectorAll(".mtfw-breakpoint")).toHaveLength(1);
    press("b");
    expect(model.get("breakpoints")).toEqual([]);
  });

  it("shows the selected op's values until the run moves on", () => {
    model.set("selected", "layer/W");
    model.set("details", { id: "layer/W", name: "layer/W" });
    expect(el.querySelector(".mtfw-card h3")!.textContent).toBe("layer/W");
    press(".");
    press(",");
    expect(el.querySelector(".mtfw-card h3")!.textContent).toBe("x");
  });

  it("goes with its recording", () => {
    const bar = el.querySelector<HTMLElement>(".mtfw-run")!;
    expect(bar.hidden).toBe(false);
    model.set("recording", {});
    expect(bar.hidden).toBe(true);
    expect(el.querySelectorAll(".mtfw-chip")).toHaveLength(0);
    press(".");
    press("b");
    expect(model.get("breakpoints")).toEqual([]);
  });

  it("tells what each step leaves on the graph: chips, short values of wires, hidden labels", () => {
    const told = shown(scene, 1);
    expect([...told.chips]).toEqual([[place("x"), 0], [place("layer/W"), 1]]);
    expect(told.wires).toEqual({ "|x|layer": "3" });
    expect(shown(scene, -1).chips.size).toBe(0);
  });

  it("shows a value at length while the pointer is at it", () => {
    const peek = el.querySelector<HTMLElement>(".mtfw-peek")!;
    press(".");
    chip("layer/W")!.dispatchEvent(new MouseEvent("pointerover", { bubbles: true }));
    expect(peek.hidden).toBe(false);
    expect(peek.querySelector(".mtfw-histogram")).not.toBeNull();
    chip("layer/W")!.dispatchEvent(new MouseEvent("pointerout", { bubbles: true }));
    expect(peek.hidden).toBe(true);
    chip("x")!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(model.get("selected")).toBe("x");
  });
});

describe("values on their way", () => {
  const tiles = () => [...el.querySelectorAll(".mtfw-tile")];
  const heights = () => tiles().map((tile) => Number(/ (\S+)\)/.exec(tile.getAttribute("transform")!)![1]));

  it("go along the wires to the box, through the scopes around it", () => {
    expect(wayTo(scene, "layer/MatMul", "x:0")).toBe("M0 0V10M0 10V30");
    expect(wayTo(scene, "layer/MatMul", "layer/W:0")).toBe("M100 0V30");
    expect(wayTo(scene, "x", "layer/W:0")).toBe("");
  });

  it("arrive before the op makes its own", () => {
    reduce(false);
    model.set("step", 1);
    press(".");
    expect([state("layer/MatMul"), chip("layer/MatMul")]).toEqual(["now", null]);
    vi.advanceTimersByTime(304);
    expect(tiles().map((tile) => [tile.textContent, tile.querySelectorAll(".mtfw-bars rect").length])).toEqual([["<i>3</i>", 0], ["", 3]]);
    for (const y of heights()) expect(Math.abs(y - 15)).toBeLessThan(1.5);
    expect([chip("layer/MatMul"), el.querySelector("i")]).toEqual([null, null]);
    vi.advanceTimersByTime(400);
    expect(tiles()).toEqual([]);
    expect(chip("layer/MatMul")).not.toBeNull();
  });

  it("go back where the reader goes back, and are not drawn where less movement is asked for", () => {
    reduce(false);
    model.set("step", 2);
    press(",");
    expect(state("layer/W")).toBe("now");
    vi.advanceTimersByTime(150);
    const before = heights();
    expect(chip("layer/MatMul")).toBeNull();
    vi.advanceTimersByTime(150);
    heights().forEach((y, i) => expect(y).toBeLessThan(before[i]!));
    reduce(true);
    press(".");
    expect([tiles().length, chip("layer/MatMul") === null]).toEqual([0, false]);
  });
});
