/**
 * Owns the part of the store contract that only stores keep which outlast their process.
 */
import type { ContractBody } from './store-contract-case.ts';
import { checkEqual } from './store-contract-check.ts';
import { callStarted, turnScript, turnStarted, wholeTurn } from './store-contract-data.ts';

export const durableCases: Readonly<Record<string, ContractBody>> = {
  'after flush another process reads everything, and sees that the turn runs': async (store, { startedAtMs, reopen }) => {
    const turn = turnScript('turn', startedAtMs);
    const events = [turn.next(turnStarted()), turn.next(callStarted('search'))];
    store.append(events);
    await store.flush();
    const other = await reopen!(store);
    checkEqual(await other.readTurn('turn'), events, 'another process reads something else');
    checkEqual((await other.listTurns())[0]?.state, 'running', 'another process does not see that the turn runs');
    await store.close();
    const [summary] = await other.listTurns();
    checkEqual([summary?.state, summary?.endedAt], ['interrupted', undefined], 'a turn whose store was closed is not interrupted');
    await other.close();
  },
  'close keeps what was appended, and a new run continues behind the old': async (store, { startedAtMs, reopen }) => {
    store.append(wholeTurn('again', startedAtMs, 'first'));
    await store.close();
    const other = await reopen!(store);
    other.append(wholeTurn('again', startedAtMs + 1, 'second'));
    await other.flush();
    checkEqual(
      (await other.listTurns()).map((turn) => turn.summary),
      ['second', 'first'],
      'not both runs after reopening',
    );
    await other.close();
  },
};
