import { beforeEach, describe, expect, it, vi } from "vitest";
import widget from "../src/graph/index";
import { FakeModel } from "./fake-model";
import { scene } from "./graph-scene";

let model: FakeModel;
let el: HTMLDivElement;
let dispose: () => void;
const item = (id: string) => el.querySelector<SVGGElement>(`.mtfw-box[data-id="${id}"]`)!;
const press = (target: Element, key: string) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

beforeEach(() => {
  document.body.replaceChildren();
  el = document.createElement("div");
  document.body.append(el);
  model = new FakeModel({
    scene,
    selected: "",
    expanded: ["layer"],
    color_by: "device",
    show_gradients: true,
    query: "",
    matches: {},
    details: {},
    height: 0,
    picture_class: "mtfw-picture-1",
  });
  dispose = widget.render({ model, el });
});

describe("the widget", () => {
  it("hides the static picture while it lives", () => {
    expect(el.querySelector("style")!.textContent).toContain(".mtfw-picture-1");
    dispose();
    expect(el.childElementCount).toBe(0);
    expect(model.count()).toBe(0);
  });

  it("selects on a click and lights up the wires", () => {
    item("layer/W").dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(model.get("selected")).toBe("layer/W");
    expect(item("layer/W").getAttribute("aria-selected")).toBe("true");
    expect(el.querySelectorAll(".mtfw-lit")).toHaveLength(1);
  });

  it("opens and closes by the handle, a double click and Enter", () => {
    item("save").querySelector(".mtfw-knob")!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(model.get("expanded")).toEqual(["layer", "save"]);
    item("layer").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
    expect(model.get("expanded")).toEqual(["save"]);
    item("save").dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
    press(item("save"), "Enter");
    expect(model.get("expanded")).toEqual(["save", "save"]);
  });

  it("walks with the arrow keys; one box is the tab stop", () => {
    press(item("x"), "ArrowDown");
    expect(model.get("selected")).toBe("layer");
    expect([...el.querySelectorAll('.mtfw-box[tabindex="0"]')]).toEqual([item("layer")]);
    press(item("layer"), "Escape");
    expect(model.get("selected")).toBe("");
  });

  it("searches", () => {
    press(item("x"), "/");
    const input = el.querySelector<HTMLInputElement>(".mtfw-search input")!;
    expect(document.activeElement).toBe(input);
    input.value = "mat";
    input.dispatchEvent(new Event("input"));
    expect(model.get("query")).toBe("mat");
    press(input, "Enter");
    model.set("matches", { query: "ma", found: [{ id: "layer/W", op: "VariableV2" }] });
    expect(el.querySelectorAll('[role="option"]')).toHaveLength(1);
    expect(model.get("selected")).toBe(""); // not yet: the answer is to another question
    model.set("matches", { query: "mat", found: [{ id: "layer/MatMul", op: "MatMul" }] });
    expect(model.get("selected")).toBe("layer/MatMul");
    expect(input.value).toBe("");
  });

  it("toggles the gradient part and the colours", () => {
    const gradients = [...el.querySelectorAll("button")].find((b) => b.textContent === "Gradients")!;
    gradients.click();
    expect(model.get("show_gradients")).toBe(false);
    expect(gradients.getAttribute("aria-pressed")).toBe("false");
    const colors = el.querySelector("select")!;
    colors.value = "kind";
    colors.dispatchEvent(new Event("change"));
    expect(model.get("color_by")).toBe("kind");
  });

  it("opens the panel for a selected box and for the keys only", async () => {
    const panel = el.querySelector<HTMLElement>(".mtfw-panel")!;
    expect(panel.hidden).toBe(true);
    press(item("x"), "?");
    await vi.waitFor(() => expect(panel.hidden).toBe(false));
    expect(panel.textContent).toContain("follow the edges");
    model.set("selected", "save");
    model.set("details", { id: "save", name: "save" });
    expect(panel.querySelector("h3")!.textContent).toBe("save");
    press(item("x"), "Escape");
    expect([panel.hidden, model.get("selected")]).toEqual([true, ""]);
  });

  it("says what stays closed below the graph, and only for a while", () => {
    vi.useFakeTimers();
    [...el.querySelectorAll("button")].find((b) => b.textContent === "Open all")!.click();
    model.set("scene", { ...scene, shown: [4, 87] });
    const status = el.querySelector(".mtfw-legend-holder .mtfw-status")!;
    expect(status.textContent).toContain("87 scopes");
    vi.advanceTimersByTime(7000);
    expect(status.textContent).toBe("");
    vi.useRealTimers();
  });

  it("asks Python to open all", () => {
    [...el.querySelectorAll("button")].find((b) => b.textContent === "Open all")!.click();
    expect(model.sent).toEqual([{ do: "expand_all" }]);
  });

  it("draws a new scene and keeps the place", () => {
    press(item("x"), "ArrowDown");
    model.set("scene", { ...scene, boxes: scene.boxes.filter((b) => !b.id.startsWith("layer/")) });
    expect(el.querySelectorAll(".mtfw-box")).toHaveLength(6);
    expect(item("layer").getAttribute("tabindex")).toBe("0");
  });
});
