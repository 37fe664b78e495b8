/* What the two kinds of reductions have in common. */
import { h } from "../common/dom";
import { type Model, put } from "../common/widget";

/* What a kind of reduction brings. */
export interface Reduction {
  name: string;
  traits: string[];
  speeds: readonly number[];
  speed: number;
  /* Controls for the toolbar; called again when a trait has changed. */
  controls(): Node[];
  /* Steps after the first moment, 0. */
  length(): number;
  /* Draws a moment; returns the height. */
  draw(content: SVGGElement, step: number, width: number): number;
  tell(step: number): string;
  table(step: number): Node;
}

/* A table from rows of texts; the first row is its head, the first column its names. */
export function tableOf(caption: string, rows: string[][], current = -1): HTMLTableElement {
  const [head = [], ...body] = rows;
  return h(
    "table",
    {},
    h("caption", { class: "mtfw-hidden" }, caption),
    h("thead", {}, h("tr", {}, ...head.map((text) => (text ? h("th", { scope: "col" }, text) : h("td"))))),
    h("tbody", {}, ...body.map((row, place) =>
      h("tr", { class: place === current && "mtfr-current" }, ...row.map((text, column) =>
        column ? h("td", {}, text) : h("th", { scope: "row" }, text))))),
  );
}

export const askFor = (model: Model, name: string) => (value: unknown) => put(model, name, value);
