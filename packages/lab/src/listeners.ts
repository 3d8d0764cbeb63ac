import { EventEmitter, getEventListeners } from "node:events";

/** An entry for every listener: `agent drain`, `signal abort`. */
export function listenersOf(
  objects: Readonly<Record<string, EventEmitter | AbortSignal>>,
): string[] {
  return Object.entries(objects).flatMap(([name, object]) =>
    eventsOf(object).flatMap((event) =>
      getEventListeners(object, event).map(() => `${name} ${event}`),
    ),
  );
}

function eventsOf(object: EventEmitter | AbortSignal): string[] {
  return object instanceof EventEmitter ? object.eventNames().map(String) : ["abort"];
}
