/** A turn of four calls that survives its worker, compared with the same turn written for the engine by hand: one server, separate workers, alternating. */
import type { DurableSetup, JournalSize, Kind, TurnsOf } from '../durable/setup.ts';
import { journalPerTurn, residentMb, startDurableSetup } from '../durable/setup.ts';
import { loadNote } from '../report/machine.ts';
import type { Report, Table, Target } from '../report/report.ts';
import { seenRatio } from '../report/timing-table.ts';
import { median, medianRatio, quantile } from '../timing/statistics.ts';
import type { Case } from './case.ts';

interface Effort {
  readonly rounds: number;
  /** Sequential turns per round. */
  readonly sequential: number;
  /** Concurrent turns per round, 32 at a time. */
  readonly concurrent: number;
  readonly warmUp: number;
}

const full: Effort = { rounds: 7, sequential: 50, concurrent: 192, warmUp: 300 };
const quick: Effort = { rounds: 3, sequential: 15, concurrent: 64, warmUp: 40 };
const atOnce = 32;
const limit = 1.3;
const workerCounts = [1, 2, 3];

export interface Rounds {
  readonly p50: number[];
  readonly p99: number[];
  readonly perSecond: number[];
  /** By the number of workers. */
  readonly scaled: Map<number, number[]>;
}

export type Figures = Readonly<Record<Kind, Rounds>>;

const ratioRow = 'time of Holdfast, × written by hand, median of the rounds';

const names: Readonly<Record<Kind, string>> = { holdfast: 'Holdfast', 'by-hand': 'written by hand' };

export const durable: Case = {
  name: 'durable',
  page: 'DURABLE.md',
  async run({ quick: isQuick }) {
    const effort = isQuick ? quick : full;
    const emptyRounds = (): Rounds => ({ p50: [], p99: [], perSecond: [], scaled: new Map(workerCounts.map((count) => [count, []])) });
    const figures: Figures = { holdfast: emptyRounds(), 'by-hand': emptyRounds() };
    const journals = await sizes();
    const setup = await startDurableSetup(false);
    try {
      for (const entrant of setup.entrants) await runTogether(entrant, effort.warmUp);
      for (let round = 0; round < effort.rounds; round += 1) await oneRound(setup, figures, effort, round);
      return report(figures, journals, memory(setup), effort);
    } finally {
      await setup.stop();
    }
  },
};

async function oneRound({ entrants }: DurableSetup, figures: Figures, { sequential, concurrent }: Effort, round: number): Promise<void> {
  const order = round % 2 === 0 ? entrants : entrants.toReversed();
  const times = new Map<Kind, number[]>(order.map(({ kind }) => [kind, []]));
  for (let turn = 0; turn < sequential; turn += 1) for (const entrant of order) times.get(entrant.kind)?.push(await timeTurn(entrant));
  for (const [kind, all] of times) {
    figures[kind].p50.push(quantile(all, 0.5));
    figures[kind].p99.push(quantile(all, 0.99));
  }
  for (const count of workerCounts) {
    for (const entrant of order) await entrant.workers(count);
    for (const entrant of order) figures[entrant.kind].scaled.get(count)?.push(await runTogether(entrant, concurrent));
  }
  for (const entrant of order) {
    await entrant.workers(1);
    figures[entrant.kind].perSecond.push(figures[entrant.kind].scaled.get(1)?.at(-1) ?? Number.NaN);
  }
}

async function timeTurn(entrant: TurnsOf): Promise<number> {
  const before = performance.now();
  await entrant.turn();
  return performance.now() - before;
}

/** Turns per second. */
async function runTogether(entrant: TurnsOf, turns: number): Promise<number> {
  let left = turns;
  const before = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (; left > 0;) {
        left -= 1;
        await entrant.turn();
      }
    }),
  );
  return (turns / (performance.now() - before)) * 1_000;
}

