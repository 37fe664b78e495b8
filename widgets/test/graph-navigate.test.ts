import { describe, expect, it } from "vitest";
import { type Arrow, navigate, Trail, visibleAround } from "../src/graph/draw";
import { box, scene, wire } from "./graph-scene";

describe("arrow keys", () => {
  it.each<[string, Arrow, string]>([
    ["x", "ArrowDown", "layer"], // along the wire
    ["layer", "ArrowDown", "layer/MatMul"], // into the open scope, where its wire enters
    ["layer/W", "ArrowDown", "layer/MatMul"],
    ["layer/MatMul", "ArrowDown", "y"], // out of the scope
    ["y", "ArrowDown", "y"], // nothing below
    ["y", "ArrowUp", "layer"],
    ["z", "ArrowUp", "layer"], // no wire: the next box above
    ["layer/MatMul", "ArrowUp", "layer/W"],
    ["layer/W", "ArrowUp", "layer"], // from the top of a scope to the scope
    ["x", "ArrowUp", "x"],
    ["y", "ArrowRight", "z"],
    ["z", "ArrowLeft", "y"],
    ["x", "ArrowRight", "init"], // into the side column
    ["init", "ArrowDown", "save"],
    ["layer/W", "ArrowRight", "layer/MatMul"],
    ["z", "Home", "x"],
    ["x", "End", "save"],
    ["gone", "ArrowDown", "x"],
  ])("%s %s -> %s", (from, key, to) => {
    expect(navigate(scene, from, key)).toBe(to);
  });

  it("leads nowhere in an empty graph", () => {
    expect(navigate({ ...scene, boxes: [] }, "", "ArrowDown")).toBe("");
  });
});

describe("the box around a hidden one", () => {
  it.each([
    ["layer/MatMul", "layer/MatMul"],
    ["layer/b/read", "layer"],
    ["other/op", undefined],
  ])("%s -> %s", (id, around) => {
    expect(visibleAround(scene, id)?.id).toBe(around);
  });
});

describe("gradients", () => {
  const boxes = [
    box("a", 0, 50),
    box("b", 0, 150),
    box("gradients", 200, 0, { w: 120, h: 260, open: true, lane: true }),
    box("gradients/a_grad", 210, 50, { face: "a" }),
    box("gradients/b_grad", 210, 150, { face: "b" }),
  ];
  const wires = [
    wire("", "a", "b", ["a", "b"]),
    wire("gradients", "gradients/b_grad", "gradients/a_grad", []),
  ];
  const drawn = { ...scene, boxes, wires };

  it("are beside what they are the gradients of", () => {
    expect(navigate(drawn, "b", "ArrowRight")).toBe("gradients/b_grad");
    expect(navigate(drawn, "gradients/b_grad", "ArrowLeft")).toBe("b");
  });

  it("flow up: down leads to what was computed before", () => {
    expect(navigate(drawn, "gradients/a_grad", "ArrowDown")).toBe("gradients/b_grad");
    expect(navigate(drawn, "gradients/b_grad", "ArrowUp")).toBe("gradients/a_grad");
  });
});

describe("a trail", () => {
  const boxes = [box("left", 0, 0), box("right", 300, 0), box("sum", 140, 100)];
  const wires = [wire("", "left", "sum", []), wire("", "right", "sum", [])];
  const drawn = { ...scene, boxes, wires };

  it("leads back the way it came", () => {
    const nearer = navigate(drawn, "sum", "ArrowUp");
    const other = nearer === "left" ? "right" : "left";
    const trail = new Trail();
    expect(trail.walk(drawn, other, "ArrowDown")).toBe("sum");
    expect(trail.walk(drawn, "sum", "ArrowUp")).toBe(other);
    expect(trail.walk(drawn, "sum", "ArrowUp"), "elsewhere it is forgotten").toBe(nearer);
  });
});
