/* A kept widget, drawn in a page without a kernel. */
import { statusLine } from "../common/controls";
import { h } from "../common/dom";
import type { RenderContext } from "../common/widget";
import { type Answers, OfflineModel } from "./offline";

type Render = (context: RenderContext) => void | (() => void);
interface Kept {
  widget: string;
  state: Record<string, unknown>;
  answers: Answers;
}
const NOTICE = 6000; // ms that a notice stays

/* Draws a widget in `place`. */
function revive(place: HTMLElement, kept: Kept, front: { render: Render }): OfflineModel {
  const { element: notice, say } = statusLine("site-notice");
  const model = new OfflineModel(kept.state, kept.answers, (why) => say(why, NOTICE));
  const el = h("div");
  place.replaceChildren(el, notice);
  front.render({ model, el });
  // Many widgets on a page have a part of one name: no landmarks of the page.
  for (const aside of el.querySelectorAll("aside")) aside.setAttribute("role", "note");
  return model;
}

/* The pages of the static gallery: widgets come alive when they are scrolled to, and the theme
 * follows the system until the reader chooses. Everything is a plain script, so that the pages work
 * from a folder without a server. scripts/site.py writes the pages, and wraps each front end. */

interface Site {
  fronts: Record<string, { render: Render }>;
  widgets: Record<string, Kept>;
}

const site: Site = ((globalThis as any).minitfSite ??= { fronts: {}, widgets: {} });
/* The light or dark theme: the reader's, or the system's. */
function theme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem("minitf-theme");
  } catch {
    // a browser may forbid it to pages from a folder
  }
  const button = document.querySelector<HTMLButtonElement>(".site-theme");
  const show = () => {
    const now = chosen ?? (dark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = now;
    document.body.dataset.jpThemeLight = String(now === "light");
    if (button) button.textContent = now === "dark" ? "Light" : "Dark";
    button?.setAttribute("aria-label", `Change to the ${now === "dark" ? "light" : "dark"} theme`);
  };
  button?.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("minitf-theme", chosen);
    } catch {
      // as above
    }
    show();
  });
  dark.addEventListener("change", show);
  show();
}

function start(): void {
  theme();
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        const place = entry.target as HTMLElement;
        seen.unobserve(place);
        const kept = site.widgets[place.dataset.widget ?? ""];
        const front = kept && site.fronts[kept.widget];
        if (kept && front) revive(place, kept, front);
      }
    },
    { rootMargin: "600px" },
  );
  for (const place of document.querySelectorAll<HTMLElement>(".site-live")) seen.observe(place);
}

/* What scrolls sideways can be reached by keys, too. */
function reachable(): void {
  for (const block of document.querySelectorAll<HTMLElement>("main pre, main .html"))
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
}

start();
reachable();
