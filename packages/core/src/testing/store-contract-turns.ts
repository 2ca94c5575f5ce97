/**
 * Owns the cases of the store contract about turns and their events.
 */
import { readAll, type ContractBody } from './store-contract-case.ts';
import { check, checkEqual } from './store-contract-check.ts';
import { callStarted, lateResult, toolProgress, turnCompleted, turnScript, turnStarted, completeTurn } from './store-contract-data.ts';

export const turnCases: Readonly<Record<string, ContractBody>> = {
  'an unknown turn is undefined, and an empty store lists no turns': async (store) => {
    check((await store.readTurn('unknown')) === undefined, 'an unknown turn is not undefined');
    checkEqual(await store.listTurns(), [], 'an empty store lists turns');
    checkEqual(await readAll(store), [], 'an empty store has events');
    checkEqual(store.status(), { ok: true, dropped: 0 }, 'a fresh store is not ok');
  },
  'a turn is read completely and in order, however it was split into appends': async (store, { startedAtMs }) => {
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
  'interleaved turns stay separate, and readEvents keeps the order of appending': async (store, { startedAtMs }) => {
    const turns = ['a', 'b', 'c'].map((id, n) => completeTurn(id, startedAtMs + n));
    const mixed = [0, 1, 2, 3].flatMap((at) => turns.flatMap((turn) => turn.slice(at, at + 1)));
    for (const event of mixed) store.append([event]);
    await store.flush();
    for (const [n, id] of ['a', 'b', 'c'].entries()) checkEqual(await store.readTurn(id), turns[n], `turn ${id} differs`);
    checkEqual(await readAll(store), mixed, 'the order of appending is lost');
  },
  'a duplicate event is stored once, and an event out of order is sorted by seq': async (store, { startedAtMs }) => {
    const events = completeTurn('turn', startedAtMs);
    const [first, second, third, fourth] = events;
    check(!!first && !!second && !!third && !!fourth, "the contract's test turn is incomplete");
    store.append([first, third]);
    await store.flush();
    store.append([second, third, fourth]);
    await store.flush();
    checkEqual(await store.readTurn('turn'), events, 'the turn is not in the order of seq, or has an event twice');
    checkEqual((await store.listTurns())[0]?.events, 4, 'the summary counts an event twice');
  },
  'a repeated turn id starts a new run: the latest one is read by default, the older one stays readable': async (
    store,
    { startedAtMs },
  ) => {
    const [older, newer] = [completeTurn('again', startedAtMs, 'first'), completeTurn('again', startedAtMs + 1_000, 'second')];
    store.append(older);
    await store.flush();
    store.append(newer);
    await store.flush();
    checkEqual(await store.readTurn('again'), newer, 'the latest run is not read');
    const listed = await store.listTurns();
    checkEqual(
      listed.map((turn) => turn.summary),
      ['second', 'first'],
      'not both runs, newest first',
    );
    check(listed[0]!.run > listed[1]!.run, 'the later run does not have the higher number');
    checkEqual(await store.readTurn('again', listed[1]?.run), older, 'the older run cannot be read by its number');
    checkEqual(await store.readTurn('other', listed[1]?.run), undefined, "a run is read under another turn's id");
  },
  'two runs of one id in one append are two runs': async (store, { startedAtMs }) => {
    const [older, newer] = [completeTurn('again', startedAtMs), completeTurn('again', startedAtMs)];
    store.append([...older, ...newer]);
    await store.flush();
    checkEqual(
      (await store.listTurns()).map((turn) => turn.events),
      [4, 4],
      'not two complete runs',
    );
  },
  'a late event after the end of its turn is stored': async (store, { startedAtMs }) => {
    const turn = turnScript('late', startedAtMs);
    const events = [turnStarted(), turnCompleted(), lateResult('search')].map((body) => turn.next(body));
    store.append(events.slice(0, 2));
    await store.flush();
    store.append(events.slice(2));
    await store.flush();
    checkEqual(await store.readTurn('late'), events, 'the late event is missing');
    checkEqual((await store.listTurns())[0]?.state, 'completed', 'a late event reopened its turn');
  },
  'an event of a turn without a first event is stored or counted as dropped': async (store, { startedAtMs }) => {
    const turn = turnScript('headless', startedAtMs);
    turn.next(turnStarted());
    const second = turn.next(callStarted('search'));
    store.append([second]);
    await store.flush();
    const stored = await store.readTurn('headless');
    if (stored === undefined) checkEqual(store.status().dropped, 1, 'an event was lost silently');
    else checkEqual(stored, [second], 'a headless turn differs');
  },
  'a closed store reports it, counts later events as dropped, and never throws': async (store, { startedAtMs }) => {
    store.append(completeTurn('before', startedAtMs));
    await store.close();
    await store.close();
    store.append(completeTurn('after', startedAtMs));
    store.saveCircuits(new Map());
    await store.flush();
    const { ok, dropped, problem } = store.status();
    check(!ok && (problem ?? '') !== '', 'a closed store does not report it');
    checkEqual(dropped, 4, 'events after close are not counted as dropped');
    check((await store.readTurn('after')) === undefined, 'a closed store still stores events');
    await store.listTurns();
    await store.loadCircuits();
    await readAll(store);
  },
};
