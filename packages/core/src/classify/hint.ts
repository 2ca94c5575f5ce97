/**
 * Owns finding how long to wait in all that was gathered. Does not own the forms (`retry-after.ts`).
 */
import type { Layer } from './evidence.ts';
import { retryAfterOf, retryAfterOfFields, retryAfterOfText } from './retry-after.ts';

/** What was asked for in ms: by headers, else by the client's fields, else in words. The longest counts. */
export function retryHint(layers: readonly Layer[], nowEpochMs: number, rateLimited: boolean): number | undefined {
  const all = layers.flatMap((layer) => [layer, ...layer.members.flat()]);
  const headers = all.flatMap(({ carriers }) => carriers.map((carrier) => retryAfterOf(carrier, { nowEpochMs, rateLimited })));
  const fields = all.map(({ hints }) => (hints.length > 0 ? retryAfterOfFields(hints, nowEpochMs) : undefined));
  const known = [...headers, ...fields].filter((wait) => wait !== undefined);
  if (known.length > 0) return Math.max(...known);
  const words = rateLimited ? all.flatMap(({ texts }) => texts.map(retryAfterOfText)).filter((wait) => wait !== undefined) : [];
  return words.length > 0 ? Math.max(...words) : undefined;
}
