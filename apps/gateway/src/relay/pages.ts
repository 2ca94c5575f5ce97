/**
 * Owns the cursors of our own lists: a place in the list, in a form that no client takes for a number to count with.
 */
import { rpcCodes, rpcError } from '@holdfast/mcp-wire/server';

export interface Page<Entry> {
  readonly part: readonly Entry[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** The part of the list that a cursor names. Throws an `RpcError` for a cursor that is none of ours. */
export function pageOf<Entry>(entries: readonly Entry[], cursor: unknown, pageSize: number): Page<Entry> {
  const begin = cursor === undefined ? 0 : placeOf(cursor);
  const end = begin + pageSize;
  return { part: begin === 0 && end >= entries.length ? entries : entries.slice(begin, end), ...nextOf(end, entries.length) };
}

const nextOf = (end: number, length: number): { readonly nextCursor?: string } => (end < length ? { nextCursor: cursorOf(end) } : {});

const cursorOf = (place: number): string => Buffer.from(`at:${place}`).toString('base64url');

function placeOf(cursor: unknown): number {
  const text = typeof cursor === 'string' && cursor.length < 64 ? Buffer.from(cursor, 'base64url').toString() : '';
  const place = /^at:(\d{1,9})$/.exec(text)?.[1];
  if (place === undefined) throw rpcError(rpcCodes.invalidParams, 'The cursor is none of this server: list from the beginning');
  return Number(place);
}
