/* A small scene for the tests: x -> layer (open: W -> MatMul), with `init` in the side column. */
import type { Scene, SceneBox, SceneWire } from "../src/graph/draw";

export function box(id: string, x: number, y: number, more: Partial<SceneBox> = {}): SceneBox {
  return {
    id,
    parent: id.includes("/") ? id.slice(0, id.lastIndexOf("/")) : "",
    label: id.slice(id.lastIndexOf("/") + 1),
    sub: "",
    op: "Add",
    kind: "math",
    role: "main",
    title: `${id}: Add op`,
    device: "CPU:0",
    marker: "",
    bar: [["#56b4e9", 1]],
    d: "M0 0H60V30H0Z",
    detail: "",
    x,
    y,
    w: 60,
    h: 30,
    level: id.split("/").length,
    place: 1,
    siblings: 1,
    count: 1,
    open: false,
    expandable: false,
    aside: false,
    key: id,
    face: "",
    lane: false,
    up: false,
    dim: false,
    ...more,
  };
}

export function wire(scope: string, source: string, target: string, through: string[]): SceneWire {
  return {
    id: `${scope}|${source}|${target}`,
    source,
    target,
    kind: "data",
    d: "M0 0V10",
    head: "M0 10l-3 -7h6Z",
    width: 1.5,
    label: "(?, 4)",
    lx: 4,
    ly: 5,
    title: "a:0",
    dim: false,
    through,
  };
}

export const scene: Scene = {
  width: 400,
  height: 400,
  boxes: [
    box("x", 100, 0),
    box("layer", 60, 60, { w: 200, h: 200, open: true, expandable: true, count: 2 }),
    box("layer/W", 70, 100, { kind: "variable" }),
    box("layer/MatMul", 160, 180),
    box("y", 100, 300),
    box("z", 200, 300),
    box("init", 320, 20, { aside: true, role: "init" }),
    box("save", 320, 70, { aside: true, role: "save", expandable: true }),
  ],
  wires: [
    wire("", "x", "layer", ["x", "layer", "layer/MatMul"]),
    wire("layer", "layer", "layer/MatMul", ["x", "layer", "layer/MatMul"]),
    wire("layer", "layer/W", "layer/MatMul", ["layer/W", "layer/MatMul"]),
    wire("", "layer", "y", ["layer", "layer/MatMul", "y"]),
  ],
  notes: [{ x: 320, y: 10, text: "auxiliary" }],
  links: { layer: [["init", 1, "out"], ["save", 2, "out"], ["save", 1, "in"]], init: [["layer", 1, "in"]] },
  legend: [
    { label: "CPU:0", title: "/device:CPU:0", color: "#56b4e9", marker: "●", count: 5 },
    { label: "GPU:0", title: "/device:GPU:0", color: "#e69f00", marker: "■", count: 3 },
  ],
  ops: 8,
  shown: [6, 1],
  has_run: false,
  has_gradients: true,
};
