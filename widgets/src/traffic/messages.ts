/*
 * What a message is, for the eye: a handful of classes, each with a colour, a shape and a word.
 *
 * A variable and a gradient have the colours that they have in a GraphView; the shape says the same
 * again.
 */
import { h } from "../common/dom";
import { mixed, THINGS } from "../common/look";
import { linkKey, parseTask, type TrafficEvent } from "./wire";

export type MessageClass = "from-ps" | "to-ps" | "tensor" | "control" | "other";
export type Shape = "circle" | "triangle" | "diamond" | "square" | "ring";

export interface ClassStyle {
  id: MessageClass;
  label: string;
  shape: Shape;
  light: string;
  dark: string;
}

const styled = (id: MessageClass, label: string, shape: Shape, thing: string): ClassStyle => {
  const { color } = THINGS.get(thing)!;
  return { id, label, shape, light: mixed(color, "#1f2328"), dark: mixed(color, "#ffffff") };
};
export const CLASSES: readonly ClassStyle[] = [
  styled("from-ps", "tensor from a ps", "circle", "variable"),
  styled("to-ps", "tensor to a ps", "triangle", "gradient"),
  styled("tensor", "other tensor", "diamond", "input"),
  styled("control", "control", "square", "control"),
  styled("other", "other message", "ring", "scope"),
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

/*
 * Words before jargon: what a message says, and what the terms of the trade mean, on hover and by
 * keyboard focus.
 */

export const TERMS: Record<string, string> = {
  "stale by":
    "How many updates of other workers came in between a worker's reading of the variables and the arrival of its own gradient. 0: no other worker changed them meanwhile.",
  "from request to last byte":
    "The time from asking for a tensor until all of it was there. Waiting until it was computed is part of it.",
  "reverse direction": "Traffic between the same two tasks in the other direction.",
  "tensor from a ps": "Variables on their way from a parameter server to a worker that reads them.",
  "tensor to a ps": "Gradients on their way to the parameter server that holds the variables.",
  "other tensor": "Tensors between other tasks; what is fed and fetched, too.",
  control: "Messages without a tensor: run your part of the step; this operation is done.",
  "other message": "All other messages: heartbeats, work for Dask, and so on.",
  run_graph: "The task that runs a step (its master) asks another task to run its part; the answer says that it is done.",
  run_step: "A client outside asks a task to run a step; the answer brings what it fetched.",
  recv_tensor: "A task fetches a tensor from the task that computed it.",
  register_graph: "A task gets its part of a graph, once, before the first step.",
  cleanup_graph: "A step was given up: the tasks forget what they kept for it.",
  "control edge": "No value travels, only the notice that an operation is done: another one had to wait for it.",
};

const SAYINGS: Record<string, string> = {
  run_graph: "run your part / it is done",
  run_step: "run a step / it is done",
  register_graph: "here is your part of the graph",
  cleanup_graph: "forget this step",
  create_session: "open a session",
  ping: "are you there?",
  fault: "injected fault",
};

/* What a message says: its tensors, or else words. */
export function wordsOf(event: Pick<TrafficEvent, "tensor" | "kind">): string {
  const tensors = tensorsOf(event);
  if (tensors.length > 0) return tensors.join(", ");
  const edge = /^\^([^,]+)/.exec(event.tensor)?.[1];
  if (edge) return `${edge} is done`;
  return SAYINGS[event.kind] ?? (event.tensor || event.kind);
}

/* What explains a message: the term for its kind. */
export function termOf(event: Pick<TrafficEvent, "tensor" | "kind">): string {
  if (tensorsOf(event).length === 0 && event.tensor.startsWith("^")) return "control edge";
  return event.kind;
}

/* The operation that a message's first tensor comes from: "W/read:0" -> "W/read". */
export function opOf(event: Pick<TrafficEvent, "tensor">): string | null {
  const first = event.tensor.split(",")[0]?.replace(/^\^/, "").replace(/:\d+$/, "");
  return first && /^[\w.][\w./>\\-]*$/.test(first) ? first : null;
}

/* A word with its explanation, when there is one. */
export function term(word: string, text = word): Node {
  const tip = TERMS[word];
  if (!tip) return document.createTextNode(text);
  return h("span", { class: "mtft-term", tabindex: 0, role: "note", "aria-label": `${text}: ${tip}`, "data-tip": tip }, text);
}

/* Whether an event belongs to a selection: a link, or a task at either end; null takes all. */
export function concerns(event: TrafficEvent, selection: string | null): boolean {
  return (
    selection === null ||
    event.source === selection ||
    event.destination === selection ||
    linkKey(event.source, event.destination) === selection
  );
}

/* What tells the last messages: the newest of all, or those up to a moment. */
export interface Log {
  last(count: number, selection?: string | null): TrafficEvent[];
}
