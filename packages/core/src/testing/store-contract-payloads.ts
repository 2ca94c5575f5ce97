/**
 * Owns the cases of the store contract about unusual, large and unserializable data.
 */
import type { ContractBody } from './store-contract-case.ts';
import { check, checkEqual } from './store-contract-check.ts';
import { toolSucceeded, turnCompleted, turnScript, turnStarted, completeTurn } from './store-contract-data.ts';

export const payloadCases: Readonly<Record<string, ContractBody>> = {
  'unusual texts and payloads are read as written': async (store, { startedAtMs }) => {
    let nested: unknown = 'bottom';
    for (let depth = 0; depth < 500; depth += 1) nested = depth % 2 === 0 ? [nested] : { nested };
    const outputs = [
      'ünïcödé 🛫 \u202E right to left',
      '\uD800 lone \uDFFF',
      'nul \u0000 nul',
      "'; DROP TABLE turns; --",
      'x'.repeat(3_000_000),
      nested,
      { '': 1, constructor: 'a', 'a.b': [null, true, 1e300, -0.5, 9_007_199_254_740_991] },
      [],
      {},
      null,
      '',
    ];
    const turn = turnScript('unusual', startedAtMs);
    const events = [turnStarted(), ...outputs.map((output) => toolSucceeded('search', output))].map((body) => turn.next(body));
    store.append(events);
    await store.flush();
    checkEqual(await store.readTurn('unusual'), events, 'a payload was changed');
  },
  'unusual turn ids and summaries stay distinct and are read as written': async (store, { startedAtMs }) => {
    const ids = [
      '',
      ' ',
      '🛫',
      '\uD800',
      '\uD801',
      'a\u0000b',
      'a',
      'a\u0000c',
      'A',
      'é',
      'e\u0301',
      '%',
      '_',
      'x'.repeat(10_000),
      '__proto__',
      '\u0001"a"',
    ];
    for (const id of ids) store.append(completeTurn(id, startedAtMs, id));
    await store.flush();
    for (const id of ids) checkEqual(await store.readTurn(id), completeTurn(id, startedAtMs, id), `turn ${JSON.stringify(id)} differs`);
    const listed = await store.listTurns({ limit: 100 });
    checkEqual(listed.map((turn) => turn.turnId).toReversed(), ids, 'the listed ids differ');
    checkEqual(listed.map((turn) => turn.summary).toReversed(), ids, 'the listed summaries differ');
  },
  'an unserializable event is stored or counted as dropped, never thrown, and affects no other event': async (store, { startedAtMs }) => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const hostile = {
      get boom(): never {
        throw new Error('unreadable');
      },
    };
    const turn = turnScript('hostile', startedAtMs);
    const events = [turnStarted(), toolSucceeded('a', circular), toolSucceeded('b', 1n), toolSucceeded('c', hostile), turnCompleted()].map(
      (body) => turn.next(body),
    );
    store.append(events);
    await store.flush();
    const stored = (await store.readTurn('hostile')) ?? [];
    checkEqual(stored.length + store.status().dropped, events.length, 'an event was lost silently');
    check(stored.at(-1)?.event_type === 'TurnCompleted', 'an unserializable event affected another one');
    check(store.status().ok, 'an unserializable event broke the store');
  },
};
