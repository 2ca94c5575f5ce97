/** Owns the sources for tests of the live stream: a manual clock, a history of numbered tools, alerts. */
import { LiveHub, type LiveClock, type LiveSource } from '../../src/api/streams/live-hub.ts';
import type { AlertItem, ToolTile, Totals } from '../../src/contract.ts';

/** A manual clock. */
function manualClock() {
  let now = 1_000;
  let timers: { readonly at: number; readonly task: () => void }[] = [];
  const clock: LiveClock = {
    now: () => now,
    schedule(delayMs, task) {
      const timer = { at: now + delayMs, task };
      timers.push(timer);
      return () => (timers = timers.filter((other) => other !== timer));
    },
    today: () => new Date(now),
  };
  const advance = (ms: number): void => {
    const end = now + ms;
    for (;;) {
      const [first] = timers.filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at);
      if (!first) break;
      timers = timers.filter((other) => other !== first);
      now = first.at;
      first.task();
    }
    now = end;
  };
  return { clock, advance, timers: () => timers.length };
}

/** A history of numbered tools, each with its number of changes. */
export function source(process = 'aaaaaaaa', onStep?: () => void) {
  let place = 0;
  let asked = 0;
  const tools = new Map<string, { readonly place: number; readonly calls: number }>();
  const listeners = new Set<() => void>();
  const history: LiveSource = {
    cursor: () => `${process}-${place}`,
    knows(cursor) {
      const [of, since] = cursor.split('-');
      return of === process && Number(since) <= place;
    },
    *changedSince(cursor) {
      yield;
      asked += 1;
      const isKnown = history.knows(cursor);
      const since = cursor.split('-')[1];
      const changed = [...tools].filter(([, tool]) => !isKnown || tool.place > Number(since));
      const tiles = changed.map(([name, { calls }]) => ({ name, counts: { calls } }) as unknown as ToolTile);
      return {
        cursor: history.cursor(),
        ...(isKnown ? {} : { reset: true as const }),
        tools: tiles,
        removed_tools: [],
        changes: [],
        turns: [],
      };
    },
    *totals() {
      for (const _tool of onStep ? tools : []) {
        onStep?.();
        yield;
      }
      return { tools: tools.size } as Totals;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    history,
    happen: (tool: string): void => {
      tools.set(tool, { place: (place += 1), calls: (tools.get(tool)?.calls ?? 0) + 1 });
      for (const listener of listeners) listener();
    },
    asked: () => asked,
    listeners: () => listeners.size,
  };
}

export function alertSource() {
  let items: readonly AlertItem[] = [];
  const listeners = new Set<() => void>();
  return {
    alerts: {
      active: () => items,
      subscribe(listener: () => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    set: (...states: readonly AlertItem['state'][]): void => {
      items = states.map((state, index) => ({ fingerprint: String(index), state }) as AlertItem);
      for (const listener of listeners) listener();
    },
  };
}

export function scene(onStep?: () => void) {
  const time = manualClock();
  const things = source('aaaaaaaa', onStep);
  const alerting = alertSource();
  return { ...time, ...things, ...alerting, hub: new LiveHub({ history: things.history, alerts: alerting.alerts, clock: time.clock }) };
}
