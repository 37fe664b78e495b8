import type { Listener, Model } from "../src/common/widget";

/* A model without Python: it keeps what the page sets. */
export class FakeModel implements Model {
  sent: unknown[] = [];
  private listeners = new Map<string, Set<Listener>>();
  constructor(private traits: Record<string, unknown>) {}
  get(name: string) {
    return this.traits[name];
  }
  set(name: string, value: unknown) {
    this.traits[name] = value;
    this.listeners.get(`change:${name}`)?.forEach((listener) => listener());
  }
  save_changes() {}
  on(event: string, listener: Listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event)!.add(listener);
  }
  off(event: string, listener: Listener) {
    this.listeners.get(event)?.delete(listener);
  }
  send(content: unknown) {
    this.sent.push(content);
  }
  count() {
    return [...this.listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }
}
