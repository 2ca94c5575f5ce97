/**
 * Owns reading the pages of a list of a server, such as `tools/list`.
 *
 * Invariant: it ends, whatever the server answers: a repeated cursor and a limit of pages are the end.
 */
import type { JsonObject } from '../message.ts';

/** One page of a list. */
export interface ListPage {
  /** The server's result. */
  readonly result: JsonObject;
  /** From 1. */
  readonly number: number;
  /**
   * What follows. `next`: another page. `none`: nothing, the list is complete. `repeated`: the server gave a cursor again, and `limit`: there are more pages than
   * are read; the list is incomplete.
   */
  readonly more: 'next' | 'none' | 'repeated' | 'limit';
}

/** Sends one request and resolves to its result. */
export type PageRequest = (method: string, params: JsonObject) => Promise<JsonObject>;

/** More than any reasonable server has. */
const DEFAULT_MAX_PAGES = 1_000;

/**
 * Requests the pages of a list one after the other. Rejects like `request`; a caller that leaves the loop requests no more.
 * @param maxPages @default 1000
 */
export async function* pagesOf(
  request: PageRequest,
  method: string,
  maxPages: number = DEFAULT_MAX_PAGES,
): AsyncGenerator<ListPage, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let number = 1; ; number++) {
    const result = await request(method, cursor === undefined ? {} : { cursor });
    const next = result['nextCursor'];
    if (typeof next !== 'string' || next === '') return yield { result, number, more: 'none' };
    if (seen.has(next)) return yield { result, number, more: 'repeated' };
    if (number >= maxPages) return yield { result, number, more: 'limit' };
    seen.add(next);
    cursor = next;
    yield { result, number, more: 'next' };
  }
}
