/**
 * Owns the cases of the store contract about listing turns and reading events.
 */
import { readAll, type ContractBody } from './store-contract-case.ts';
import { check, checkEqual } from './store-contract-check.ts';
import { callCompleted, callStarted, toolProgress, turnScript, turnStarted, completeTurn } from './store-contract-data.ts';

export const listCases: Readonly<Record<string, ContractBody>> = {
  'a summary has the state and the outcome of the turn': async (store, { startedAtMs }) => {
    const turn = turnScript('running', startedAtMs + 5_000);
    store.append([turn.next(turnStarted(['one', 'two'])), turn.next(callStarted('one'))]);
    store.append(completeTurn('done', startedAtMs, 'Completed flight search'));
    await store.flush();
    const [running, done] = await store.listTurns();
    checkEqual(
      running,
      { turnId: 'running', run: running?.run, startedAt: startedAtMs + 5_000, state: 'running', calls: 2, events: 2 },
      "a running turn's summary is wrong",
    );
    checkEqual(
      done,
      {
        turnId: 'done',
        run: done?.run,
        startedAt: startedAtMs,
        endedAt: startedAtMs + 30,
        state: 'completed',
        outcome: 'success',
        summary: 'Completed flight search',
        calls: 1,
        events: 4,
      },
      "a completed turn's summary is wrong",
    );
  },
  'turns are listed newest first, 50 by default, within since and before': async (store, { startedAtMs }) => {
    const order = Array.from({ length: 60 }, (_, n) => (n * 37) % 60);
    for (const n of order) store.append(completeTurn(`turn-${String(n)}`, startedAtMs + n * 100));
    await store.flush();
    const listed = await store.listTurns();
    checkEqual(
      listed.map((turn) => turn.startedAt),
      Array.from({ length: 50 }, (_, n) => startedAtMs + (59 - n) * 100),
      'not the 50 newest, newest first',
    );
    const window = await store.listTurns({ since: startedAtMs + 300, before: startedAtMs + 600 });
    checkEqual(
      window.map((turn) => turn.turnId),
      ['turn-5', 'turn-4', 'turn-3'],
      'since is excluded, or before is included',
    );
    checkEqual(await store.listTurns({ limit: 0 }), [], 'limit 0 lists turns');
  },
  'paging lists every turn once, even if many started in one millisecond': async (store, { startedAtMs }) => {
    for (let n = 0; n < 25; n += 1) store.append(completeTurn(`turn-${String(n)}`, startedAtMs + Math.floor(n / 10)));
    await store.flush();
    const seen: string[] = [];
    for (let page = await store.listTurns({ limit: 4 }); page.length > 0; page = await store.listTurns({ limit: 4, after: page.at(-1)! })) {
      seen.push(...page.map((turn) => turn.turnId));
      check(seen.length <= 25, 'paging does not end');
    }
    checkEqual(
      seen,
      Array.from({ length: 25 }, (_, n) => `turn-${String(24 - n)}`),
      'paging omits or repeats turns',
    );
  },
  'readEvents filters by time and type': async (store, { startedAtMs }) => {
    const turn = turnScript('turn', startedAtMs, 1);
    const events = [
      turnStarted(),
      ...Array.from({ length: 1_500 }, (_, n) => (n % 3 === 0 ? callCompleted(String(n)) : toolProgress(String(n), 'on'))),
    ].map((body) => turn.next(body));
    store.append(events);
    await store.flush();
    checkEqual(
      await readAll(store, { since: startedAtMs + 700, until: startedAtMs + 1_300 }),
      events.slice(700, 1_300),
      'since is excluded, or until is included',
    );
    const completed = events.filter((event) => event.event_type === 'CallCompleted');
    checkEqual(await readAll(store, { eventTypes: ['CallCompleted'] }), completed, 'the filter by type is wrong');
    checkEqual(await readAll(store, { eventTypes: [] }), [], 'an empty list of types returns events');
    checkEqual(await readAll(store, { since: startedAtMs + 9_999 }), [], 'there are events after the last one');
  },
  'readEvents looks only at the newest events': async (store, { startedAtMs }) => {
    const turn = turnScript('turn', startedAtMs, 1);
    const events = [
      turnStarted(),
      ...Array.from({ length: 2_999 }, (_, n) => (n % 3 === 0 ? callCompleted(String(n)) : callStarted(String(n)))),
    ].map((body) => turn.next(body));
    store.append(events);
    await store.flush();
    for (const newest of [2_100, 100, 1, 0, 5_000])
      checkEqual(
        await readAll(store, { newest }),
        newest === 0 ? [] : events.slice(-newest),
        `not the ${String(newest)} newest events, in their order`,
      );
    const selected = events.slice(-100).filter(({ event_type }) => event_type === 'CallCompleted');
    checkEqual(
      await readAll(store, { newest: 100, eventTypes: ['CallCompleted'] }),
      selected,
      'the filter selects among more than the newest',
    );
    checkEqual(await readAll(store, { newest: 100, until: startedAtMs + 2_000 }), [], 'the time selects among more than the newest');
  },
  'a reader may stop early': async (store, { startedAtMs }) => {
    for (let n = 0; n < 400; n += 1) store.append(completeTurn(`turn-${String(n)}`, startedAtMs));
    await store.flush();
    for await (const batch of store.readEvents()) {
      check(batch.length > 0, 'a batch is empty');
      break;
    }
    store.append(completeTurn('next', startedAtMs));
    await store.flush();
    checkEqual((await store.readTurn('next'))?.length, 4, 'the store is stuck after an unfinished read');
  },
};
