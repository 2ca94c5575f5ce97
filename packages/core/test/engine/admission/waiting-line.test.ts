import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attemptKinds,
  becomeBacklog,
  join,
  leastTried,
  leave,
  nextOf,
  setDue,
  type AttemptKind,
  Waiter,
  WaitingLine,
} from '../../../src/engine/admission/waiting-line.ts';

let tickets = 0;

function waiter(more: Partial<Waiter> = {}): Waiter {
  tickets += 1;
  return Object.assign(new Waiter(), { ticket: tickets, until: 60_000, backlogUntil: more.until ?? 60_000, dueAt: 60_000, ...more });
}

function line(...waiters: readonly Waiter[]): WaitingLine {
  const created = new WaitingLine();
  for (const one of waiters) join(created, one);
  return created;
}

const any = (): boolean => true;

describe('the next of a group', () => {
  it('is the newest call if it is fresh', () => {
    const [old, fresh, freshest] = [waiter({ bornAt: 0 }), waiter({ bornAt: 900 }), waiter({ bornAt: 1_000 })];
    expect(nextOf(line(old, fresh, freshest).ready, 500, any)).toBe(freshest);
  });

  it('is otherwise the call whose time ends first', () => {
    const [one, other] = [waiter({ kind: 'first', until: 9_000 }), waiter({ kind: 'retry', until: 7_000 })];
    expect(nextOf(line(one, other).ready, 0, any)).toBe(other);
  });

  it('is the oldest, however new the newest is, where calls are served in order', () => {
    const [one, two] = [waiter({ bornAt: 0, until: 60_000 }), waiter({ bornAt: 5_000, until: 65_000 })];
    expect(nextOf(line(one, two).ready, Infinity, any)).toBe(one);
  });

  it('is of a kind that may start', () => {
    const costly = waiter({ kind: 'costly_retry', bornAt: 2_000 });
    const quick = waiter({ kind: 'retry', bornAt: 1_000 });
    const waiting = line(quick, costly);
    expect(nextOf(waiting.ready, 0, (kind) => kind !== 'costly_retry')).toBe(quick);
    expect(nextOf(waiting.ready, 0, (kind) => kind === 'first')).toBeUndefined();
  });
});

it('calls that were ready when a tool went down are its backlog, each group in its order', () => {
  const all = [waiter(), waiter({ kind: 'costly_retry' }), waiter()];
  const waiting = line(...all);
  becomeBacklog(waiting, Infinity);
  expect(all.map(({ backlog }) => backlog)).toEqual([true, true, true]);
  expect(nextOf(waiting.ready, 0, any)).toBeUndefined();
  expect(nextOf(waiting.backlog, Infinity, (kind) => kind === 'first')).toBe(all[0]);
  for (const one of all) leave(waiting, one);
  expect(nextOf(waiting.backlog, 0, any)).toBeUndefined();
  expect(waiting.heap).toEqual([]);
});

it('the call with the fewest attempts probes, of several the oldest', () => {
  const waiting = line(waiter({ attempts: 2 }), waiter({ attempts: 1 }), waiter({ attempts: 1 }), waiter({ attempts: 5 }));
  const chosen = leastTried(waiting);
  expect(chosen?.attempts).toBe(1);
  expect(chosen?.ticket).toBe(Math.min(...waiting.heap.filter(({ attempts }) => attempts === 1).map(({ ticket }) => ticket)));
  expect(leastTried(new WaitingLine())).toBeUndefined();
});

it('keeps groups and events as plain lists would, whatever joins, leaves, moves and when', () => {
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('join' as const), kind: fc.constantFrom(...attemptKinds), backlog: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('leave' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('set due' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('go down' as const) }) },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.nat(1_000), fc.nat(100)), { maxLength: 120 }), (steps) => {
      const waiting = new WaitingLine();
      let model: Waiter[] = [];
      for (const [event, which, at] of steps) {
        const chosen = model[which % Math.max(model.length, 1)];
        if (event.do === 'join') {
          const joined = waiter({ kind: event.kind, backlog: event.backlog, bornAt: which, until: at + 100, dueAt: at });
          join(waiting, joined);
          model.push(joined);
        } else if (event.do === 'go down') {
          becomeBacklog(waiting, Infinity);
          // Those that were ready follow the others of their kind.
          model = modelOf(waiting);
        } else if (chosen !== undefined && event.do === 'leave') {
          leave(waiting, chosen);
          model = model.filter((one) => one !== chosen);
        } else if (chosen !== undefined) setDue(waiting, chosen, at);
        check(waiting, model);
      }
    }),
  );

  function modelOf({ heap, backlog }: WaitingLine): Waiter[] {
    const order = attemptKinds.flatMap((kind) => listOf(backlog[kind].oldest));
    expect(new Set(order.map(({ ticket }) => ticket))).toEqual(new Set(heap.map(({ ticket }) => ticket)));
    return order;
  }

  function listOf(oldest: Waiter | undefined): Waiter[] {
    const list: Waiter[] = [];
    for (let one = oldest; one !== undefined; one = one.after) list.push(one);
    return list;
  }

  function check(waiting: WaitingLine, model: readonly Waiter[]): void {
    const ofGroup = (backlog: boolean, kind: AttemptKind): Waiter[] => model.filter((one) => one.backlog === backlog && one.kind === kind);
    for (const kind of attemptKinds) {
      for (const backlog of [false, true]) {
        const group = (backlog ? waiting.backlog : waiting.ready)[kind];
        expect(listOf(group.oldest).map(({ ticket }) => ticket)).toEqual(ofGroup(backlog, kind).map(({ ticket }) => ticket));
        expect(group.newest === ofGroup(backlog, kind).at(-1)).toBe(true);
      }
    }
    const [due] = model.toSorted((one, other) => one.dueAt - other.dueAt || one.ticket - other.ticket);
    expect(waiting.heap[0]?.ticket).toBe(due?.ticket);
    expect(waiting.heap).toHaveLength(model.length);
  }
});
