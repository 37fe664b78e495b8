import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Listener, Model } from "../src/common/widget";
import descent from "../src/descent/index";
import widget from "../src/live/index";
import tensor from "../src/tensor/index";

/* A model without Python: keeps what is sent to it, and tells what a test says. */
class FakeModel implements Model {
  sent: any[] = [];
  private listeners: Listener[] = [];
  constructor(private traits: Record<string, unknown>) {}
  get(name: string) {
    return this.traits[name];
  }
  set() {}
  save_changes() {}
  on(event: string, listener: Listener) {
    if (event === "msg:custom") this.listeners.push(listener);
  }
  off(_event: string, listener: Listener) {
    this.listeners = this.listeners.filter((each) => each !== listener);
  }
  send(content: unknown) {
    this.sent.push(content);
  }
  tell(content: unknown) {
    for (const listener of this.listeners) listener(content, []);
  }
  heard(type: string) {
    return this.sent.filter((each) => each.type === type);
  }
}

const CONTROLS = [
  { name: "rate", label: "rate", kind: "slider", low: 0.01, high: 1, step: null, log: true },
  { name: "kind", label: "<b>kind</b>", kind: "choice", texts: ["a", "<i>"] },
  { name: "keep", label: "keep", kind: "checkbox" },
];
const STATUS = { mode: "run", step: 3, total: 10, words: "step 3 of 10" };
const news = (more: object = {}) => ({ type: "news", curves: [], status: STATUS, problem: "", said: "", ...more });

let model: FakeModel;
let el: HTMLDivElement;
let dispose: () => void;
const open = (which: typeof widget, spec: object = {}) => {
  el = document.createElement("div");
  document.body.replaceChildren(el);
  model = new FakeModel({ spec: { title: "T", x: "step", log_x: false, log_y: false, controls: CONTROLS, ...spec } });
  dispose = which.render({ model, el });
};
const named = (name: string) => el.querySelector<HTMLButtonElement>(`button[aria-label="${name}"]`)!;
const slide = (place: number) => {
  const input = el.querySelector<HTMLInputElement>("input[type=range]")!;
  input.value = String(place);
  input.dispatchEvent(new Event("input"));
};

beforeEach(() => {
  vi.useFakeTimers();
  open(widget);
});
afterEach(() => void vi.useRealTimers());

