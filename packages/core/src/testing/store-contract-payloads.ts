/**
 * Owns the part of the store contract that is about odd, huge and unstorable data.
 */
import type { ContractBody } from './store-contract-case.ts';
import { check, checkEqual } from './store-contract-check.ts';
import { toolSucceeded, turnCompleted, turnScript, turnStarted, wholeTurn } from './store-contract-data.ts';

export const payloadCases: Readonly<Record<string, ContractBody>> = {
  'odd texts and payloads come back as they went in': async (store, { startedAtMs }) => {
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
    const turn = turnScript('odd', startedAtMs);
    const events = [turnStarted(), ...outputs.map((output) => toolSucceeded('search', output))].map((body) => turn.next(body));
    store.append(events);
    await store.flush();
    checkEqual(await store.readTurn('odd'), events, 'a payload was changed');
  },
  'odd turn ids and summaries stay apart and come back as they went in': async (store, { startedAtMs }) => {
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
    for (const id of ids) store.append(wholeTurn(id, startedAtMs, id));
    await store.flush();
    for (const id of ids) checkEqual(await store.readTurn(id), wholeTurn(id, startedAtMs, id), `turn ${JSON.stringify(id)} differs`);
    const listed = await store.listTurns({ limit: 100 });
    checkEqual(listed.map((turn) => turn.turnId).toReversed(), ids, 'the listed ids differ');
    checkEqual(listed.map((turn) => turn.summary).toReversed(), ids, 'the listed summaries differ');
  },
  'what cannot be stored is kept or counted, never thrown, and takes nothing with it': async (store, { startedAtMs }) => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const hostile = {
      get boom(): never {
        throw new Error('read me not');
      },
    };
    const turn = turnScript('hostile', startedAtMs);
    const events = [turnStarted(), toolSucceeded('a', circular), toolSucceeded('b', 1n), toolSucceeded('c', hostile), turnCompleted()].map(
      (body) => turn.next(body),
    );
    store.append(events);
    await store.flush();
    const kept = (await store.readTurn('hostile')) ?? [];
    checkEqual(kept.length + store.status().dropped, events.length, 'an event was lost silently');
    check(kept.at(-1)?.event_type === 'TurnCompleted', 'an event that cannot be stored took others with it');
    check(store.status().ok, 'an event that cannot be stored broke the store');
  },
};
