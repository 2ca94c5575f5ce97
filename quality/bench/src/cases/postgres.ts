/** The trace in PostgreSQL: how fast it is written, what it costs the caller, and the space it takes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TraceEvent } from '@holdfast/core';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { postgresStore, type PostgresStore } from '@holdfast/store-postgres';
import { startPostgres } from '@holdfast/store-postgres/testing';
import { loadNote } from '../report/machine.ts';
import type { Report, Target } from '../report/report.ts';
import { median, quantile } from '../timing/statistics.ts';
import type { Case } from './case.ts';

interface Effort {
  readonly rounds: number;
  /** Turns per round. */
  readonly turns: number;
}

const full: Effort = { rounds: 9, turns: 5_000 };
const quick: Effort = { rounds: 2, turns: 1_000 };
const wantedPerSecond = 20_000;
/** After this many turns, waits until everything so far is written, while further turns are appended. */
const stride = 500;

interface Rounds {
  readonly perSecond: number[];
  /** Nanoseconds per event that the caller spends. */
  readonly append: number[];
}

export const postgres: Case = {
  name: 'postgres',
  page: 'POSTGRES.md',
  async run({ quick: isQuick }) {
    const effort = isQuick ? quick : full;
    const server = await startPostgres();
    const sample = await sampleTurn();
    try {
      const writers = [
        { name: 'one process', count: 1 },
        { name: 'three processes', count: 3 },
      ] as const;
      const figures = new Map<string, Rounds>(writers.map(({ name }) => [name, { perSecond: [], append: [] }]));
      const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(server.url)));
      let next = 0;
      const write = async (store: PostgresStore, turns: number, rounds: Rounds | undefined): Promise<void> => {
        let written: Promise<void> = Promise.resolve();
        for (let turn = 0; turn < turns; turn += 1) {
          const events = copyOf(sample, (next += 1));
          const before = process.hrtime.bigint();
          store.append(events);
          rounds?.append.push(Number(process.hrtime.bigint() - before) / events.length);
          // As between calls: the event loop turns.
          if (turn % 16 === 15) await nextTurn();
          if (turn % stride === stride - 1) {
            await written;
            written = store.flush();
          }
        }
        await store.flush();
      };
      await Promise.all(stores.map((store) => write(store, Math.ceil(effort.turns / 5), undefined)));
      for (let round = 0; round < effort.rounds; round += 1) {
        for (const { name, count } of writers) {
          const rounds = figures.get(name);
          const before = performance.now();
          await Promise.all(stores.slice(0, count).map((store) => write(store, Math.ceil(effort.turns / count), rounds)));
          const seconds = (performance.now() - before) / 1_000;
          rounds?.perSecond.push((Math.ceil(effort.turns / count) * count * sample.length) / seconds);
        }
      }
      const { events, bytes, turns } = await (stores[0] as PostgresStore).stats();
      const dropped = stores.map((store) => store.status().dropped).reduce((sum, one) => sum + one, 0);
      for (const store of stores) await store.close();
      return report(figures, { events, bytes, turns, dropped, sample }, effort);
    } finally {
      await server.stop();
    }
  },
};

async function openStore(url: string): Promise<PostgresStore> {
  const store = postgresStore({ url });
  await store.ready();
  return store;
}

/** The four-call turn of the case `durable`, as it is traced. */
async function sampleTurn(): Promise<readonly TraceEvent[]> {
  const tools = ['search', 'prices', 'seats', 'itinerary'].map((name) => defineTool({ name, run: () => ({ name }) }));
  const calls = tools.map(({ name }, index) => ({ callId: name, toolName: name, dependsOn: index === 0 ? [] : ['search'] }));
  return (await new ToolExecutionService({ tools, seed: 'bench' }).executeTurn({ turnId: 'sample', calls })).trace;
}

function copyOf(sample: readonly TraceEvent[], number: number): readonly TraceEvent[] {
  const turn_id = `turn-${process.pid}-${number}`;
  const at = Date.now();
  return sample.map((event) => ({ ...event, turn_id, timestamp: new Date(at + event.elapsed_ms).toISOString() }));
}

interface Room {
  readonly events: number;
  readonly turns: number;
  readonly bytes: number;
  readonly dropped: number;
  readonly sample: readonly TraceEvent[];
}

function report(
  figures: ReadonlyMap<string, Rounds>,
  { events, bytes, turns, dropped, sample }: Room,
  { rounds, turns: each }: Effort,
): Report {
  const alone = figures.get('one process');
  const perSecond = median(alone?.perSecond ?? []);
  const json = JSON.stringify(sample).length / sample.length;
  const target: Target = {
    wanted: `≥ ${formatWhole(wantedPerSecond)} events/s in batches, one process`,
    seen: formatWhole(perSecond),
    met: perSecond >= wantedPerSecond,
  };
  return {
    name: 'postgres',
    title: 'Trace in PostgreSQL',
    what:
      `\`postgresStore({ url })\` with its defaults, on a local PostgreSQL with its default settings, fsync included. The events are those of a turn of four calls: ${sample.length} events, of ${Math.round(json)} bytes each as JSON on average. ` +
      `${rounds} rounds of ${formatWhole(each)} turns; a round ends when everything is committed. Client and server share the cores of one machine. \`append\` is the time that the caller spends on appending.`,
    tables: [
      {
        columns: ['', 'events/s', 'append per event, p50', 'p99'],
        rows: [...figures].map(([name, one]) => [
          name,
          formatWhole(median(one.perSecond)),
          `${(quantile(one.append, 0.5) / 1_000).toFixed(2)} µs`,
          `${(quantile(one.append, 0.99) / 1_000).toFixed(2)} µs`,
        ]),
      },
      {
        title: 'Room on disk, indexes included',
        columns: ['', 'bytes'],
        rows: [
          ['an event', formatWhole(bytes / events)],
          [`a turn of four calls (${sample.length} events)`, formatWhole(bytes / turns)],
        ],
      },
    ],
    targets: [target],
    notes: [loadNote(), `${formatWhole(events)} events of ${formatWhole(turns)} turns were written, ${dropped} were dropped.`],
    figures: { perSecond: Object.fromEntries([...figures].map(([name, one]) => [name, one.perSecond])), bytes, events, turns },
  };
}

const formatWhole = (value: number): string => Math.round(value).toLocaleString('en');
