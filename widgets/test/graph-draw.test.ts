import { describe, expect, it } from "vitest";
import { about, legend } from "../src/graph/details";
import { drawBox, drawLegend, drawLinks, drawScene, legendHeight, linkCurves } from "../src/graph/draw";
import { box, scene } from "./graph-scene";

describe("drawScene", () => {
  const { boxes, wires } = drawScene(scene, "layer/W");

  it("draws a tree of boxes", () => {
    expect(boxes.getAttribute("role")).toBe("tree");
    const items = [...boxes.querySelectorAll(".mtfw-box")];
    expect(items.map((item) => item.getAttribute("data-id"))).toEqual(scene.boxes.map((b) => b.id));
    const layer = items[1]!;
    expect(layer.getAttribute("role")).toBe("treeitem");
    expect(layer.getAttribute("aria-expanded")).toBe("true");
    expect(layer.getAttribute("transform")).toBe("translate(60 60)");
    expect(layer.getAttribute("data-lm-suppress-shortcuts")).toBe("true");
    expect(items[0]!.hasAttribute("aria-expanded")).toBe(false);
    expect(items[2]!.getAttribute("aria-selected")).toBe("true");
    expect(items[2]!.getAttribute("aria-level")).toBe("2");
  });

  it("draws wires with their shapes", () => {
    expect(wires.querySelectorAll(".mtfw-wire")).toHaveLength(4);
    expect(wires.querySelector(".mtfw-shape-label")!.textContent).toBe("(?, 4)");
    expect(wires.querySelector(".mtfw-reach title")!.textContent).toBe("a:0");
  });

  it("puts the handle only on scopes", () => {
    expect(boxes.querySelectorAll(".mtfw-handle")).toHaveLength(2);
  });
});

describe("drawBox", () => {
  it("writes text as text", () => {
    expect(drawBox(box("<b>", 0, 0), false).querySelector(".mtfw-label")!.textContent).toBe("<b>");
  });

  it("tells several devices by marks and a bar", () => {
    const group = drawBox(box("a", 0, 0, { marker: "●■", bar: [["#111111", 0.75], ["#222222", 0.25]] }), false);
    expect(group.querySelector(".mtfw-mark")!.textContent).toBe("●■ ");
    const bars = [...group.querySelectorAll("rect[fill]")].map((bar) => bar.getAttribute("width"));
    expect(bars).toEqual(["33", "11"]);
  });
});

describe("links of a selection", () => {
  it("joins both directions in one curve", () => {
    const curves = linkCurves(scene, "layer");
    expect(curves.map((curve) => [curve.other, curve.label])).toEqual([["init", ""], ["save", "3"]]);
    expect(curves[1]!.heads.match(/M/g)).toHaveLength(2);
    expect(curves[0]!.d).toMatch(/^M260\.0 .* 320\.0 35\.0$/);
  });

  it("is empty without a selection", () => {
    expect(drawLinks(scene, "").childElementCount).toBe(0);
  });
});

describe("the panel", () => {
  it("shows an op and leads to others", () => {
    const went: string[] = [];
    const panel = about(
      {
        name: "layer/MatMul",
        op: "MatMul",
        count: 1,
        devices: [{ name: "/device:CPU:0", count: 1 }],
        inputs: [{ id: "x", name: "x:0", dtype: "float32", shape: "(?, 4)" }],
        outputs: [{ name: "layer/MatMul:0", dtype: "float32", shape: "(?, 8)", users: [{ id: "y", name: "y" }] }],
        attrs: [["transpose_a", "False"]],
      },
      (id) => went.push(id),
      () => went.push("lit"),
    );
    const titles = [...panel.querySelectorAll("h4")].map((title) => title.textContent);
    expect(titles).toEqual(["Inputs (1)", "Outputs (1)", "Attributes"]);
    expect(panel.textContent).toContain("float32 (?, 4)");
    panel.querySelectorAll<HTMLButtonElement>(".mtfw-jump").forEach((link) => link.click());
    expect(went).toEqual(["x", "y"]);
  });
});

describe("the legend", () => {
  it("stands on the page and in saved pictures", () => {
    expect(legend(scene).textContent).toBe("●CPU:0■GPU:0");
    expect(drawLegend(scene).textContent).toBe("● CPU:0■ GPU:0");
    expect(legendHeight(scene)).toBe(52);
  });
});
