/*
 * Words before jargon: what a message says, and what the terms of the trade mean, on hover and by
 * keyboard focus.
 */
import { FOCUSABLE, h } from "../common/dom";
import { tensorsOf } from "./classes";
import type { TrafficEvent } from "./wire";

export const TERMS: Record<string, string> = {
  "stale by":
    "How many updates of other workers came in between a worker's reading of the variables and the arrival of its own gradient. 0: nobody else changed them meanwhile.",
  "from request to last byte":
    "The time from asking for a tensor until all of it was there. Waiting until it was computed is part of it.",
  "way back": "What went over the same pair of tasks in the other direction.",
  "tensor from a ps": "Variables on their way from a parameter server to a worker that reads them.",
  "tensor to a ps": "Gradients on their way to the parameter server that holds the variables.",
  "other tensor": "Tensors between other tasks; what is fed and fetched, too.",
  control: "Messages without a tensor: run your part of the step; this operation is done.",
  "other message": "Whatever is left: signs of life, work for Dask, and so on.",
  run_graph: "The task that runs a step (its master) asks another task to run its part; the answer says that it is done.",
  run_step: "A client outside asks a task to run a step; the answer brings what it fetched.",
  recv_tensor: "A task fetches a tensor from the task that computed it.",
  register_graph: "A task gets its part of a graph, once, before the first step.",
  cleanup_graph: "A step was given up: the tasks forget what they kept for it.",
  "control edge": "No value travels, only the news that an operation is done: another one had to wait for it.",
};

const SAYINGS: Record<string, string> = {
  run_graph: "run your part / it is done",
  run_step: "run a step / it is done",
  register_graph: "here is your part of the graph",
  cleanup_graph: "forget this step",
  create_session: "open a session",
  ping: "are you there?",
  fault: "a fault, on purpose",
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
  return h("span", { class: "mtft-term", tabindex: 0, role: "note", "aria-label": `${text}: ${tip}`, "data-tip": tip, ...FOCUSABLE }, text);
}
