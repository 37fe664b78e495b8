/* A kept widget, drawn in a page without a kernel. */
import { h } from "../common/dom";
import type { RenderContext } from "../common/model";
import { OfflineModel, type Answers } from "./offline";

export type Render = (context: RenderContext) => void | (() => void);
export interface Kept {
  widget: string;
  state: Record<string, unknown>;
  answers: Answers;
}
const NOTICE = 6000; // ms that a notice stays

/* Draws a widget in `place`. */
export function revive(place: HTMLElement, kept: Kept, front: { render: Render }): OfflineModel {
  const notice = h("p", { class: "site-notice", role: "status" });
  let fading = 0;
  const model = new OfflineModel(kept.state, kept.answers, (why) => {
    notice.textContent = why;
    clearTimeout(fading);
    fading = window.setTimeout(() => (notice.textContent = ""), NOTICE);
  });
  const el = h("div");
  place.replaceChildren(el, notice);
  front.render({ model, el });
  // Many widgets on a page have a part of one name: no landmarks of the page.
  for (const aside of el.querySelectorAll("aside")) aside.setAttribute("role", "note");
  return model;
}
