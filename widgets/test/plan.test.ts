import { beforeEach, describe, expect, it } from "vitest";
import type { Listener, Model } from "../src/common/widget";
import widget from "../src/plan/index";
import { placedName, tokens } from "../src/plan/index";
import { scene } from "./graph-scene";

class FakeModel implements Model {
  sent: unknown[] = [];
  private listeners = new Map<string, Set<Listener>>();
  constructor(private traits: Record<string, unknown>) {}
  get(name: string): any {
    return this.traits[name];
  }
  set(name: string, value: unknown) {
    this.traits[name] = value;
    this.listeners.get(`change:${name}`)?.forEach((listener) => listener());
  }
  save_changes() {}
  on(event: string, listener: Listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event)!.add(listener);
  }
  off(event: string, listener: Listener) {
    this.listeners.get(event)?.delete(listener);
  }
  send(content: unknown) {
    this.sent.push(content);
  }
}

const passes = [
  { name: "as written", purpose: "", fates: [], rows: [["", "def step(rendezvous, x):", []], ["", "    a = op_Tanh(x)", ["layer/MatMul"]]] },
  {
    name: "fuse", purpose: "Puts chains together.", fates: ["fused"],
    rows: [["", "def step(rendezvous, x):", []], ["-", "    a = op_Tanh(x)", ["layer/MatMul"]], ["+", "    b = fused(x)  # <i>", ["x", "layer/MatMul"]]],
  },
];

let model: FakeModel;
let el: HTMLDivElement;
const row = (index: number) => el.querySelector<HTMLElement>(`[data-row="${index}"]`)!;
const box = (id: string) => el.querySelector<SVGGElement>(`.mtfw-box[data-id="${id}"]`)!;
const click = (target: Element) => target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const press = (target: Element, key: string) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

beforeEach(() => {
  document.body.replaceChildren();
  el = document.createElement("div");
  document.body.append(el);
  model = new FakeModel({
    passes, stage: 0, scene, marks: [{}, { "layer/MatMul": "fused" }], selected: "", expanded: ["layer"],
    where: { x: "x", "layer/MatMul": "layer/MatMul" }, placement: {}, trial: {}, picture_class: "mtfw-picture-1",
    devices: [{ name: "/device:CPU:0", label: "CPU:0", simulated: false }, { name: "/device:GPU:0", label: "GPU:0", simulated: true }],
  });
  widget.render({ model, el });
});

describe("a program", () => {
  it("is read in pieces", () => {
    expect(tokens("return fused(x, 2)  # why")).toEqual([
      ["mtfw-word", "return"], ["", " "], ["mtfw-call", "fused"], ["", "(x, "], ["mtfw-number", "2"], ["", ")  "], ["mtfw-note", "# why"],
    ]);
  });

  it("names what is placed", () => {
    expect(["a/b", "a/b/(b)", "(b)"].map(placedName)).toEqual(["a/b", "a/b", "b"]);
  });
});

describe("the plan", () => {
  it("lights a line and the boxes of its operations together", () => {
    model.set("stage", 1);
    click(row(2));
    expect(box("x").classList.contains("mtfw-selected")).toBe(true);
    expect(box("layer/MatMul").classList.contains("mtfw-selected")).toBe(true);
    expect(row(2).getAttribute("aria-selected")).toBe("true");
    expect(row(2).querySelector("i")).toBeNull(); // a program is text
    click(box("x"));
    expect(model.get("selected")).toBe("x");
    expect(row(2).classList.contains("mtfw-lit")).toBe(true);
    expect(row(1).classList.contains("mtfw-lit")).toBe(false);
  });

  it("walks over lines and passes by key", () => {
    row(0).focus();
    press(row(0), "ArrowDown");
    press(document.activeElement!, "ArrowDown");
    expect(model.get("selected")).toBe("layer/MatMul");
    press(document.activeElement!, "]");
    expect(model.get("stage")).toBe(1);
  });

  it("marks what a pass did", () => {
    model.set("stage", 1);
    expect(row(1).classList.contains("mtfw-gone")).toBe(true);
    expect(row(2).getAttribute("aria-label")).toMatch(/^new: /);
    expect(box("layer/MatMul").querySelector(".mtfw-badge")!.textContent).toBe("fused");
    expect(box("layer/MatMul").classList.contains("mtfw-fresh")).toBe(true);
    model.set("stage", 0);
    expect(el.querySelector(".mtfw-box .mtfw-badge")).toBeNull();
  });

  it("puts the selected box on a device and back, and asks for a measurement", () => {
    const device = () => el.querySelector<HTMLButtonElement>("[data-device='/device:GPU:0']")!;
    expect(device().disabled).toBe(true);
    click(box("x"));
    device().click();
    expect(model.get("placement")).toEqual({ x: "/device:GPU:0" });
    model.set("trial", { counts: [0, 1], bytes: ["0 B", "8 B"], predicted: 1.2, transfers: [["x", "CPU:0", "GPU:0", 8, "new"]], measured: [1e-3, 2e-3], runs: 5, code: "…" });
    expect(el.querySelector(".mtfw-outcome")!.textContent).toContain("+100%");
    el.querySelector<HTMLButtonElement>("[aria-label^='Run both']")!.click();
    expect(model.sent).toEqual([{ do: "measure" }]);
    el.querySelector<HTMLButtonElement>(".mtfw-back")!.click();
    expect(model.get("placement")).toEqual({});
  });
});
