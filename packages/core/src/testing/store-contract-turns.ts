/**
 * Owns the part of the store contract that is about turns and their events.
 */
import { readAll, type ContractBody } from './store-contract-case.ts';
import { check, checkEqual } from './store-contract-check.ts';
import { callStarted, lateResult, toolProgress, turnCompleted, turnScript, turnStarted, wholeTurn } from './store-contract-data.ts';

export const turnCases: Readonly<Record<string, ContractBody>> = {
  'an unknown turn is undefined, an empty store lists nothing': async (store) => {
    check((await store.readTurn('nobody')) === undefined, 'an unknown turn is not undefined');
    checkEqual(await store.listTurns(), [], 'an empty store lists turns');
    checkEqual(await readAll(store), [], 'an empty store has events');
    checkEqual(store.status(), { ok: true, dropped: 0 }, 'a fresh store is not ok');
  },
  'a turn comes back whole and in order, however it was cut into appends': async (store, { startedAtMs }) => {
    const turn = turnScript('turn', startedAtMs);
    const bodies = [
      turnStarted(),
      callStarted('search'),
      ...Array.from({ length: 997 }, (_, n) => toolProgress('search', String(n))),
      turnCompleted(),
    ];
    const events = bodies.map((body) => turn.next(body));
    for (let at = 0, size = 1; at < events.length; at += size, size = (size * 3) % 50) store.append(events.slice(at, at + size));
    store.append([]);
    await store.flush();
    checkEqual(await store.readTurn('turn'), events, 'the turn differs from what was appended');
    checkEqual(await readAll(store), events, 'readEvents differs from what was appended');
  },
  'interleaved turns are kept apart, and readEvents keeps the order of appending': async (store, { startedAtMs }) => {
    const turns = ['a', 'b', 'c'].map((id, n) => wholeTurn(id, startedAtMs + n));
    const mixed = [0, 1, 2, 3].flatMap((at) => turns.flatMap((turn) => turn.slice(at, at + 1)));
    for (const event of mixed) store.append([event]);
    await store.flush();
    for (const [n, id] of ['a', 'b', 'c'].entries()) checkEqual(await store.readTurn(id), turns[n], `turn ${id} differs`);
    checkEqual(await readAll(store), mixed, 'the order of appending is lost');
  },
  'an event appended twice is kept once, an event out of order finds its place': async (store, { startedAtMs }) => {
    const events = wholeTurn('turn', startedAtMs);
    const [first, second, third, fourth] = events;
    check(!!first && !!second && !!third && !!fourth, "the contract's own turn is short");
    store.append([first, third]);
    await store.flush();
    store.append([second, third, fourth]);
    await store.flush();
    checkEqual(await store.readTurn('turn'), events, 'the turn is not in the order of seq, or has an event twice');
    checkEqual((await store.listTurns())[0]?.events, 4, 'the summary counts an event twice');
  },
  'the same turn id again is a new run: the latest is read, the older is kept': async (store, { startedAtMs }) => {
    const [older, newer] = [wholeTurn('again', startedAtMs, 'first'), wholeTurn('again', startedAtMs + 1_000, 'second')];
    store.append(older);
    await store.flush();
    store.append(newer);
    await store.flush();
    checkEqual(await store.readTurn('again'), newer, 'the latest run is not what is read');
    const listed = await store.listTurns();
    checkEqual(
      listed.map((turn) => turn.summary),
      ['second', 'first'],
      'both runs are listed, newest first',
    );
    check(listed[0]!.run > listed[1]!.run, 'the later run has no higher number');
    checkEqual(await store.readTurn('again', listed[1]?.run), older, 'the older run cannot be read by its number');
    checkEqual(await store.readTurn('other', listed[1]?.run), undefined, "a run is read under another turn's id");
  },
  'two runs of one id in one append are two runs': async (store, { startedAtMs }) => {
    const [older, newer] = [wholeTurn('again', startedAtMs), wholeTurn('again', startedAtMs)];
    store.append([...older, ...newer]);
    await store.flush();
    checkEqual(
      (await store.listTurns()).map((turn) => turn.events),
      [4, 4],
      'not two whole runs',
    );
  },
  'a late event after the end of its turn is kept': async (store, { startedAtMs }) => {
    const turn = turnScript('late', startedAtMs);
    const events = [turnStarted(), turnCompleted(), lateResult('search')].map((body) => turn.next(body));
    store.append(events.slice(0, 2));
    await store.flush();
    store.append(events.slice(2));
    await store.flush();
    checkEqual(await store.readTurn('late'), events, 'the late event is missing');
    checkEqual((await store.listTurns())[0]?.state, 'completed', 'a late event reopened its turn');
  },
  'an event of a turn whose head is unknown is kept or counted': async (store, { startedAtMs }) => {
    const turn = turnScript('headless', startedAtMs);
    turn.next(turnStarted());
    const second = turn.next(callStarted('search'));
    store.append([second]);
    await store.flush();
    const kept = await store.readTurn('headless');
    if (kept === undefined) checkEqual(store.status().dropped, 1, 'an event was lost silently');
    else checkEqual(kept, [second], 'a headless turn differs');
  },
  'a closed store says so, counts what it is given, and never throws': async (store, { startedAtMs }) => {
    store.append(wholeTurn('before', startedAtMs));
    await store.close();
    await store.close();
    store.append(wholeTurn('after', startedAtMs));
    store.saveCircuits(new Map());
    await store.flush();
    const { ok, dropped, problem } = store.status();
    check(!ok && (problem ?? '') !== '', 'a closed store does not say so');
    checkEqual(dropped, 4, 'events given to a closed store are not counted');
    check((await store.readTurn('after')) === undefined, 'a closed store still keeps');
    await store.listTurns();
    await store.loadCircuits();
    await readAll(store);
  },
};