/** In a separate setup, in which journals outlive their turns. */
async function sizes(): Promise<Readonly<Record<Kind, JournalSize>>> {
  const setup = await startDurableSetup(true);
  try {
    for (const entrant of setup.entrants) for (let turn = 0; turn < 20; turn += 1) await entrant.turn();
    return { holdfast: await journalPerTurn(setup.server, 'holdfast'), 'by-hand': await journalPerTurn(setup.server, 'by-hand') };
  } finally {
    await setup.stop();
  }
}

function memory({ server, entrants }: DurableSetup): Readonly<Record<'server' | Kind, number>> {
  const of = (kind: Kind): number => entrants.find((entrant) => entrant.kind === kind)?.residentMb() ?? Number.NaN;
  return { server: residentMb(server.pids[0]), holdfast: of('holdfast'), 'by-hand': of('by-hand') };
}

/** A target and the table above it show the same ratio. */
export function report(
  figures: Figures,
  journals: Readonly<Record<Kind, JournalSize>>,
  resident: Readonly<Record<'server' | Kind, number>>,
  { rounds, sequential, concurrent }: Effort,
): Report {
  const kinds: readonly Kind[] = ['by-hand', 'holdfast'];
  const [slower, fewer] = targets(figures);
  const latency: Table = {
    title: 'One turn after the other',
    columns: ['', 'p50', 'p99'],
    rows: [
      ...kinds.map((kind) => [names[kind], milliseconds(median(figures[kind].p50)), milliseconds(median(figures[kind].p99))]),
      [ratioRow, slower.seen, ''],
    ],
  };
  const rates: Table = {
    title: `Turns per second, ${atOnce} at a time`,
    columns: ['', ...workerCounts.map((count) => (count === 1 ? '1 worker' : `${count} workers`))],
    rows: [
      ...kinds.map((kind) => [names[kind], ...workerCounts.map((count) => median(figures[kind].scaled.get(count) ?? []).toFixed(0))]),
      [ratioRow, ...workerCounts.map((count) => (count === 1 ? fewer.seen : ''))],
    ],
  };
  const room: Table = {
    title: 'Room',
    columns: ['', 'journal entries per turn', 'bytes in them', 'memory of a worker'],
    rows: kinds.map((kind) => [
      names[kind],
      journals[kind].entries.toFixed(0),
      Math.round(journals[kind].bytes).toLocaleString('en'),
      `${resident[kind].toFixed(0)} MB`,
    ]),
  };
  return {
    name: 'durable',
    title: 'Cost of a durable turn',
    what:
      'Four calls in a diamond, with tools that answer at once, under a deadline of 300 s: submitted over HTTP, waiting for the result. `written by hand` is a workflow of Restate 1.7.12 with a step for each call and a raced timer for the deadline; ' +
      'it has no retries, no time limits, no circuits, no classification and no trace. Both have separate workers behind a balancer, on one server with one node; the journal of a finished turn is not kept. ' +
      `${rounds} rounds of ${sequential} turns each, alternating, then ${concurrent} turns each at ${atOnce} at a time, for each number of workers. Server, workers, balancer and client share the cores of one machine, so more workers add no cores.`,
    tables: [latency, rates, room],
    targets: [slower, fewer],
    notes: [
      loadNote(),
      `The server had ${resident.server.toFixed(0)} MB resident at the end.`,
      'The journal contains the inputs of a turn, so that another worker can continue it: which parts of a step it contains is described in [durable turns](../docs/concepts/durable-turns.md).',
    ],
    figures: {
      rounds: Object.fromEntries(kinds.map((kind) => [kind, { ...figures[kind], scaled: Object.fromEntries(figures[kind].scaled) }])),
      journals,
      resident,
    },
  };
}

function targets({ holdfast, 'by-hand': byHand }: Figures): readonly [Target, Target] {
  const slower = medianRatio(holdfast.p50, byHand.p50);
  const fewer = medianRatio(byHand.perSecond, holdfast.perSecond);
  return [
    { wanted: `p50 of one turn after the other ≤ ${limit} × written by hand`, ...seenRatio(slower, limit) },
    { wanted: `time per turn, ${atOnce} at a time, ≤ ${limit} × written by hand`, ...seenRatio(fewer, limit) },
  ];
}

const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
