/** Owns noticing changes of a tool's status without an event: old calls leave the window, a hold ends. */
import type { ToolTile } from '../contract.ts';

export interface Aging {
  readonly tiles: () => readonly ToolTile[];
  readonly touch: (tool: string) => void;
}

/** Returns a function that checks once, to be called regularly. */
export function watchAging({ tiles, touch }: Aging): () => void {
  let before = new Map<string, string>();
  return () => {
    const after = new Map(tiles().map((tile) => [tile.name, fingerprintOf(tile)]));
    for (const [name, fingerprint] of after) if (before.has(name) && before.get(name) !== fingerprint) touch(name);
    before = after;
  };
}

/** Returns the fields that matter, without those that change continuously. */
function fingerprintOf({ status, circuit, client_circuits_open, held_until, degraded, counts }: ToolTile): string {
  return [status, circuit, client_circuits_open, held_until !== undefined, degraded, counts.calls, counts.failed, counts.recovered].join(
    ' ',
  );
}
