/**
 * Owns noticing changes of a tool's status without an event: old calls leave the window, a hold ends.
 *
 * Invariant: a look takes a few milliseconds at a time, however many tools there are.
 */
import { Pauses } from '@holdfast/mcp-wire/client';
import type { ToolTile } from '../contract.ts';

export interface Aging {
  /** Every tool as it is when it is reached. */
  readonly tiles: () => Iterable<ToolTile>;
  readonly touch: (tool: string) => void;
}

/** Returns a function that checks once, to be called regularly. Few tools are checked when it returns. */
export function watchAging({ tiles, touch }: Aging): () => void {
  let before = new Map<string, string>();
  let isLooking = false;
  let isDueAgain = false;
  const look = async (): Promise<void> => {
    const pauses = new Pauses();
    const after = new Map<string, string>();
    for (const tile of tiles()) {
      const fingerprint = fingerprintOf(tile);
      after.set(tile.name, fingerprint);
      if (before.has(tile.name) && before.get(tile.name) !== fingerprint) touch(tile.name);
      if (pauses.isDue) await pauses.pause();
    }
    before = after;
    isLooking = false;
    if (isDueAgain) begin();
  };
  const begin = (): void => {
    isDueAgain = isLooking;
    if (isLooking) return;
    isLooking = true;
    void look();
  };
  return begin;
}

/** Returns the fields that matter, without those that change continuously. */
function fingerprintOf({ status, circuit, client_circuits_open, held_until, degraded, counts }: ToolTile): string {
  return [status, circuit, client_circuits_open, held_until !== undefined, degraded, counts.calls, counts.failed, counts.recovered].join(
    ' ',
  );
}
