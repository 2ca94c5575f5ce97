/**
 * The slots of a tool and the queue before them.
 * Owns who holds a slot, who waits, and for whom a slot is kept. Knows nothing of circuits or time.
 *
 * 1. Slots held and kept never exceed the limit (a limit lowered under load is reached by attrition).
 * 2. First come, first served: a ticket is woken in the order of its number, and once at most.
 * 3. Nobody waits while a slot is free.
 * 4. Every function is O(1), but for waking everybody.
 */
import type { ConcurrencySettings } from '../settings/settings.ts';

export interface Bulkhead {
  limit: number;
  queueLimit: number;
  /** Permits not released yet. */
  held: number;
  /** Slots kept for waiters that were woken and have not come back yet. */
  reserved: number;
  /** Held slots whose work was given up on but has not ended. */
  orphaned: number;
  queued: number;
  nextTicket: number;
  first: Waiter | undefined;
  last: Waiter | undefined;
  /** Waiting or woken; gone as soon as the ticket comes back. */
  readonly waiters: Map<number, Waiter>;
}

/** `turned_out` was woken without a slot, to hear why it will not get one. */
type WaiterState = 'queued' | 'slot_kept' | 'turned_out';

interface Waiter {
  readonly ticket: number;
  state: WaiterState;
  before: Waiter | undefined;
  after: Waiter | undefined;
}

export function createBulkhead(): Bulkhead {
  return {
    limit: Infinity,
    queueLimit: 0,
    held: 0,
    reserved: 0,
    orphaned: 0,
    queued: 0,
    nextTicket: 1,
    first: undefined,
    last: undefined,
    waiters: new Map(),
  };
}

/** Without settings there is room for everybody. */
export function limitSlots(bulkhead: Bulkhead, settings: ConcurrencySettings | false | undefined): void {
  const limited = settings !== undefined && settings !== false;
  bulkhead.limit = limited ? settings.limit : Infinity;
  bulkhead.queueLimit = limited ? settings.queue : 0;
}

export function hasFreeSlot(bulkhead: Bulkhead): boolean {
  return bulkhead.held + bulkhead.reserved < bulkhead.limit;
}

export function hasQueueRoom(bulkhead: Bulkhead): boolean {
  return bulkhead.queued < bulkhead.queueLimit;
}

/** Takes the last place in the queue. */
export function enqueue(bulkhead: Bulkhead): number {
  const waiter: Waiter = { ticket: bulkhead.nextTicket, state: 'queued', before: bulkhead.last, after: undefined };
  bulkhead.nextTicket += 1;
  if (bulkhead.last === undefined) bulkhead.first = waiter;
  else bulkhead.last.after = waiter;
  bulkhead.last = waiter;
  bulkhead.queued += 1;
  bulkhead.waiters.set(waiter.ticket, waiter);
  return waiter.ticket;
}

/** Ends a ticket's life and answers what it was; a slot kept for it is free again. */
export function redeem(bulkhead: Bulkhead, ticket: number): WaiterState | undefined {
  const waiter = bulkhead.waiters.get(ticket);
  if (waiter === undefined) return undefined;
  bulkhead.waiters.delete(ticket);
  if (waiter.state === 'queued') unlink(bulkhead, waiter);
  if (waiter.state === 'slot_kept') bulkhead.reserved -= 1;
  return waiter.state;
}

/** Wakes as many as there are free slots, and keeps those slots for them. */
export function wakeIntoSlots(bulkhead: Bulkhead): readonly number[] {
  const woken: number[] = [];
  while (bulkhead.first !== undefined && hasFreeSlot(bulkhead)) {
    woken.push(wake(bulkhead, bulkhead.first, 'slot_kept'));
    bulkhead.reserved += 1;
  }
  return woken;
}

/** Wakes everybody, with no slot for anyone. */
export function turnOutAll(bulkhead: Bulkhead): readonly number[] {
  const woken: number[] = [];
  while (bulkhead.first !== undefined) woken.push(wake(bulkhead, bulkhead.first, 'turned_out'));
  return woken;
}

function wake(bulkhead: Bulkhead, waiter: Waiter, state: 'slot_kept' | 'turned_out'): number {
  unlink(bulkhead, waiter);
  waiter.state = state;
  return waiter.ticket;
}

function unlink(bulkhead: Bulkhead, waiter: Waiter): void {
  if (waiter.before === undefined) bulkhead.first = waiter.after;
  else waiter.before.after = waiter.after;
  if (waiter.after === undefined) bulkhead.last = waiter.before;
  else waiter.after.before = waiter.before;
  waiter.before = undefined;
  waiter.after = undefined;
  bulkhead.queued -= 1;
}