describe("the page of a Live", () => {
  it("says hello, shows values, and leaves texts as text", () => {
    expect(model.sent).toEqual([{ type: "hello", number: 1 }]);
    const disabled = () => [...el.querySelectorAll<HTMLInputElement>(".mtfw-controls :is(input, select)")].map((each) => each.disabled);
    expect(disabled()).toEqual([true, true, true]); // whoever turns one now would start from a wrong value
    model.tell(news());
    expect(disabled()).toEqual([true, true, true]);
    model.tell(news({ values: { rate: 0.5, kind: 1, keep: true }, said: "<b>so</b>" }));
    expect(disabled()).toEqual([false, false, false]);
    expect(el.querySelector("output")!.textContent).toBe("0.5");
    expect(el.querySelector("select")!.selectedIndex).toBe(1);
    expect(el.querySelector(".mtfl-said")!.textContent).toBe("<b>so</b>");
    expect(el.querySelector(".mtfw-control b, option i, .mtfl-said b")).toBeNull();
  });

  it("says hello again until it is answered: the first may wait for the end of a long cell", () => {
    vi.advanceTimersByTime(3500);
    expect(model.heard("hello")).toHaveLength(3);
    model.tell(news({ values: { rate: 0.5, kind: 1, keep: true } }));
    vi.advanceTimersByTime(60_000);
    expect(model.heard("hello")).toHaveLength(3);
  });

  it("sends the latest value of a slider once Python has taken the one before", () => {
    for (const place of [10, 20, 30, 100]) slide(place);
    expect(model.heard("values")).toHaveLength(1);
    model.tell({ type: "taken", number: 2 });
    expect(model.heard("values")).toHaveLength(2);
    expect(model.heard("values")[1].values).toEqual({ rate: 1 });
    model.tell({ type: "taken", number: 3 });
    expect(model.heard("values")).toHaveLength(2);
  });

  it("tells that the kernel is busy, until it has taken all", () => {
    slide(10);
    vi.advanceTimersByTime(2000);
    const note = el.querySelector(".mtfl-note")!;
    expect(note.textContent).toContain("The kernel is busy");
    model.tell({ type: "taken", number: 2 });
    expect(note.textContent).toBe("");
  });

  it("shows the loop and asks for pause, step and stop", () => {
    expect(el.querySelector<HTMLElement>(".mtfl-loop")!.hidden).toBe(true);
    model.tell(news());
    named("Pause").click();
    model.tell(news({ status: { ...STATUS, mode: "pause" } }));
    named("One step").click();
    named("Go on").click();
    named("Stop").click();
    expect(model.heard("do").map((each) => each.what)).toEqual(["pause", "step", "run", "stop"]);
    model.tell(news({ status: { ...STATUS, mode: "stopped" } }));
    expect(named("Stop").disabled).toBe(true);
  });

  it("lets curves grow, thin out and begin anew", () => {
    const curve = () => el.querySelector("svg[role=img]")!.getAttribute("aria-label");
    model.tell(news({ curves: [["", "loss", 0, [0, 1, 2], [3, 2, 1], false, null]] }));
    model.tell(news({ curves: [["", "loss", 3, [3], ["NaN"], false, null], ["acc", "acc", 0, [0], [7], true, 1]] }));
    expect(curve()).toContain("loss NaN");
    model.tell(news({ curves: [["", "loss", 0, [0], [9], false, null]] }));
    expect(curve()).toContain("loss 9");
    expect(el.querySelectorAll(".mtfw-chart")).toHaveLength(2);
  });

  it("shows pictures and the errors of drawing", () => {
    const picture = { href: "data:image/svg+xml;base64,PHN2Zy8+", width: 9, height: 9, pixels: true, alt: "A <b>", drawn: "" };
    model.tell(news({ picture, problem: "ValueError: <b>" }));
    expect(el.querySelector("img")!.alt).toBe("A <b>");
    expect(el.querySelector(".mtfl-note")!.textContent).toBe("ValueError: <b>");
  });

  it("shows rows of bars as Python has drawn them, in the place of an image", () => {
    const drawn = "<svg><g><rect><title>worker 0: 1 to 2</title></rect></g></svg>";
    model.tell(news({ picture: { href: "", width: 9, height: 9, pixels: false, alt: "bars", drawn } }));
    expect(el.querySelector(".mtfw-rows title")!.textContent).toBe("worker 0: 1 to 2");
    expect(el.querySelector<HTMLElement>("img")!.hidden).toBe(true);
  });

  it("ends with its view", () => {
    dispose();
    expect(el.childElementCount).toBe(0);
  });
});

describe("descent", () => {
  const walked = { type: "walked", walks: [[[0, 0, 4], [1, 1, 2], ["Infinity", 2, "Infinity"]]] };
  beforeEach(() => {
    open(descent as typeof widget, {
      ranges: [[-2, 2], [-2, 2]], names: ["a", "<b>"], image: "data:,", floor: [0, 0], most: 600,
      walkers: [{ name: "batch", style: 5 }],
    });
    model.tell(walked);
  });

  it("shows the whole walk first, and goes back", () => {
    expect(el.querySelector(".mtfw-play-words")!.textContent).toBe("step 2");
    expect(el.querySelector(".mtfd-svg")!.innerHTML).not.toMatch(/NaN|Infinity/);
    named("Reset: back to the start").click();
    expect(el.querySelector(".mtfw-play-words")!.textContent).toBe("step 0");
  });

  it("asks for more at the end while it plays, and bends the rest of the way", () => {
    named("Play descent").click();
    vi.advanceTimersByTime(210);
    expect(model.heard("more")).toHaveLength(1);
    slide(50);
    expect(model.heard("values")[0].from).toBe(1);
  });
});

describe("tensor", () => {
  it("lights where a number comes from", () => {
    open(tensor as typeof widget, { controls: [] });
    const cell = { kind: "cell", y: 0, w: 9, h: 9 };
    model.tell({
      type: "scene", width: 99, height: 9, words: "two", wrong: "",
      items: [
        { ...cell, x: 0, text: "<b>", id: "x0", said: "x[0] = <b>" },
        { ...cell, x: 9, text: "5", id: "result0", said: "result[0] = 5", from: ["x0", "x9"] },
      ],
    });
    const floor = el.querySelector(".mtfx-floor")!;
    floor.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    expect(el.querySelector(".mtfx-words")!.textContent).toBe("result[0] = 5, from x[0] = <b>, one that is not drawn");
    expect(el.querySelectorAll(".mtfx-source")).toHaveLength(1);
    expect(el.querySelector("svg b")).toBeNull();
  });
});
