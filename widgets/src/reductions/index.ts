/* The reductions' front end: a dot product, and all-reduce. Both have a stage, which is drawn anew
 * for each step and width, a play bar, a line that tells the step, and a table that compares. */
import { PlayBar } from "../common/controls";
import { focusable, h, listenKeys, onResize, s } from "../common/dom";
import { saveButtons, standalone } from "../common/export";
import { put, watch, widget } from "../common/widget";
import { allReduce } from "./allReduce";
import { dotProduct } from "./dot";
import type { Reduction } from "./reduction";

export default widget("reductions", (model, root, signal) => {
  const made: Reduction = model.get("kind") === "dot" ? dotProduct(model) : allReduce(model);
  const content = s("g");
  const svg = s("svg", { class: "mtfr-svg", role: "img", "aria-label": made.name }, content);
  const label = `${made.name}: arrow keys step, Space plays`;
  const stage = h("div", focusable({ class: "mtfr-stage", role: "group", "aria-label": label }), svg);
  const told = h("p", { class: "mtfr-told", role: "status" });
  const table = h("div", { class: "mtfr-table" });
  const controls = h("div", { class: "mtfw-controls mtfr-controls" });
  let width = 0;
  let height = 0;

  const bar = new PlayBar({
    label: made.name,
    length: made.length() + 1,
    position: model.get("step"),
    speeds: made.speeds,
    speed: made.speed,
    describe: (at) => `step ${at} of ${made.length()}`,
    onmove: (at) => (draw(at), put(model, "step", at)),
    signal,
  });

  function draw(step: number): void {
    told.textContent = made.tell(step);
    table.replaceChildren(made.table(step));
    if (!width) return;
    content.replaceChildren();
    height = made.draw(content, step, width);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", String(height));
    svg.setAttribute("aria-label", `${made.name}. ${told.textContent}`);
  }
  function renew(): void {
    const focus = controls.contains(document.activeElement)
      ? document.activeElement?.closest("[data-name]")?.getAttribute("data-name")
      : null;
    controls.replaceChildren(...made.controls());
    if (focus) controls.querySelector<HTMLElement>(`[data-name="${focus}"] :is(select, input, button)`)?.focus();
    bar.resize(made.length() + 1, model.get("step"));
    draw(bar.position);
  }
  const picture = () =>
    standalone(svg, content, { x: 0, y: 0, width, height }, getComputedStyle(root).backgroundColor);
  const toolbar = h(
    "div",
    { class: "mtfw-toolbar", role: "toolbar", "aria-label": made.name },
    controls,
    h("span", { class: "mtfw-spring" }),
    ...saveButtons("reduction", picture),
  );
  root.append(toolbar, stage, h("div", { class: "mtfr-below" }, bar.element, told, table));
  listenKeys(stage, bar.keys, signal);

  watch(model, made.traits, renew, signal);
  watch(model, ["step"], () => {
    if (model.get("step") === bar.position) return;
    bar.pause();
    bar.resize(made.length() + 1, model.get("step"));
    draw(bar.position);
  }, signal);
  const resized = (now: number) => {
    if (now <= 0 || now === width) return;
    width = now;
    draw(bar.position);
  };
  onResize(stage, resized, signal);
  renew();
});
