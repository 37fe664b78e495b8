/* Plays the part of Python for a widget on a page without a kernel.
 *
 *   view --set, save_changes--> OfflineModel --looks it up--> answers that Python gave when the page
 *        <-----change:...------'                              was made (minitf_widgets/offline.py)
 *
 * The widget's own state is all there. A trait that is in no table belongs to the page alone. Of a
 * list (open scopes) the nearest that was tried is taken: it must agree in what the reader has just
 * changed. What was never tried is put back, and `refuse` is called.
 */
import type { Listener, Model } from "../common/widget";

interface Row {
  inputs: number[];
  outputs: number[];
  adds?: Record<string, unknown[]>;
}
interface Table {
  inputs: string[];
  outputs: string[];
  rows: Row[];
}
interface Said {
  traits: Record<string, number>;
  replies: number;
  values?: Record<string, unknown>;
}
export interface Answers {
  pool: string[];
  tables: Table[];
  asks?: string[];
  /* What follows a message of the view, by its JSON: places of values in the pool. */
  said?: Record<string, Said>;
  search?: { query: string; answer: string; index: [string, string, string, number][] };
}

const MOST_FOUND = 30;
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const isAny = (value: unknown): boolean => same(value, { any: true });

/* What is in one of two lists alone. */
function difference(a: unknown[], b: unknown[]): unknown[] {
  return [...a.filter((each) => !b.includes(each)), ...b.filter((each) => !a.includes(each))];
}

export class OfflineModel implements Model {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly dirty = new Set<string>();
  private readonly settled: Record<string, unknown>;
  private readonly state: Record<string, unknown>;
  private readonly controls: Record<string, unknown> = {};
  private readonly read = new Map<number, unknown>();

  constructor(
    state: Record<string, unknown>,
    private readonly answers: Answers,
    private readonly refuse: (why: string) => void,
  ) {
    this.state = { ...state };
    this.settled = { ...this.state };
  }

  get(name: string): any {
    return this.state[name];
  }

  set(name: string, value: unknown): void {
    if (same(this.state[name], value)) return;
    this.state[name] = value;
    this.dirty.add(name);
    this.emit(`change:${name}`);
  }

  on(event: string, listener: Listener): void {
    for (const each of event.split(" "))
      this.listeners.set(each, (this.listeners.get(each) ?? new Set()).add(listener));
  }

  off(event?: string | null, listener?: Listener | null): void {
    if (!event) this.listeners.clear();
    else if (listener) this.listeners.get(event)?.delete(listener);
    else this.listeners.delete(event);
  }

