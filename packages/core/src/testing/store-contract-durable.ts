/**
 * Owns the cases of the store contract for durable stores.
 */
import type { ContractBody } from './store-contract-case.ts';
import { checkEqual } from './store-contract-check.ts';
import { callStarted, turnScript, turnStarted, completeTurn } from './store-contract-data.ts';

export const durableCases: Readonly<Record<string, ContractBody>> = {
  'after flush another process reads all events, and lists the turn as running': async (store, { startedAtMs, reopen }) => {
    const turn = turnScript('turn', startedAtMs);
    const events = [turn.next(turnStarted()), turn.next(callStarted('search'))];
    store.append(events);
    await store.flush();
    const other = await reopen!(store);
    checkEqual(await other.readTurn('turn'), events, 'another process reads different events');
    checkEqual((await other.listTurns())[0]?.state, 'running', 'another process does not list the turn as running');
    await store.close();
    const [summary] = await other.listTurns();
    checkEqual([summary?.state, summary?.endedAt], ['interrupted', undefined], 'the turn of a closed store is not interrupted');
    await other.close();
  },
  'close writes all appended events, and a new run does not replace the earlier one': async (store, { startedAtMs, reopen }) => {
    store.append(completeTurn('again', startedAtMs, 'first'));
    await store.close();
    const other = await reopen!(store);
    other.append(completeTurn('again', startedAtMs + 1, 'second'));
    await other.flush();
    checkEqual(
      (await other.listTurns()).map((turn) => turn.summary),
      ['second', 'first'],
      'both runs are not there after reopening',
    );
    await other.close();
  },
};
