/**
 * Owns the cursors of merged lists: an opaque form of the position in the list.
 */
import { rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { sizeWithin } from '../calls/wire-size.ts';

export interface Page<Entry> {
  readonly part: readonly Entry[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** More is not written at once: others wait meanwhile. */
const maxPageBytes = 1_000_000;

/** Returns the page at a cursor: entries up to a number and a size, but at least one. Throws an `RpcError` for an invalid cursor. */
export function pageOf<Entry>(entries: readonly Entry[], cursor: unknown, pageSize: number): Page<Entry> {
  const begin = cursor === undefined ? 0 : placeOf(cursor);
  const end = endOf(entries, begin, Math.min(begin + pageSize, entries.length));
  return { part: begin === 0 && end === entries.length ? entries : entries.slice(begin, end), ...nextOf(end, entries.length) };
}

function endOf(entries: readonly unknown[], begin: number, last: number): number {
  let bytes = 0;
  for (let end = begin; end < last; end += 1) {
    bytes += sizeWithin(entries[end], maxPageBytes);
    if (bytes > maxPageBytes && end > begin) return end;
  }
  return Math.max(begin, last);
}

const nextOf = (end: number, length: number): { readonly nextCursor?: string } => (end < length ? { nextCursor: cursorOf(end) } : {});

const cursorOf = (place: number): string => Buffer.from(`at:${place}`).toString('base64url');

function placeOf(cursor: unknown): number {
  const text = typeof cursor === 'string' && cursor.length < 64 ? Buffer.from(cursor, 'base64url').toString() : '';
  const place = /^at:(\d{1,9})$/.exec(text)?.[1];
  if (place === undefined) throw rpcError(rpcCodes.invalidParams, 'The cursor was not issued by this server: list from the start');
  return Number(place);
}
