/*
 * The last messages that came along one by one, of all links or of what is selected. No DOM here.
 */
import { linkKey, type TrafficEvent } from "./wire";

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

export class EventLog implements Log {
  private events: TrafficEvent[] = [];

  constructor(readonly capacity = 3000) {}

  push(events: readonly TrafficEvent[]): void {
    this.events.push(...events);
    if (this.events.length > this.capacity) {
      this.events.splice(0, this.events.length - this.capacity);
    }
  }

  /* The last `count` events of the selection, newest first. */
  last(count: number, selection: string | null = null): TrafficEvent[] {
    const found: TrafficEvent[] = [];
    for (let i = this.events.length - 1; i >= 0 && found.length < count; i -= 1) {
      const event = this.events[i] as TrafficEvent;
      if (concerns(event, selection)) found.push(event);
    }
    return found;
  }
}
