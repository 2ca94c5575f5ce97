/**
 * Owns the cursors of merged lists: an opaque form of the position in the list.
 */
import { rpcCodes, rpcError } from '@holdfast/mcp-wire/server';

export interface Page<Entry> {
  readonly part: readonly Entry[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** Returns the page at a cursor. Throws an `RpcError` for an invalid cursor. */
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
  if (place === undefined) throw rpcError(rpcCodes.invalidParams, 'The cursor was not issued by this server: list from the start');
  return Number(place);
}
