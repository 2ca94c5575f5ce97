/** Owns a server with workers behind a balancer, for tests in which some of them are lost. */
import { writeFileSync } from 'node:fs';
import { createTurnClient, registerDeployment, type TurnClient } from '@holdfast/durable';
import { startRestateServer, startTcpBalancer, type RestateServer, type RestateServerOptions } from '@holdfast/durable/testing';
import { newToolLog, readToolLog, type ToolLogEntry } from './tool-log.ts';
import { until } from './observe.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';
import type { WorkerProgramOptions } from './worker-program.ts';
import { addressesOf } from './addresses.ts';

/** A file that calls wait for: `until: gate.path`. */
interface Gate {
  readonly path: string;
  open(): void;
}

export interface Fleet {
  readonly server: RestateServer;
  readonly client: TurnClient;
  /** All workers ever started. */
  readonly everyone: readonly WorkerProcess[];
  toolLog(): readonly ToolLogEntry[];
  /** Starts a worker and adds it to the balancer. */
  start(options?: Partial<WorkerProgramOptions>): Promise<WorkerProcess>;
  /** A running worker, or a new one. */
  one(): Promise<WorkerProcess>;
  /** Makes Restate discover the services of the workers again. */
  register(): Promise<void>;
  /** Removes a worker from the balancer, as after a failed health check. */
  hide(worker: WorkerProcess): void;
  /** Kills one worker or all, and removes them from the balancer. */
  kill(...workers: readonly WorkerProcess[]): Promise<void>;
  gate(name: string): Gate;
  /** Waits for a recorded action. */
  seen(is: (entry: ToolLogEntry) => boolean, what: string): Promise<ToolLogEntry>;
  stop(): Promise<void>;
}

export const startFleet = async (options: RestateServerOptions = {}): Promise<Fleet> => {
  const server = await startRestateServer(options);
  const balancer = await startTcpBalancer();
  const path = newToolLog();
  const everyone: WorkerProcess[] = [];
  const alive = new Set<WorkerProcess>();
  const hidden = new Set<WorkerProcess>();
  let registered: Promise<void> | undefined;
  const register = async (): Promise<void> => {
    await registerDeployment({ adminUrl: server.adminUrl, url: balancer.url });
  };
  const share = (): void => balancer.use([...alive].map(({ port }) => port));
  const kill = async (...workers: readonly WorkerProcess[]): Promise<void> => {
    const victims = workers.length === 0 ? [...alive, ...hidden] : workers;
    for (const worker of victims) if (!alive.delete(worker)) hidden.delete(worker);
    share();
    await Promise.all(victims.map((worker) => worker.kill()));
  };
  const start = async (more: Partial<WorkerProgramOptions> = {}): Promise<WorkerProcess> => {
    const worker = await startWorker({ toolLog: path, ...more });
    everyone.push(worker);
    alive.add(worker);
    share();
    registered ??= register();
    await registered;
    return worker;
  };
  return {
    server,
    client: createTurnClient({ ...addressesOf(server), timeoutMs: 15_000 }),
    everyone,
    toolLog: () => readToolLog(path),
    start,
    one: async () => [...alive][0] ?? start(),
    register,
    hide: (worker) => {
      alive.delete(worker);
      hidden.add(worker);
      share();
    },
    kill,
    gate: (name) => {
      const gate = `${path}.${name}`;
      return { path: gate, open: () => writeFileSync(gate, '') };
    },
    seen: (is, what) => until(() => readToolLog(path).find(is), what),
    stop: async () => {
      await kill();
      await balancer.stop();
      await server.stop();
    },
  };
};
