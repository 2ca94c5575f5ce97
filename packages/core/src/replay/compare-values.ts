/** Owns finding the differences of two plain values as JSON: `undefined` is absent, infinite numbers are `null`. */
import { isObject } from '../engine/plain/is-object.ts';

/** One difference of two values. */
export interface ValueDifference {
  /** Path of the difference, such as `inputs.alternatives[0].available`. */
  readonly path: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

/** Returns the differences of two values, without those below the paths in `except`. */
export function differencesIn(recorded: object, replayed: object, except: ReadonlySet<string>): readonly ValueDifference[] {
  const found: ValueDifference[] = [];
  compare({ path: '', recorded, replayed }, except, found);
  return found;
}

type Fields = Readonly<Record<string, unknown>>;

function compare({ path, recorded, replayed }: ValueDifference, except: ReadonlySet<string>, found: ValueDifference[]): void {
  if (recorded === replayed || except.has(path)) return;
  if (!isObject(recorded) || !isObject(replayed) || Array.isArray(recorded) !== Array.isArray(replayed)) {
    if (!sameValue(jsonNumber(recorded), jsonNumber(replayed))) found.push({ path, recorded, replayed });
    return;
  }
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(replayed)])) {
    const inner = Array.isArray(recorded) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    compare({ path: inner, recorded: (recorded as Fields)[key], replayed: (replayed as Fields)[key] }, except, found);
  }
}

/** Times are sums of clock readings, so the last bits of a double depend on the absolute time. */
function sameValue(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number')
    return Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other), 1_000);
  return one === other;
}

function jsonNumber(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}
