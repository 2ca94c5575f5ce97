/** How long `holdfast serve` takes to answer when its store is full: with and without episodic memory, on SQLite and on PostgreSQL. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, type TraceEvent, ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { postgresStore } from '@holdfast/store-postgres';
import { startPostgres } from '@holdfast/store-postgres/testing';
import { sqliteStore } from '@holdfast/store-sqlite';
import { serveIn } from '../gateway/program.ts';
import { loadNote } from '../report/machine.ts';
import type { Report, Target } from '../report/report.ts';
import { median } from '../timing/statistics.ts';
import type { Case } from './case.ts';

interface Effort {
  readonly rounds: number;
  readonly events: number;
}

const full: Effort = { rounds: 7, events: 1_000_000 };
const quick: Effort = { rounds: 2, events: 50_000 };
const wantedMs = 1_000;
/** After this many turns, waits until they are written. */
const stride = 500;

const profiles = ['spec', 'adaptive'] as const;
type Profile = (typeof profiles)[number];

/** Milliseconds from the start of the program until it listens. */
interface Figures {
  /** Without any entry of memory, as an earlier version left the store. */
  readonly first: number;
  readonly later: Readonly<Record<Profile, number[]>>;
}

export const start: Case = {
  name: 'start',
  page: 'START.md',
  async run({ quick: isQuick }) {
    const effort = isQuick ? quick : full;
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
    const server = await startPostgres();
    try {
      const places = [
        {
          name: 'SQLite',
          manifest: { store: { path: 'trace.db' } },
          open: () => sqliteStore({ path: join(folder, 'trace.db'), retentionDays: Infinity }),
        },
        { name: 'PostgreSQL', manifest: { store: '${env:DATABASE_URL}' }, open: () => postgresStore({ url: server.url }) },
      ];
      const figures = new Map<string, Figures>();
      for (const { name, manifest, open } of places) {
        await fill(open(), effort.events);
        figures.set(
          name,
          await startOften(effort, (profile) => startMs({ folder, manifest: { ...manifest, profile }, sources: isQuick, url: server.url })),
        );
      }
      return report(figures, effort);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Start {
  readonly folder: string;
  readonly manifest: object;
  readonly sources: boolean;
  /** Of the database. */
  readonly url: string;
}

async function startMs({ folder, manifest, sources, url }: Start): Promise<number> {
  const tools = [{ id: 'search', run: { command: { command: 'true' } } }];
  writeFileSync(join(folder, 'holdfast.json'), JSON.stringify({ version: 1, ...manifest, tools }));
  const before = performance.now();
  const program = await serveIn(folder, sources, { DATABASE_URL: url });
  const ms = performance.now() - before;
  // What was learned is written at the end.
  await program.stop();
  return ms;
}

async function startOften({ rounds }: Effort, startOnce: (profile: Profile) => Promise<number>): Promise<Figures> {
  await startOnce('spec');
  const figures: Figures = { first: await startOnce('adaptive'), later: { spec: [], adaptive: [] } };
  for (let round = 0; round < rounds; round += 1) for (const profile of profiles) figures.later[profile].push(await startOnce(profile));
  return figures;
}

/** Turns of ten calls, one of which fails twice, so that there is something to learn. */
async function fill(store: Store, wanted: number): Promise<void> {
  const sample = await sampleTurn();
  const from = Date.now();
  for (let turn = 0; turn * sample.length < wanted; turn += 1) {
    const turn_id = `turn-${String(turn)}`;
    store.append(sample.map((event) => ({ ...event, turn_id, timestamp: new Date(from + turn + event.elapsed_ms).toISOString() })));
    if (turn % stride === stride - 1) await store.flush();
  }
  await store.close();
  const { ok, problem, dropped } = store.status();
  if (dropped > 0) throw new Error(`The store lost events: ${String(dropped)}, ${String(ok)}, ${String(problem)}`);
}

async function sampleTurn(): Promise<readonly TraceEvent[]> {
  let attempts = 0;
  const search = defineTool({
    name: 'search',
    retry: { initialDelayMs: 1 },
    run: () => {
      attempts += 1;
      if (attempts <= 2) throw Object.assign(new Error('503 Service Unavailable'), { status: 503 });
      return attempts;
    },
  });
  const service = new ToolExecutionService({ tools: [search], seed: 'bench' });
  const calls = Array.from({ length: 10 }, (_, n) => ({ callId: `call-${String(n)}`, toolName: 'search' }));
  return (await service.executeTurn({ turnId: 'sample', concurrency: 1, calls })).trace;
}

function report(figures: ReadonlyMap<string, Figures>, { rounds, events }: Effort): Report {
  const rows = [...figures].map(([name, { first, later }]) => ({
    name,
    first,
    spec: median(later.spec),
    adaptive: median(later.adaptive),
  }));
  const targets: readonly Target[] = rows.map(({ name, spec, adaptive }) => ({
    wanted: `${name}: \`adaptive\` ≤ ${formatMs(wantedMs)} over \`spec\``,
    seen: formatMs(adaptive - spec),
    met: adaptive - spec <= wantedMs,
  }));
  return {
    name: 'start',
    title: 'Start on a full store',
    what:
      `\`holdfast serve\` as a program of its own on a store of ${events.toLocaleString('en')} events: the time from its start until it listens. \`spec\` restores circuits; \`adaptive\` restores ` +
      `episodic memory too. The first start under \`adaptive\` finds a store without entries of memory, as an earlier version left it, and reads its newest events. ` +
      `Medians of ${String(rounds)} starts of each, in turns.`,
    tables: [
      {
        columns: ['', 'spec', 'adaptive, first start', 'adaptive'],
        rows: rows.map(({ name, first, spec, adaptive }) => [name, ...[spec, first, adaptive].map(formatMs)]),
      },
    ],
    targets,
    notes: [loadNote()],
    figures: Object.fromEntries(figures),
  };
}

const formatMs = (ms: number): string => `${Math.round(ms).toLocaleString('en')} ms`;
