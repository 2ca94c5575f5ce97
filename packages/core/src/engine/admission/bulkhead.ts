/**
 * Owns the slots of a tool and the calls in front of them: which calls hold a slot, which wait, and for which a slot is reserved.
 * Knows nothing of circuits or time; `waiting-line.ts` orders the calls that wait.
 *
 * 1. Slots held and reserved never exceed the limit (a limit lowered under load is reached by attrition).
 * 2. A ticket is woken at most once.
 * 3. No call waits for a slot alone while one is free.
 */
import type { CircuitPermit } from '../breaker/types.ts';
import type { ConcurrencySettings } from '../settings/settings.ts';
import type { Permit } from './types.ts';
import { join, leave, Waiter, WaitingLine, type WaiterState } from './waiting-line.ts';

export class Bulkhead {
  /** Slots that are held or reserved. Several gates of one tool share them. */
  readonly slots: { taken: number };
  limit: number = Infinity;
  queueLimit: number = Infinity;
  /** Permits not released yet. */
  held = 0;
  /** Slots reserved for waiters that were woken and have not come back yet. */
  reserved = 0;
  /** Held slots whose work was abandoned but has not ended. */
  orphaned = 0;
  nextTicket = 1;
  readonly line: WaitingLine = new WaitingLine();
  /** Waiting or woken; removed when the ticket is returned. */
  readonly waiters: Map<number, Waiter> = new Map();

  constructor(slots = { taken: 0 }) {
    this.slots = slots;
  }

  get queued(): number {
    return this.line.heap.length;
  }
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

/** Takes a slot for an attempt that the circuit permits. `cost`: the tokens that were paid for it. */
export function takeSlot(bulkhead: Bulkhead, { generation, probe, probeNumber }: CircuitPermit, cost = 0): Permit {
  bulkhead.held += 1;
  bulkhead.slots.taken += 1;
  return { generation, probe, probeNumber, cost, recorded: false, released: false, orphaned: false };
}

export function freeSlot(bulkhead: Bulkhead): void {
  bulkhead.held -= 1;
  bulkhead.slots.taken -= 1;
}

/** Joins the queue. */
export function enqueue(bulkhead: Bulkhead, who: Partial<Waiter>): number {
  const waiter = Object.assign(new Waiter(), who, { ticket: bulkhead.nextTicket });
  bulkhead.nextTicket += 1;
  join(bulkhead.line, waiter);
  bulkhead.waiters.set(waiter.ticket, waiter);
  return waiter.ticket;
}

/** Takes a ticket back and returns its waiter; a slot reserved for it is free again. */
export function takeTicket(bulkhead: Bulkhead, ticket: number): Waiter | undefined {
  const waiter = bulkhead.waiters.get(ticket);
  if (waiter === undefined) return undefined;
  bulkhead.waiters.delete(ticket);
  if (waiter.state === 'queued') leave(bulkhead.line, waiter);
  else if (waiter.state !== 'turned_away') reserve(bulkhead, -1);
  return waiter;
}

/** Ends the waiter's wait and returns its ticket. A slot is reserved for it unless it is turned away. */
export function wake(bulkhead: Bulkhead, waiter: Waiter, state: Exclude<WaiterState, 'queued'>): number {
  leave(bulkhead.line, waiter);
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
