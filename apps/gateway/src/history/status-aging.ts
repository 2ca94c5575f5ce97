/**
 * Owns noticing changes of a tool's status without an event: old calls leave the window, a hold ends.
 *
 * Invariant: a look takes a few milliseconds at a time, however many tools there are.
 */
import type { ToolTile } from '../contract.ts';

export interface Aging {
  /** Every tool as it is when it is reached. */
  readonly tiles: () => Iterable<ToolTile>;
  readonly touch: (tool: string) => void;
}

const sliceMs = 5;

/** Returns a function that checks once, to be called regularly. Few tools are checked when it returns. */
export function watchAging({ tiles, touch }: Aging): () => void {
  let before = new Map<string, string>();
  let isLooking = false;
  let isDueAgain = false;
  const look = (rest: Iterator<ToolTile>, after: Map<string, string>): void => {
    const until = performance.now() + sliceMs;
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      const { name } = next.value;
      const fingerprint = fingerprintOf(next.value);
      after.set(name, fingerprint);
      if (before.has(name) && before.get(name) !== fingerprint) touch(name);
      if (performance.now() > until) return void setImmediate(look, rest, after);
    }
    before = after;
    isLooking = false;
    if (isDueAgain) begin();
  };
  const begin = (): void => {
    isDueAgain = isLooking;
    if (isLooking) return;
    isLooking = true;
    look(tiles()[Symbol.iterator](), new Map());
  };
  return begin;
}

/** Returns the fields that matter, without those that change continuously. */
function fingerprintOf({ status, circuit, client_circuits_open, held_until, degraded, counts }: ToolTile): string {
  return [status, circuit, client_circuits_open, held_until !== undefined, degraded, counts.calls, counts.failed, counts.recovered].join(
    ' ',
  );
}
