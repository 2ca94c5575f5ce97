/**
 * Owns the calls that wait at a gate: by what their next attempt costs, and by when each wait has an event of its own. Knows nothing of slots, circuits or time.
 *
 * 1. Within a group, calls keep the order in which they joined; the oldest and the newest of a group are found in O(1).
 * 2. Joining and leaving are O(1) amortised while waits end in the order in which they began, and O(log n) otherwise.
 */
import { addToHeap, removeFromHeap } from '../plain/indexed-heap.ts';

/** `slot_kept`: woken, a slot is reserved; `probe_kept`: woken, it will be the circuit's probe; `turned_away`: woken without a slot, it will be refused. */
export type WaiterState = 'queued' | 'slot_kept' | 'probe_kept' | 'turned_away';

/** What the next attempt is: the first of its call, or a retry by its cost. */
export type AttemptKind = 'first' | 'retry' | 'costly_retry';

export class Waiter {
  ticket = 0;
  state: WaiterState = 'queued';
  kind: AttemptKind = 'first';
  /** Attempts of the call so far. */
  attempts = 0;
  /** The call has waited while the tool was down. */
  backlog = false;
  /** The call has paid the rate limit. */
  paid = false;
  /** Tokens that it has paid for its attempt. */
  cost = 0;
  /** When the call began. */
  bornAt = 0;
  /** When its wait ends. */
  until: number = Infinity;
  /** The same once it is backlog. */
  backlogUntil: number = Infinity;
  /** Its next event: its last chance to be sent, or the end of its wait. */
  dueAt: number = Infinity;
  before: Waiter | undefined = undefined;
  after: Waiter | undefined = undefined;
  /** Its place in the heap. */
  index = -1;
}

/** Calls in the order in which they joined. */
class Group {
  oldest: Waiter | undefined = undefined;
  newest: Waiter | undefined = undefined;
}

type Groups = Readonly<Record<AttemptKind, Group>>;

export const attemptKinds: readonly AttemptKind[] = ['first', 'retry', 'costly_retry'];

export class WaitingLine {
  readonly ready: Groups = createGroups();
  readonly backlog: Groups = createGroups();
  /** All waiters, by their next event, then by ticket: a binary heap, so the first is due next. */
  readonly heap: Waiter[] = [];
}

function createGroups(): Groups {
  return { first: new Group(), retry: new Group(), costly_retry: new Group() };
}

export function join(line: WaitingLine, waiter: Waiter): void {
  append(groupOf(line, waiter), waiter);
  addToHeap(line.heap, waiter, isDueBefore);
}

export function leave(line: WaitingLine, waiter: Waiter): void {
  unlink(groupOf(line, waiter), waiter);
  removeFromHeap(line.heap, waiter, isDueBefore);
}

export function setDue(line: WaitingLine, waiter: Waiter, dueAt: number): void {
  removeFromHeap(line.heap, waiter, isDueBefore);
  waiter.dueAt = dueAt;
  addToHeap(line.heap, waiter, isDueBefore);
}

/** Of the groups for which `may` returns true: the newest call if it began after `freshSince`, otherwise the oldest. */
export function nextOf(groups: Groups, freshSince: number, may: (kind: AttemptKind) => boolean): Waiter | undefined {
  let newest: Waiter | undefined;
  let oldest: Waiter | undefined;
  for (const kind of attemptKinds) {
    const group = groups[kind];
    if (group.newest === undefined || group.oldest === undefined || !may(kind)) continue;
    if (newest === undefined || group.newest.bornAt > newest.bornAt) newest = group.newest;
    if (oldest === undefined || group.oldest.backlogUntil < oldest.backlogUntil) oldest = group.oldest;
  }
  return newest !== undefined && newest.bornAt > freshSince ? newest : oldest;
}

/** The oldest of the calls with the fewest attempts: a caller that asks again and again, and always fails, does not keep the others from probing. */
export function leastTried({ heap }: WaitingLine): Waiter | undefined {
  let least: Waiter | undefined;
  for (const waiter of heap)
    if (least === undefined || waiter.attempts < least.attempts || (waiter.attempts === least.attempts && waiter.ticket < least.ticket))
      least = waiter;
  return least;
}

/** Calls that began by then are backlog from now on. Looks at the oldest only: a group is in the order in which its calls joined. */
export function becomeBacklog(line: WaitingLine, bornBy: number): void {
  for (const kind of attemptKinds) {
    const group = line.ready[kind];
    for (let waiter = group.oldest; waiter !== undefined && waiter.bornAt <= bornBy; waiter = group.oldest) {
      leave(line, waiter);
      waiter.backlog = true;
      waiter.until = Math.min(waiter.until, waiter.backlogUntil);
      waiter.dueAt = Math.min(waiter.dueAt, waiter.until);
      join(line, waiter);
    }
  }
}

function groupOf({ ready, backlog }: WaitingLine, waiter: Waiter): Group {
  return (waiter.backlog ? backlog : ready)[waiter.kind];
}

/** Older tickets may be appended after newer ones only when the tool goes down: their order among the backlog does not matter. */
function append(group: Group, waiter: Waiter): void {
  waiter.before = group.newest;
  waiter.after = undefined;
  if (group.newest === undefined) group.oldest = waiter;
  else group.newest.after = waiter;
  group.newest = waiter;
}

function unlink(group: Group, waiter: Waiter): void {
  if (waiter.before === undefined) group.oldest = waiter.after;
  else waiter.before.after = waiter.after;
  if (waiter.after === undefined) group.newest = waiter.before;
  else waiter.after.before = waiter.before;
  waiter.before = waiter.after = undefined;
}

function isDueBefore(one: Waiter, other: Waiter): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.ticket < other.ticket);
}
