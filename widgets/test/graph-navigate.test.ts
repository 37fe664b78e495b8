import { describe, expect, it } from "vitest";
import { navigate, type Arrow } from "../src/graph/navigate";
import { visibleAround } from "../src/graph/scene";
import { scene } from "./graph-scene";

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