  emit(event: string, ...args: unknown[]): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) listener(...args);
  }

  /* Answers come later, as Python's do. */
  save_changes(): void {
    const names = [...this.dirty];
    this.dirty.clear();
    setTimeout(() => names.forEach((name) => this.answer(name)), 0);
  }

  send(content: unknown): void {
    const { number, ...message } = content as Record<string, unknown>;
    const known = this.answers.said?.[JSON.stringify(message)] ?? this.closest(message);
    if (!known) return this.refuse("This needs a running notebook.");
    setTimeout(() => {
      const traits = Object.entries(known.traits).map(([name, place]) => [name, this.value(place)]);
      this.take(Object.fromEntries(traits));
      for (const reply of this.value(known.replies) as any[])
        this.emit("msg:custom", reply.type === "taken" ? { ...reply, number } : reply);
      if (known.values) this.emit("msg:custom", { type: "values", values: known.values });
    }, 0);
  }

  /* Of controls' values the nearest that were tried; the controls go there. */
  private closest(message: Record<string, unknown>): (Said & { values: Record<string, unknown> }) | undefined {
    if (message.type !== "values") return undefined;
    Object.assign(this.controls, message.values);
    const tried = Object.entries(this.answers.said ?? {})
      .map(([text, said]) => ({ ...said, values: JSON.parse(text).values as Record<string, unknown> }))
      .filter((said) => said.values);
    const wide = (name: string) => {
      const all = tried.map(({ values }) => Number(values[name]));
      return Math.max(...all) - Math.min(...all) || 1;
    };
    const changed = Object.keys(message.values as object);
    const distance = ({ values }: { values: Record<string, unknown> }) =>
      Object.entries(this.controls).reduce((sum, [name, value]) => {
        const apart = typeof value === "string"
          ? values[name] === value ? 0 : Infinity // a text has no neighbours
          : Math.abs(Number(values[name]) - Number(value)) / wide(name);
        return sum + apart * (changed.includes(name) ? 4 : 1); // what is turned counts most
      }, 0);
    const best = tried.sort((a, b) => distance(a) - distance(b))[0];
    if (best && distance(best) === Infinity) return undefined;
    if (best) Object.assign(this.controls, best.values);
    return best;
  }

  private value(place: number): unknown {
    if (!this.read.has(place)) this.read.set(place, JSON.parse(this.answers.pool[place]!));
    return this.read.get(place);
  }

  private answer(name: string): void {
    const { search, tables, asks } = this.answers;
    if (search?.query === name) return this.take({ [search.answer]: this.found() });
    const table = tables.find((each) => each.inputs.includes(name));
    if (!table) {
      if (asks?.includes(name)) this.putBack(name);
      else this.settled[name] = this.state[name];
      return;
    }
    const row = this.nearest(table, name);
    if (!row) return this.putBack(name);
    const asked = this.state[name];
    const next: Record<string, unknown> = {};
    table.inputs.forEach((each, i) => {
      if (!isAny(this.value(row.inputs[i]!))) next[each] = this.value(row.inputs[i]!);
    });
    table.outputs.forEach((each, i) => (next[each] = this.value(row.outputs[i]!)));
    this.take(next);
    if (!same([...asList(asked)].sort(), [...asList(this.state[name])].sort()))
      this.refuse("This page stores only some figures; others were closed. A running notebook has all.");
    for (const [list, items] of Object.entries(row.adds ?? {})) {
      const now = asList(this.state[list]);
      const missing = items.filter((each) => !now.includes(each));
      if (!missing.length) continue;
      this.set(list, [...now, ...missing]);
      this.dirty.delete(list);
      this.answer(list);
    }
  }

  /* The row that has what the reader chose, and differs least in the other inputs. */
  private nearest(table: Table, name: string): Row | undefined {
    let best: Row | undefined;
    let least = Infinity;
    const changed = difference(asList(this.settled[name]), asList(this.state[name]));
    for (const row of table.rows) {
      let distance = 0;
      table.inputs.forEach((input, i) => {
        const [tried, now] = [this.value(row.inputs[i]!), this.state[input]];
        if (isAny(tried) || same(tried, now)) return;
        if (!Array.isArray(now)) distance += input === name ? Infinity : 3;
        else {
          const differing = difference(asList(tried), now);
          if (input === name && changed.some((each) => differing.includes(each))) distance = Infinity;
          distance += differing.length;
        }
      });
      if (distance < least) [best, least] = [row, distance];
    }
    return best;
  }

  private found(): { query: string; found: { id: string; op: string }[] } {
    const { index, query: name } = this.answers.search!;
    const query = String(this.state[name] ?? "");
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const last = words.at(-1) ?? "";
    const rank = ([id, , label, aside]: [string, string, string, number]): [number, number, number] => {
      const base = label.toLowerCase().replace(/^[()]+|[()]+$/g, "");
      return [base === last ? 0 : base.startsWith(last) ? 1 : 2, aside, id.length];
    };
    const found = words.length
      ? index.filter(([id, op]) => words.every((word) => id.toLowerCase().includes(word) || op.toLowerCase().includes(word)))
      : [];
    found.sort((a, b) => {
      const [x, y] = [rank(a), rank(b)];
      return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
    });
    return { query, found: found.slice(0, MOST_FOUND).map(([id, op]) => ({ id, op })) };
  }

  private take(values: Record<string, unknown>): void {
    const names = Object.keys(values).filter((name) => !same(this.state[name], values[name]));
    Object.assign(this.state, values);
    Object.assign(this.settled, values);
    for (const name of names) this.emit(`change:${name}`);
    this.emit("change");
  }

  private putBack(name: string): void {
    this.state[name] = this.settled[name];
    this.emit(`change:${name}`);
    this.refuse("This page has no answer to that: it needs a running notebook.");
  }
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
