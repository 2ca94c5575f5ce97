/** Owns the environment of the turns: one Restate server, and for each of the two implementations its workers behind a balancer. */
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ref, type TurnPlan } from '@holdfast/core';
import { registerDeployment } from '@holdfast/durable';
import { startRestateServer, startTcpBalancer, type RestateServer } from '@holdfast/durable/testing';

export type Kind = 'holdfast' | 'by-hand';

export interface TurnsOf {
  readonly kind: Kind;
  /** Submits a turn and waits for its result. */
  turn(): Promise<void>;
  /** Sets the number of workers. */
  workers(count: number): Promise<void>;
  /** Of the first worker. */
  residentMb(): number;
}

export interface DurableSetup {
  readonly server: RestateServer;
  readonly entrants: readonly TurnsOf[];
  stop(): Promise<void>;
}

const plan: TurnPlan = {
  calls: [
    { callId: 'search', toolName: 'search' },
    { callId: 'prices', toolName: 'prices', arguments: { flights: ref('search') } },
    { callId: 'seats', toolName: 'seats', arguments: { flights: ref('search') } },
    { callId: 'itinerary', toolName: 'itinerary', arguments: { prices: ref('prices'), seats: ref('seats') } },
  ],
};

const bodies: Readonly<Record<Kind, () => string>> = {
  holdfast: () => JSON.stringify({ plan, executionId: randomUUID() }),
  'by-hand': () => '{}',
};
const HOUR_MS = 3_600_000;

/** @param keepsJournals Finished turns can be inspected. */
export async function startDurableSetup(keepsJournals: boolean): Promise<DurableSetup> {
  // A balancer of connections distributes work only if there is a connection for every few turns.
  const server = await startRestateServer({ streamsPerConnection: 4 });
  const stops: (() => Promise<void>)[] = [() => server.stop()];
  const entrants: TurnsOf[] = [];
  for (const kind of ['holdfast', 'by-hand'] as const) {
    const { entrant, stop } = await startEntrant(kind, server, keepsJournals ? HOUR_MS : 0);
    entrants.push(entrant);
    stops.unshift(stop);
  }
  return {
    server,
    entrants,
    async stop() {
      for (const stop of stops) await stop();
    },
  };
}

interface Started {
  readonly entrant: TurnsOf;
  readonly stop: () => Promise<void>;
}

async function startEntrant(kind: Kind, server: RestateServer, journalRetentionMs: number): Promise<Started> {
  const name = `turn-${kind}`;
  const start = (): Promise<Worker> => startWorker([kind, name, String(journalRetentionMs)]);
  const started: Worker[] = [await start()];
  const balancer = await startTcpBalancer([portOf(started[0])]);
  await registerDeployment({ adminUrl: server.adminUrl, url: balancer.url });
  return {
    entrant: {
      kind,
      async turn() {
        const turnId = randomUUID();
        const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: bodies[kind]() };
        await readAnswer(fetch(`${server.ingressUrl}/${name}/${turnId}/run/send`, options));
        const result = await readAnswer(fetch(`${server.ingressUrl}/restate/workflow/${name}/${turnId}/attach`));
        if (!result.includes('"LH 404"')) throw new Error(`Not the turn's result: ${result.slice(0, 500)}`);
      },
      async workers(count) {
        while (started.length < count) started.push(await start());
        balancer.use(started.slice(0, count).map(portOf));
      },
      residentMb: () => residentMb(started[0]?.child.pid),
    },
    async stop() {
      await balancer.stop();
      for (const { child } of started) child.kill('SIGKILL');
    },
  };
}

interface Worker {
  readonly child: ChildProcess;
  readonly port: number;
}

const portOf = (worker: Worker | undefined): number => worker?.port ?? 0;

async function startWorker(words: readonly string[]): Promise<Worker> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), [...words], { env: { ...process.env, RESTATE_LOGGING: 'ERROR' } });
  const [port] = (await once(child, 'message')) as [number];
  return { child, port };
}

async function readAnswer(request: Promise<Response>): Promise<string> {
  const response = await request;
  const text = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

export function residentMb(pid: number | undefined): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

export interface JournalSize {
  readonly entries: number;
  readonly bytes: number;
}

/** The size of a turn's journal, as reported by the server. */
export async function journalPerTurn({ adminUrl }: RestateServer, kind: Kind): Promise<JournalSize> {
  const query = `SELECT count(DISTINCT j.id) AS turns, count(*) AS entries, sum(j.raw_length) AS bytes FROM sys_journal j JOIN sys_invocation i ON i.id = j.id WHERE i.target_service_name = 'turn-${kind}'`;
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const text = await readAnswer(fetch(`${adminUrl}/query`, { method: 'POST', headers, body: JSON.stringify({ query }) }));
  const { rows } = JSON.parse(text) as { readonly rows: readonly Readonly<Record<'turns' | 'entries' | 'bytes', number>>[] };
  const { turns = 0, entries = 0, bytes = 0 } = rows[0] ?? {};
  return { entries: entries / turns, bytes: bytes / turns };
}
