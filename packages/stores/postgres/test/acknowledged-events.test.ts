import fc from 'fast-check';
import { expect, test } from 'vitest';
import { postgresStore } from '../src/index.ts';
import { startProxy } from './support/proxy.ts';
import { freshSchema, useServer } from './support/server.ts';
import { sql } from './support/sql.ts';
import { turnEvents } from './support/turns.ts';
import { until } from './support/until.ts';

const { server } = useServer();

/** What may happen to a store that writes. */
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('append' as const), turns: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 3, arbitrary: fc.constant({ type: 'flush' as const }) },
  { weight: 2, arbitrary: fc.constant({ type: 'lose commits' as const }) },
  { weight: 2, arbitrary: fc.constant({ type: 'end sessions' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'open again' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'kill the server' as const }) },
);

test('whatever happens in between: acknowledged events are stored, and none twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 12 }), async (actions) => {
      const schema = freshSchema();
      const proxy = await startProxy(server().port);
      const url = server().url.replace(/:\d+\//, `:${String(proxy.port)}/`);
      const open = (): ReturnType<typeof postgresStore> =>
        postgresStore({ url, schema, batchSize: 20, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000 });
      let store = open();
      let waiting: string[] = [];
      const acknowledged: string[] = [];
      const sent: string[] = [];
      const noteFlushed = (): void => {
        if (!store.status().ok) return;
        acknowledged.push(...waiting);
        waiting = [];
      };
      for (const { type, ...rest } of actions) {
        if (type === 'append' && 'turns' in rest) {
          for (let n = 0; n < rest.turns; n += 1) {
            const id = `turn-${String(sent.length)}`;
            store.append(turnEvents(id, Date.now(), n % 4));
            sent.push(id);
            waiting.push(id);
          }
        } else if (type === 'flush') {
          await store.flush();
          noteFlushed();
        } else if (type === 'lose commits') proxy.loseCommits(2);
        else if (type === 'end sessions') {
          await sql(server().url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'`);
        } else if (type === 'kill the server') {
          await server().kill();
          await server().restart();
        } else {
          await store.close();
          // What a closed store could not write, it counts.
          if (store.status().dropped === 0) acknowledged.push(...waiting);
          waiting = [];
          store = open();
        }
      }
      proxy.loseCommits(0);
      await until(async () => {
        await store.flush();
        return store.status().ok;
      });
      noteFlushed();
      const turns = await store.listTurns({ limit: 10_000 });
      const kept = turns.map((turn) => turn.turnId).toSorted();
      expect(kept).toEqual([...new Set(kept)]);
      expect(acknowledged.filter((id) => !kept.includes(id))).toEqual([]);
      const seen: string[] = [];
      for await (const events of store.readEvents()) seen.push(...events.map((event) => `${event.turn_id} ${String(event.seq)}`));
      expect(seen.toSorted()).toEqual([...new Set(seen)].toSorted());
      const expected = acknowledged.flatMap((id) =>
        turnEvents(id, 0, 0)
          .slice(0, 2)
          .map(({ seq }) => `${id} ${String(seq)}`),
      );
      expect(expected.filter((one) => !seen.includes(one))).toEqual([]);
      expect(turns.filter((turn) => acknowledged.includes(turn.turnId) && turn.state !== 'completed')).toEqual([]);
      await store.close();
    }),
    { numRuns: 5 },
  );
});
