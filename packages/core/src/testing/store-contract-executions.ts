/**
 * Owns the part of the store contract that is about runs which several processes tell of, one after the other.
 */
import type { TraceEvent } from '../engine/trace/events.ts';
import type { ContractBody } from './store-contract-case.ts';
import { check, checkEqual } from './store-contract-check.ts';
import { callCompleted, callStarted, executionStarted, toolProgress, turnCompleted, turnScript, wholeTurn } from './store-contract-data.ts';

/** A whole turn of a named run. */
function executed(turnId: string, executionId: string, startedAt: number): readonly TraceEvent[] {
  const turn = turnScript(turnId, startedAt);
  return [executionStarted(executionId), callStarted('search'), callCompleted('search'), turnCompleted()].map((body) => turn.next(body));
}

export const executionCases: Readonly<Record<string, ContractBody>> = {
  'a run that is known by its execution_id continues, and what is known changes nothing': async (store, { startedAtMs }) => {
    const events = executed('turn', 'one', startedAtMs);
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
      'not one whole run',
    );
    checkEqual(store.status(), { ok: true, dropped: 0 }, 'a repetition counts as a loss');
  },
  'another execution_id, the same of another turn, or none, is another run': async (store, { startedAtMs }) => {
    const [one, two] = [executed('turn', 'one', startedAtMs), executed('turn', 'two', startedAtMs + 1_000)];
    const [other, unnamed] = [executed('other', 'one', startedAtMs + 2_000), wholeTurn('turn', startedAtMs + 3_000)];
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
      'not four whole runs',
    );
    checkEqual(await store.readTurn('turn', listed[2]?.run), two, 'a run holds what belongs to another');
  },
  'an older run continues by its execution_id, beside a newer one': async (store, { startedAtMs }) => {
    const [older, newer] = [executed('turn', 'older', startedAtMs), executed('turn', 'newer', startedAtMs + 1_000)];
    store.append(older.slice(0, 2));
    store.append(newer.slice(0, 3));
    await store.flush();
    store.append(older.slice(0, 1));
    store.append(wholeTurn('between', startedAtMs + 500));
    store.append(older.slice(2, 3));
    await store.flush();
    store.append(older.slice(3));
    await store.flush();
    const [latest, , first] = await store.listTurns();
    checkEqual(await store.readTurn('turn', first?.run), older, 'the older run did not continue');
    checkEqual(await store.readTurn('turn'), newer.slice(0, 3), 'the newer run is not what is read, or holds what belongs to the older');
    checkEqual([latest?.state, first?.state], ['running', 'completed'], 'the wrong run has ended');
  },
};

/** For stores that outlast their process. */
export const takeoverCases: Readonly<Record<string, ContractBody>> = {
  'a run that its writer left is running again when another writer continues with it': async (store, { startedAtMs, reopen }) => {
    const events = executed('turn', 'one', startedAtMs);
    store.append(events.slice(0, 2));
    await store.close();
    const other = await reopen!(store);
    checkEqual((await other.listTurns())[0]?.state, 'interrupted', 'a turn whose store was closed is not interrupted');
    other.append(events.slice(0, 2));
    await other.flush();
    checkEqual((await other.listTurns())[0]?.state, 'running', 'a turn that was taken over is not running');
    other.append(events.slice(2));
    await other.flush();
    checkEqual(await other.readTurn('turn'), events, 'the turn is not whole');
    checkEqual(
      (await other.listTurns()).map(({ state, events: count }) => [state, count]),
      [['completed', 4]],
      'not one whole run',
    );
    checkEqual(other.status(), { ok: true, dropped: 0 }, 'a repetition counts as a loss');
    await other.close();
  },
  'two writers that tell of one run at the same time tell of one run': async (store, { startedAtMs, reopen }) => {
    const turns = Array.from({ length: 20 }, (_, n) => executed(`turn-${String(n)}`, `run-${String(n)}`, startedAtMs + n));
    const other = await reopen!(store);
    for (const turn of turns) store.append(turn.slice(0, 3));
    for (const turn of turns.toReversed()) other.append(turn);
    await Promise.all([store.flush(), other.flush()]);
    checkEqual(
      (await store.listTurns()).map(({ state, events }) => [state, events]),
      turns.map(() => ['completed', 4]),
      'not one whole run each',
    );
    checkEqual(
      [store.status(), other.status()],
      [
        { ok: true, dropped: 0 },
        { ok: true, dropped: 0 },
      ],
      'a repetition counts as a loss',
    );
    for (const [n, turn] of turns.entries()) checkEqual(await store.readTurn(`turn-${String(n)}`), turn, 'a turn is not whole');
    await other.close();
  },
  'what others appended is read once, from the present on, in order, without what this store appended': async (
    store,
    { startedAtMs, reopen },
  ) => {
    if (store.readAppended === undefined) return;
    const other = await reopen!(store);
    other.append(wholeTurn('before', startedAtMs));
    await other.flush();
    let { cursor, events } = await store.readAppended(undefined);
    checkEqual(events, [], 'without a cursor there are events');
    const turn = turnScript('turn', startedAtMs);
    const sent = [executionStarted('one'), ...Array.from({ length: 60 }, (_, n) => toolProgress('search', String(n))), turnCompleted()].map(
      (body) => turn.next(body),
    );
    const seen: TraceEvent[] = [];
    for (let at = 0; at < sent.length; at += 20) {
      store.append(wholeTurn(`own-${String(at)}`, startedAtMs));
      other.append(sent.slice(at, at + 20));
      await Promise.all([store.flush(), other.flush()]);
      for (let pages = 0; pages < 10; pages += 1) {
        ({ cursor, events } = await store.readAppended(cursor, 7));
        check(events.length <= 7, 'more events than the limit');
        seen.push(...events);
      }
    }
    checkEqual(seen, sent, 'not what the other appended, once and in order');
    checkEqual((await store.readAppended(cursor)).events, [], 'an event comes twice');
    await other.close();
  },
};
