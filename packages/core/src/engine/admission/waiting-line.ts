/**
 * Owns the calls that wait at a gate: the two orders of the queue, which call is next and when each wait ends.
 * Knows nothing of slots, circuits or the reason for waiting.
 *
 * 1. In order: the lowest ticket is next.
 * 2. Fresh first: the newest of those younger than `freshMs`; when there is none, the one whose wait ends first.
 * 3. Behind a server's limit on requests the one whose wait ends first is next: all of them can be served. Fresh first applies again once a call has waited for
 *    so long that this no longer holds.
 * 4. Joining, leaving and `nextOf` are O(1) amortised while waits end in the order in which they began, and O(log n) otherwise.
 */
import { addToHeap, removeFromHeap } from '../plain/indexed-heap.ts';
import type { QueueOrder } from '../settings/settings.ts';

/** `slot_kept`: woken, a slot is reserved; `probe_kept`: woken, it will be the circuit's probe; `turned_away`: woken without a slot, it will be refused. */
export type WaiterState = 'queued' | 'slot_kept' | 'probe_kept' | 'turned_away';

export interface Waiter {
  readonly ticket: number;
  state: WaiterState;
  /** The call makes a further attempt. */
  readonly retry: boolean;
  /** The call has paid the limits. */
  paid: boolean;
  /** The call waits for recovery too. */
  readonly patient: boolean;
  readonly bornAt: number;
  /** When its wait ends. */
  readonly until: number;
  before: Waiter | undefined;
  after: Waiter | undefined;
  /** Whether it is in the list; a call that is no longer fresh is only in the heap. */
  listed: boolean;
  /** Its place in the heap. */
  index: number;
}

export interface WaitingLine {
  first: Waiter | undefined;
  last: Waiter | undefined;
  /** The calls wait because of a server's limit on requests. */
  throttled: boolean;
  /** All waiters, by the end of their waits, then by ticket: a binary heap. */
  readonly heap: Waiter[];
}

export function createWaitingLine(): WaitingLine {
  return { first: undefined, last: undefined, throttled: false, heap: [] };
}

export function join(line: WaitingLine, waiter: Waiter): void {
  waiter.before = line.last;
  waiter.listed = true;
  if (line.last === undefined) line.first = waiter;
  else line.last.after = waiter;
  line.last = waiter;
  addToHeap(line.heap, waiter, endsBefore);
}

export function leave(line: WaitingLine, waiter: Waiter): void {
  if (waiter.listed) unlink(line, waiter);
  removeFromHeap(line.heap, waiter, endsBefore);
  if (line.heap.length === 0) line.throttled = false;
}

/** The waiter whose wait ends first. */
export function firstToEnd({ heap }: WaitingLine): Waiter | undefined {
  return heap[0];
}

/** The waiter to be served next; it stays in the line. */
export function nextOf(line: WaitingLine, order: QueueOrder | undefined, freshMs: number, now: number): Waiter | undefined {
  const firstToEnd = line.heap[0];
  if (order !== 'fresh_first') return line.first ?? firstToEnd;
  if (line.throttled && firstToEnd !== undefined && isInTime(firstToEnd, now)) return firstToEnd;
  while (line.last !== undefined && now - line.last.bornAt >= freshMs) unlink(line, line.last);
  return line.last ?? firstToEnd;
}

/** Once this share of a wait is over, the rest may be too short for the next waiters. */
const MAX_WAITED_SHARE = 0.75;

function isInTime({ bornAt, until }: Waiter, now: number): boolean {
  return now - bornAt < MAX_WAITED_SHARE * (until - bornAt);
}

function unlink(line: WaitingLine, waiter: Waiter): void {
  if (waiter.before === undefined) line.first = waiter.after;
  else waiter.before.after = waiter.after;
  if (waiter.after === undefined) line.last = waiter.before;
  else waiter.after.before = waiter.before;
  waiter.before = undefined;
  waiter.after = undefined;
  waiter.listed = false;
}

function endsBefore(one: Waiter, other: Waiter): boolean {
  return one.until < other.until || (one.until === other.until && one.ticket < other.ticket);
}
