/** Owns noticing that a tool is otherwise than before although nothing has happened: its recent past grows old. */
import type { ToolTile } from '../contract.ts';

export interface Aging {
  readonly tiles: () => readonly ToolTile[];
  readonly touch: (tool: string) => void;
}

/** Answers the look at them, to be taken now and then. */
export function watchAging({ tiles, touch }: Aging): () => void {
  let before = new Map<string, string>();
  return () => {
    const after = new Map(tiles().map((tile) => [tile.name, essenceOf(tile)]));
    for (const [name, essence] of after) if (before.has(name) && before.get(name) !== essence) touch(name);
    before = after;
  };
}

/** Without what moves by itself. */
function essenceOf({ status, circuit, degraded, counts }: ToolTile): string {
  return [status, circuit, degraded, counts.calls, counts.failed, counts.recovered].join(' ');
}
