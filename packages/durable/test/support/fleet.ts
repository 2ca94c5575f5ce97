/** Owns a server with workers behind a balancer, for the tests of what happens when some of it is lost. */
import { writeFileSync } from 'node:fs';
import { createTurnClient, registerDeployment, type TurnClient } from '@holdfast/durable';
import { startRestateServer, startTcpBalancer, type RestateServer, type RestateServerOptions } from '@holdfast/durable/testing';
import { freshDeeds, readDeeds, type Deed } from './deeds.ts';
import { until } from './observe.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';
import type { WorkerProgramOptions } from './worker-program.ts';
import { addressesOf } from './addresses.ts';

/** What calls wait for: `until: gate.path`. */
interface Gate {
  readonly path: string;
  open(): void;
}

export interface Fleet {
  readonly server: RestateServer;
  readonly client: TurnClient;
  /** All that ever were. */
  readonly everyone: readonly WorkerProcess[];
  deeds(): readonly Deed[];
  /** Starts a worker and puts it behind the balancer. */
  start(options?: Partial<WorkerProgramOptions>): Promise<WorkerProcess>;
  /** A worker that is there, or a new one. */
  one(): Promise<WorkerProcess>;
  /** Has Restate read anew what the workers offer. */
  register(): Promise<void>;
  /** Takes a worker out of the balancer, as one does whose health check fails. */
  hide(worker: WorkerProcess): void;
  /** Kills a worker, or all; the balancer knows them no longer. */
  kill(...workers: readonly WorkerProcess[]): Promise<void>;
  gate(name: string): Gate;
  /** Waits for a deed. */
  seen(is: (deed: Deed) => boolean, what: string): Promise<Deed>;
  stop(): Promise<void>;
}

export const startFleet = async (options: RestateServerOptions = {}): Promise<Fleet> => {
  const server = await startRestateServer(options);
  const balancer = await startTcpBalancer();
  const path = freshDeeds();
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
    const worker = await startWorker({ deeds: path, ...more });
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
    deeds: () => readDeeds(path),
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
    seen: (is, what) => until(() => readDeeds(path).find(is), what),
    stop: async () => {
      await kill();
      await balancer.stop();
      await server.stop();
    },
  };
};
