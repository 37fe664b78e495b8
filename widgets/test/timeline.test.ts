import { beforeEach, describe, expect, it } from "vitest";
import type { Listener, Model } from "../src/common/widget";
import widget from "../src/timeline/index";
import { belongs, neighbour, readStep } from "../src/timeline/index";

const data = {
  length: 160,
  lanes: [
    { label: "GPU:0", device: "/device:GPU:0", is_pipeline: false, busy: 0.4, color: "#56b4e9", marker: "●" },
    { label: "GPU:1", device: "/device:GPU:1", is_pipeline: false, busy: 0.6, color: "#e69f00", marker: "■" },
  ],
  // lane, start, length, name, op, node, kind, size, waited, why
  bars: [
    [0, 0, 50, "net/a", "MatMul", "net/a", "layer", 64, -1, ""],
    [0, 50, 5, "_send_a", "_Send", "net/a", "send", 64, 0, "input"],
    [1, 0, 60, "_recv_a", "_Recv", "net/a", "wait", 64, 1, "transfer"],
    [1, 60, 100, "<b>", "MatMul", "b", "layer", 8, 2, "input"],
  ],
  critical: [0, 1, 2, 3],
  arrows: [[1, 2, 64]],
  slowest: [{ name: "b", node: "b", op: "MatMul", runs: 1, micros: 100, lane: 1, critical: true }],
  kinds: { layer: ["matrix or layer op", "#0072b2"], send: ["sends", "#888888"], wait: ["waits", "#888888"] },
};
const step = readStep(data);

class FakeModel implements Model {
  sent: unknown[] = [];
  private listeners = new Map<string, Set<Listener>>();
  constructor(private traits: Record<string, unknown>) {}
  get(name: string) {
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

describe("a step", () => {
  it("finds the bars of an op, of a scope, and of the op of a scope's name", () => {
    const bars = (id: string) => step.bars.filter((bar) => belongs(bar, id)).map((bar) => bar.index);
    expect(bars("net/a")).toEqual([0, 1, 2]);
    expect(bars("net")).toEqual([0, 1, 2]);
    expect(bars("b/(b)")).toEqual([3]);
    expect(bars("ne")).toEqual([]);
    expect(bars("")).toEqual([]);
  });

  it("goes along a lane and to the nearest bar of the next", () => {
    expect(neighbour(step, 0, "ArrowRight")).toBe(1);
    expect(neighbour(step, 1, "ArrowRight")).toBe(1);
    expect(neighbour(step, 0, "ArrowDown")).toBe(2);
    expect(neighbour(step, 3, "ArrowUp")).toBe(1);
  });
});

describe("the widget", () => {
  let model: FakeModel;
  let el: HTMLDivElement;
  const bar = (index: number) => el.querySelector<SVGGElement>(`[data-bar="${index}"]`)!;
  const press = (target: Element, key: string) =>
    target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

  beforeEach(() => {
    document.body.replaceChildren();
    el = document.createElement("div");
    document.body.append(el);
    model = new FakeModel({
      steps: [data, { ...data, length: 320 }], step: 0, selected: "", color_by: "kind", show_critical: true,
      picture_class: "mtfw-picture-1",
    });
    widget.render({ model, el });
  });

  it("selects the operation of a clicked bar and tells what it waited for", () => {
    bar(3).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(model.get("selected")).toBe("b");
    expect(bar(3).getAttribute("aria-selected")).toBe("true");
    expect(el.querySelector(".mtfw-about")!.textContent).toContain("_recv_a");
    expect(el.querySelector(".mtfw-about b")).toBeNull(); // names are text
    press(bar(3), "Enter");
    expect(model.get("selected")).toBe("net/a");
    expect(bar(2).getAttribute("tabindex")).toBe("0");
    press(bar(2), "Escape");
    expect(model.get("selected")).toBe("");
  });

  it("follows a selection made elsewhere, to the longest of its bars", () => {
    model.set("selected", "net");
    expect(bar(0).getAttribute("tabindex")).toBe("0");
    expect(bar(1).classList.contains("mtfw-selected")).toBe(true);
    expect(bar(3).classList.contains("mtfw-selected")).toBe(false);
  });

  it("lights the critical path on demand", () => {
    expect(el.querySelectorAll(".mtfw-bar.mtfw-critical").length).toBe(4);
    el.querySelector<HTMLButtonElement>("[aria-label^='Light what']")!.click();
    expect(model.get("show_critical")).toBe(false);
    expect(el.querySelectorAll(".mtfw-bar.mtfw-critical").length).toBe(0);
  });

  it("zooms about a point and never beyond the step", () => {
    const left = () => Number(bar(3).querySelector("rect")!.getAttribute("x"));
    const before = left();
    press(bar(0), "+");
    expect(left()).not.toBe(before);
    press(bar(0), "-");
    press(bar(0), "-");
    expect(left()).toBe(before);
  });

  it("asks Python for the trace, and scrubs over steps", () => {
    el.querySelector<HTMLButtonElement>("[aria-label^='Save the step']")!.click();
    expect(model.sent).toEqual([{ do: "chrome_trace" }]);
    el.querySelector<HTMLButtonElement>("[aria-label='One step on']")!.click();
    expect(model.get("step")).toBe(1);
  });
});
