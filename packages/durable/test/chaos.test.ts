import { createTurnClient, registerDeployment } from '@holdfast/durable';
import { startRestateServer, startTcpBalancer, type RestateServer, type TcpBalancer } from '@holdfast/durable/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attemptOf, newToolLog, readToolLog, type ToolLogEntry } from './support/tool-log.ts';
import { query, until } from './support/observe.ts';
import { outputsOf, sevenCalls, sevenOutputs } from './support/plans.ts';
import { startWorker, type WorkerProcess } from './support/worker-process.ts';
import { addressesOf } from './support/addresses.ts';

const TURNS = 40;
const KILLS = 6;
/** An attempt that ended this long before its worker was killed is certainly in the journal. */
const JOURNALED_MS = 1000;

let server: RestateServer;
let balancer: TcpBalancer;

beforeAll(async () => {
  // Few turns share a connection, so that both workers have some.
  server = await startRestateServer({ streamsPerConnection: 4 });
  balancer = await startTcpBalancer();
});

afterAll(async () => {
  await balancer.stop();
  await server.stop();
});

interface Killing {
  readonly pid: number;
  readonly at: number;
}

/** Attempts that were repeated although they had ended, and been journaled, before their worker was killed. */
const repeated = (toolLog: readonly ToolLogEntry[], killings: readonly Killing[]): readonly string[] => {
  const ends = toolLog.filter(({ phase }) => phase === 'end');
  return ends.flatMap((end) => {
    const again = toolLog.some((entry) => entry.phase === 'begin' && entry.at > end.at && attemptOf(entry) === attemptOf(end));
    const killed = killings.find(({ pid }) => pid === end.pid);
    return again && (killed === undefined || killed.at - end.at > JOURNALED_MS) ? [attemptOf(end)] : [];
  });
};

describe('kill -9 of workers', () => {
  test(
    '40 turns of 7 calls over 2 workers, 6 of them killed one after the other: 40 correct, no finished attempt is repeated',
    { timeout: 60_000 },
    async () => {
      const toolLog = newToolLog();
      const everyone: WorkerProcess[] = [];
      const start = async (): Promise<WorkerProcess> => {
        const worker = await startWorker({ toolLog });
        everyone.push(worker);
        return worker;
      };
      const workers = await Promise.all([start(), start()]);
      const share = (): void => balancer.use(workers.map(({ port }) => port));
      share();
      await registerDeployment({ adminUrl: server.adminUrl, url: balancer.url });
      const client = createTurnClient(addressesOf(server));
      const turns = Array.from({ length: TURNS }, (_, index) => client.run(sevenCalls(`turn-${index}`, 150)));

      const killings: Killing[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const replacement = start();
        const victim = workers[kill % 2];
        if (victim === undefined) throw new Error('no worker');
        // Killed during running work.
        await until(() => {
          const own = readToolLog(toolLog).filter(({ pid }) => pid === victim.pid);
          return (
            own.length >= 10 && own.filter(({ phase }) => phase === 'begin').length > own.filter(({ phase }) => phase === 'end').length
          );
        }, `the worker ${victim.pid} works`);
        await victim.kill();
        killings.push({ pid: victim.pid, at: Date.now() });
        workers[kill % 2] = await replacement;
        share();
      }

      const results = await Promise.all(turns);
      expect(results.map((result) => result.outcome)).toEqual(Array.from({ length: TURNS }, () => 'success'));
      for (const result of results) expect(outputsOf(result)).toEqual(sevenOutputs);
      const done = readToolLog(toolLog);
      expect(repeated(done, killings)).toEqual([]);
      // Running work was lost by the kills, and repeated.
      const begun = done.filter(({ phase }) => phase === 'begin').map(attemptOf);
      expect(begun.length).toBeGreaterThan(new Set(begun).size);
      const said = everyone.flatMap(({ logs }) => logs.map(({ message }) => message));
      expect(said.filter((message) => /mismatch|journal/i.test(message))).toEqual([]);
      const failures = await query(server.adminUrl, "SELECT id, status, last_failure FROM sys_invocation WHERE status <> 'completed'");
      expect(failures).toEqual([]);
      await Promise.all(workers.map((worker) => worker.kill()));
    },
  );
});
