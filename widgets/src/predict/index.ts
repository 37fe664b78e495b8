/* A question with choices, or with a field for a number or words; the guess goes to Python.
 *
 * When the answer is known, both are shown, and the guess may no longer be changed.
 */
import { button, h } from "../common/dom";
import { put, watch, widget } from "../common/widget";

let asked = 0; // radio buttons of one question share a name

/* A text, with what stands between backticks as code. */
function words(text: string): Node[] {
  return text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : document.createTextNode(part)));
}

export default widget("predict", (model, root, signal) => {
  const name = `mtfw-predict-${asked++}`;
  const heard = h("div", { class: "mtfw-verdict mtfw-muted", role: "status" });
  const answers = h("div", { class: "mtfw-answers" });
  root.append(
    h(
      "fieldset",
      {},
      h("legend", {}, h("span", { class: "mtfw-mark" }, "Predict"), " ", ...words(model.get("question"))),
      answers,
      heard,
    ),
  );

  function choice(text: string): HTMLElement {
    const input = h("input", {
      type: "radio",
      name,
      value: text,
      onchange: () => put(model, "guess", text),
    });
    input.checked = model.get("guess") === text;
    input.disabled = Boolean(model.get("answer"));
    const known = model.get("answer");
    const mark = known === text ? "mtfw-right" : known && input.checked ? "mtfw-wrong" : "";
    const rounds: number[][] = model.get("votes");
    const shown = rounds.length ? [bars(rounds, model.get("choices").indexOf(text))] : [];
    return h("label", { class: mark }, input, h("span", {}, text), ...shown);
  }

  /* How many of a class have picked a choice: a bar for each round, the earlier ones pale. */
  function bars(rounds: number[][], at: number): HTMLElement {
    const bar = (votes: number[], round: number) => {
      const all = votes.reduce((sum, count) => sum + count, 0);
      const made = h("div", { class: round < rounds.length - 1 ? "mtfw-before" : "" }, `${votes[at]}`);
      made.style.setProperty("--share", `${(100 * votes[at]) / Math.max(all, 1)}%`);
      return made;
    };
    return h("div", { class: "mtfw-votes" }, ...rounds.map(bar));
  }

  function field(): HTMLElement {
    const unit: string = model.get("unit");
    const text: boolean = model.get("text");
    const input = h("input", {
      class: "mtfw-input",
      inputmode: text ? "text" : "decimal",
      size: text ? 24 : 12,
      "aria-label": `Your guess${unit ? ` in ${unit}` : ""}`,
      onkeydown: (event: KeyboardEvent) => event.key === "Enter" && keep(),
      onchange: () => keep(), // who goes on to the next cell has guessed, too
    });
    const keep = () => {
      const value = input.value.trim();
      if (text || /^[-+]?\.?\d/.test(value)) put(model, "guess", value);
      else if (value) heard.textContent = "Please write a number, in digits.";
    };
    input.value = model.get("guess");
    input.disabled = Boolean(model.get("answer"));
    const done = button("Keep my guess", "Keep my guess", keep);
    done.disabled = input.disabled;
    return h("label", {}, input, h("span", {}, unit), done);
  }

  function draw(): void {
    const choices: string[] = model.get("choices");
    answers.classList.toggle("mtfw-polled", model.get("votes").length > 0);
    const held = answers.contains(document.activeElement);
    answers.replaceChildren(...(choices.length ? choices.map(choice) : [field()]));
    if (held) answers.querySelector<HTMLInputElement>("input:checked, .mtfw-input")?.focus();
    const guess: string = model.get("guess");
    heard.textContent =
      model.get("verdict") || (guess ? `Kept: ${guess} ${model.get("unit")}`.trim() : "");
  }

  draw();
  watch(model, ["guess", "answer", "verdict", "votes"], draw, signal);
});
