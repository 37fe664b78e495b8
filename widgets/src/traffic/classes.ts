/*
 * What a message is, for the eye: a handful of classes, each with a colour, a shape and a word.
 *
 * Colours are Okabe and Ito's, which colour-blind readers tell apart; the shape says the same
 * again. No DOM in this file.
 */
import type { TrafficEvent } from "./wire";
import { parseTask } from "./units";

export type MessageClass = "from-ps" | "to-ps" | "tensor" | "control" | "other";
export type Shape = "circle" | "triangle" | "diamond" | "square" | "ring";

export interface ClassStyle {
  id: MessageClass;
  label: string;
  shape: Shape;
  light: string;
  dark: string;
}

export const CLASSES: readonly ClassStyle[] = [
  { id: "from-ps", label: "tensor from a ps", shape: "circle", light: "#0072b2", dark: "#56b4e9" },
  { id: "to-ps", label: "tensor to a ps", shape: "triangle", light: "#d55e00", dark: "#e69f00" },
  { id: "tensor", label: "other tensor", shape: "diamond", light: "#009e73", dark: "#009e73" },
  { id: "control", label: "control", shape: "square", light: "#b3589a", dark: "#cc79a7" },
  { id: "other", label: "other message", shape: "ring", light: "#6b6b6b", dark: "#a8a8a8" },
];

/* Calls about graphs and sessions: what "travels" in them is no tensor. */
const CONTROL = new Set(["register_graph", "cleanup_graph", "create_session"]);
/* Calls that start a step and bring its end: what is fed and fetched travels in them. */
const STEP = new Set(["run_graph", "run_step"]);

/*
 * The tensors that a message carries; a name such as "^init" carries none, it only says that
 * something is done.
 */
export function tensorsOf(event: Pick<TrafficEvent, "tensor">): string[] {
  return event.tensor.split(",").filter((name) => name !== "" && !name.startsWith("^"));
}

/* Which class a message belongs to, by what it is and by which end is a parameter server. */
export function classOf(
  event: Pick<TrafficEvent, "kind" | "tensor" | "source" | "destination">,
): MessageClass {
  const none = tensorsOf(event).length === 0;
  if (CONTROL.has(event.kind) || (STEP.has(event.kind) && none)) return "control";
  if (event.tensor.startsWith("^") && none) return "control";
  if (!STEP.has(event.kind) && !event.kind.includes("tensor")) return "other";
  if (parseTask(event.source).job === "ps") return "from-ps";
  if (parseTask(event.destination).job === "ps") return "to-ps";
  return "tensor";
}

export function classStyle(id: MessageClass): ClassStyle {
  return CLASSES.find((style) => style.id === id) as ClassStyle;
}
