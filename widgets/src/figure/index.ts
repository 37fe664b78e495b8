/* A figure of a lesson: panels of curves, or of rows of bars, which Python has drawn (chart.py). */
import { Chart, type Curve } from "../common/chart";
import { h } from "../common/dom";
import { widget } from "../common/widget";

interface Panel {
  curves: (Curve & { ys: (number | string)[] })[];
  drawn?: string;
  x: string;
  y?: string;
  log_x?: boolean;
  log_y?: boolean;
  ticks?: [number, string][];
}

export default widget("figure", (model, root, signal) => {
  for (const { curves, drawn = "", log_x: logX, log_y: logY, ...rest } of model.get("panels") as Panel[]) {
    const rows = h("div", { class: "mtfw-rows" });
    rows.innerHTML = drawn;
    root.append(rows);
    if (drawn) continue;
    const chart = new Chart({ ...rest, logX, logY, signal, label: rest.y || rest.x, height: 230 });
    chart.show(curves.map((each) => ({ ...each, style: each.style ?? undefined, ys: each.ys.map(Number) })));
    rows.replaceWith(chart.element);
  }
});
