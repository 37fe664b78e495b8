import { beforeEach, describe, expect, it } from "vitest";
import widget from "../src/figure/index";
import { OfflineModel } from "../src/site/offline";

const PANEL = { curves: [] as unknown[], drawn: "", x: "step", y: "", log_x: false, log_y: false, ticks: [] as unknown[] };
const CURVE = { name: "cost", xs: [1, 2, 3], ys: [3, "Infinity", 1], style: null, points: false };

let el: HTMLElement;
beforeEach(() => {
  el = document.createElement("div");
  document.body.replaceChildren(el);
});
function shown(...panels: (typeof PANEL)[]): void {
  widget.render({ model: new OfflineModel({ picture_class: "", panels }, { pool: [], tables: [] }, () => {}), el });
}

describe("a figure", () => {
  it("has a chart for each panel of curves, with gaps at what is not finite", () => {
    shown({ ...PANEL, curves: [CURVE] }, { ...PANEL, curves: [CURVE], ticks: [[1, "one"]] });
    expect(el.querySelectorAll(".mtfw-chart")).toHaveLength(2);
    expect(el.querySelector(".mtfw-curve path[stroke]")!.getAttribute("d")!.match(/M/g)).toHaveLength(2);
    expect([...el.querySelectorAll(".mtfw-tick")].map((each) => each.textContent)).toContain("one");
  });

  it("shows rows of bars as Python has drawn them", () => {
    shown({ ...PANEL, drawn: '<svg role="img"><rect><title>read, 0: 0 to 10 ms</title></rect></svg>' });
    expect(el.querySelector(".mtfw-rows title")!.textContent).toBe("read, 0: 0 to 10 ms");
    expect(el.querySelector(".mtfw-chart")).toBeNull();
  });
});
