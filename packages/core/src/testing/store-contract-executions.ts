/**
 * Owns the cases of the store contract about runs that several processes record, one after the other.
 */
import type { TraceEvent } from '../engine/trace/events.ts';
import type { ContractBody } from './store-contract-case.ts';
import { check, checkEqual } from './store-contract-check.ts';
import {
  callCompleted,
  callStarted,
  executionStarted,
  toolProgress,
  turnCompleted,
  turnScript,
  completeTurn,
} from './store-contract-data.ts';

/** A complete turn of a run with an id. */
function turnOfExecution(turnId: string, executionId: string, startedAt: number): readonly TraceEvent[] {
  const turn = turnScript(turnId, startedAt);
  return [executionStarted(executionId), callStarted('search'), callCompleted('search'), turnCompleted()].map((body) => turn.next(body));
}

export const executionCases: Readonly<Record<string, ContractBody>> = {
  'a run with a known execution_id continues, and repeated events have no effect': async (store, { startedAtMs }) => {
    const events = turnOfExecution('turn', 'one', startedAtMs);
    store.append(events.slice(0, 2));
    await store.flush();
    store.append(events.slice(0, 1));
    await store.flush();
    store.append([...events.slice(0, 3), ...events]);
    await store.flush();
    checkEqual(await store.readTurn('turn'), events, 'the turn differs from what was appended');
    checkEqual(
      (await store.listTurns()).map(({ state, events: count, calls }) => [state, count, calls]),
      [['completed', 4, 1]],
      'not one complete run',
    );
    checkEqual(store.status(), { ok: true, dropped: 0 }, 'a repeated event counts as dropped');
  },
  'another execution_id, the same one for another turn, or none, starts another run': async (store, { startedAtMs }) => {
    const [one, two] = [turnOfExecution('turn', 'one', startedAtMs), turnOfExecution('turn', 'two', startedAtMs + 1_000)];
    const [other, unnamed] = [turnOfExecution('other', 'one', startedAtMs + 2_000), completeTurn('turn', startedAtMs + 3_000)];
    store.append([...one, ...two, ...other, ...unnamed]);
    await store.flush();
    const listed = await store.listTurns();
    checkEqual(
      listed.map((turn) => [turn.turnId, turn.events]),
      [
        ['turn', 4],
        ['other', 4],
        ['turn', 4],
        ['turn', 4],
      ],
      'not four complete runs',
    );
    checkEqual(await store.readTurn('turn', listed[2]?.run), two, 'a run has events of another one');
  },
  'an older run continues by its execution_id while a newer one runs': async (store, { startedAtMs }) => {
    const [older, newer] = [turnOfExecution('turn', 'older', startedAtMs), turnOfExecution('turn', 'newer', startedAtMs + 1_000)];
    store.append(older.slice(0, 2));
    store.append(newer.slice(0, 3));
    await store.flush();
    store.append(older.slice(0, 1));
    store.append(completeTurn('between', startedAtMs + 500));
    store.append(older.slice(2, 3));
    await store.flush();
    store.append(older.slice(3));
    await store.flush();
    const [latest, , first] = await store.listTurns();
    checkEqual(await store.readTurn('turn', first?.run), older, 'the older run did not continue');
    checkEqual(await store.readTurn('turn'), newer.slice(0, 3), 'the newer run is not read, or has events of the older one');
    checkEqual([latest?.state, first?.state], ['running', 'completed'], 'not the older run has ended');
  },
};

/** Cases for durable stores. */
export const takeoverCases: Readonly<Record<string, ContractBody>> = {
  'an interrupted run is running again when another writer continues it': async (store, { startedAtMs, reopen }) => {
    const events = turnOfExecution('turn', 'one', startedAtMs);
    store.append(events.slice(0, 2));
    await store.close();
    const other = await reopen!(store);
    checkEqual((await other.listTurns())[0]?.state, 'interrupted', 'the turn of a closed store is not interrupted');
    other.append(events.slice(0, 2));
    await other.flush();
    checkEqual((await other.listTurns())[0]?.state, 'running', 'the continued turn is not running');
    other.append(events.slice(2));
    await other.flush();
    checkEqual(await other.readTurn('turn'), events, 'the turn is not complete');
    checkEqual(
      (await other.listTurns()).map(({ state, events: count }) => [state, count]),
      [['completed', 4]],
      'not one complete run',
    );
    checkEqual(other.status(), { ok: true, dropped: 0 }, 'a repeated event counts as dropped');
    await other.close();
  },
  'two concurrent writers of one run record one run': async (store, { startedAtMs, reopen }) => {
    const turns = Array.from({ length: 20 }, (_, n) => turnOfExecution(`turn-${String(n)}`, `run-${String(n)}`, startedAtMs + n));
    const other = await reopen!(store);
    for (const turn of turns) store.append(turn.slice(0, 3));
    for (const turn of turns.toReversed()) other.append(turn);
    await Promise.all([store.flush(), other.flush()]);
    checkEqual(
      (await store.listTurns()).map(({ state, events }) => [state, events]),
      turns.map(() => ['completed', 4]),
      'not one complete run each',
    );
    checkEqual(
      [store.status(), other.status()],
      [
        { ok: true, dropped: 0 },
        { ok: true, dropped: 0 },
      ],
      'a repeated event counts as dropped',
    );
    for (const [n, turn] of turns.entries()) checkEqual(await store.readTurn(`turn-${String(n)}`), turn, 'a turn is not complete');
    await other.close();
  },
  '`readAppended` returns later events of other writers once and in order, without those of this store': async (
    store,
    { startedAtMs, reopen },
  ) => {
    if (store.readAppended === undefined) return;
    const other = await reopen!(store);
    other.append(completeTurn('before', startedAtMs));
    await other.flush();
    let { cursor, events } = await store.readAppended(undefined);
    checkEqual(events, [], 'there are events without a cursor');
    const turn = turnScript('turn', startedAtMs);
    const sent = [executionStarted('one'), ...Array.from({ length: 60 }, (_, n) => toolProgress('search', String(n))), turnCompleted()].map(
      (body) => turn.next(body),
    );
    const seen: TraceEvent[] = [];
    for (let at = 0; at < sent.length; at += 20) {
      store.append(completeTurn(`local-${String(at)}`, startedAtMs));
      other.append(sent.slice(at, at + 20));
      await Promise.all([store.flush(), other.flush()]);
      for (let pages = 0; pages < 10; pages += 1) {
        ({ cursor, events } = await store.readAppended(cursor, 7));
        check(events.length <= 7, 'more events than the limit');
        seen.push(...events);
      }
    }
    checkEqual(seen, sent, 'the events differ from those of the other writer');
    checkEqual((await store.readAppended(cursor)).events, [], 'an event is returned twice');
    await other.close();
  },
};
