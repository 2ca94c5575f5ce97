/**
 * Owns the slots of a tool and the calls in front of them: which calls hold a slot, which wait, and for which a slot is reserved.
 * Knows nothing of circuits or time; `waiting-line.ts` orders the calls that wait.
 *
 * 1. Slots held and reserved never exceed the limit (a limit lowered under load is reached by attrition).
 * 2. A ticket is woken at most once.
 * 3. No call waits for a slot alone while one is free.
 */
import type { ConcurrencySettings } from '../settings/settings.ts';
import { createWaitingLine, join, leave, type Waiter, type WaiterState, type WaitingLine } from './waiting-line.ts';

/** Slots that are held or reserved. Several gates of one tool share them. */
export interface Slots {
  taken: number;
}

export interface Bulkhead {
  readonly slots: Slots;
  limit: number;
  queueLimit: number;
  /** Permits not released yet. */
  held: number;
  /** Slots reserved for waiters that were woken and have not come back yet. */
  reserved: number;
  /** Held slots whose work was abandoned but has not ended. */
  orphaned: number;
  queued: number;
  nextTicket: number;
  readonly line: WaitingLine;
  /** Waiting or woken; removed when the ticket is returned. */
  readonly waiters: Map<number, Waiter>;
}

export function createBulkhead(slots: Slots = { taken: 0 }): Bulkhead {
  return {
    slots,
    limit: Infinity,
    queueLimit: Infinity,
    held: 0,
    reserved: 0,
    orphaned: 0,
    queued: 0,
    nextTicket: 1,
    line: createWaitingLine(),
    waiters: new Map(),
  };
}

/** Without settings there is no limit. */
export function limitSlots(bulkhead: Bulkhead, settings: ConcurrencySettings | false | undefined): void {
  const limited = settings !== undefined && settings !== false;
  bulkhead.limit = limited ? settings.limit : Infinity;
  bulkhead.queueLimit = limited ? settings.queue : Infinity;
}

export function hasFreeSlot(bulkhead: Bulkhead): boolean {
  return bulkhead.slots.taken < bulkhead.limit;
}

export function hasQueueRoom(bulkhead: Bulkhead): boolean {
  return bulkhead.queued < bulkhead.queueLimit;
}

/** Joins the queue. */
export function enqueue(
  bulkhead: Bulkhead,
  who: Pick<Waiter, 'kind' | 'attempts' | 'backlog' | 'paid' | 'bornAt' | 'until' | 'backlogUntil' | 'dueAt'>,
): number {
  const ticket = bulkhead.nextTicket;
  const waiter: Waiter = { ticket, state: 'queued', cost: 0, ...who, before: undefined, after: undefined, index: -1 };
  bulkhead.nextTicket += 1;
  join(bulkhead.line, waiter);
  bulkhead.queued += 1;
  bulkhead.waiters.set(ticket, waiter);
  return ticket;
}

/** Takes a ticket back and returns its waiter; a slot reserved for it is free again. */
export function takeTicket(bulkhead: Bulkhead, ticket: number): Waiter | undefined {
  const waiter = bulkhead.waiters.get(ticket);
  if (waiter === undefined) return undefined;
  bulkhead.waiters.delete(ticket);
  if (waiter.state === 'queued') dequeue(bulkhead, waiter);
  else if (waiter.state !== 'turned_away') reserve(bulkhead, -1);
  return waiter;
}

/** Ends the waiter's wait and returns its ticket. A slot is reserved for it unless it is turned away. */
export function wake(bulkhead: Bulkhead, waiter: Waiter, state: Exclude<WaiterState, 'queued'>): number {
  dequeue(bulkhead, waiter);
  waiter.state = state;
  if (state !== 'turned_away') reserve(bulkhead, 1);
  return waiter.ticket;
}

/** Wakes all waiters without a slot, in the order of their tickets. */
export function turnAllAway(bulkhead: Bulkhead): readonly number[] {
  const leaving = bulkhead.line.heap.toSorted((one, other) => one.ticket - other.ticket);
  return leaving.map((waiter) => wake(bulkhead, waiter, 'turned_away'));
}

function reserve(bulkhead: Bulkhead, count: 1 | -1): void {
  bulkhead.reserved += count;
  bulkhead.slots.taken += count;
}

function dequeue(bulkhead: Bulkhead, waiter: Waiter): void {
  leave(bulkhead.line, waiter);
  bulkhead.queued -= 1;
}
