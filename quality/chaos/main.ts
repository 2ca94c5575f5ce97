/**
 * Runs turns on a fleet of real processes while these are killed and stopped, and checks what is left ten seconds after the last fault.
 *
 *     npm run chaos                                       400 turns, 150 faults, a new seed
 *     npm run chaos -- --turns 40 --faults 15 --seed 7    a short one, with the plans and faults of that seed
 *
 * Exits with 1 when a turn is lost, hangs, stays interrupted or lacks outputs, or a call of an unsafe tool was made twice.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { injectFaults } from './faults.ts';
import { startFleet } from './fleet.ts';
import { createRandom } from './random.ts';
import { startTools } from './tools.ts';
import { type Plan, planOf, TurnClient } from './turns.ts';
import { findingsOf, readAll, repetitionsOf } from './verdict.ts';

const graceMs = 10_000;
/** After this time a turn that has not ended hangs. */
const hungAfterMs = 90_000;
const maxOpen = 24;

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '400' },
    faults: { type: 'string', default: '150' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    verbose: { type: 'boolean', default: false },
  },
});
const [turnCount, faultCount, seed] = [Number(values.turns), Number(values.faults), Number(values.seed)];
console.log(`chaos: ${turnCount} turns, ${faultCount} faults, --seed ${seed}`);

const tools = await startTools();
const fleet = await startFleet(tools);
let failed = true;
try {
  await fleet.ready(120_000);
  failed = !(await run());
} catch (error) {
  console.error(error);
} finally {
  if (failed && values.verbose) console.error(fleet.outputs());
  await fleet.close();
  await tools.stop();
}
process.exitCode = failed ? 1 : 0;

/** Turns are submitted as the faults go on, so that each fault has turns to hit. */
async function run(): Promise<boolean> {
  const client = new TurnClient(fleet.url);
  const plans = Array.from({ length: turnCount }, (_, index) => planOf(index, createRandom(seed + index)));
  let faults = 0;
  const submitting = submitAll(client, plans, () => (faultCount === 0 ? turnCount : Math.ceil(((faults + 1) / faultCount) * turnCount)));
  const startedAt = performance.now();
  const { counts, lastAt } = await injectFaults(fleet, {
    count: faultCount,
    random: createRandom(seed ^ 0x5_eed),
    onFault: (count, text) => {
      faults = count;
      if (values.verbose || count % 25 === 0) console.log(`${seconds(startedAt)} s: fault ${count}, ${text}`);
    },
  });
  faults = faultCount;
  const restoredAt = performance.now();
  await submitting;
  await fleet.ready(60_000);
  await wait(Math.max(0, graceMs - (performance.now() - restoredAt)));
  const afterGrace = await findingsOf(client, plans, await readAll(client, plans));
  while (performance.now() - lastAt < hungAfterMs && (await anyRunning(client))) await wait(1_000);
  const details = await readAll(client, plans);
  const atEnd = await findingsOf(client, plans, details);
  const repetitions = repetitionsOf(plans, details, tools.requests);
  const broken = {
    lost: atEnd.lost,
    hung: atEnd.running,
    interrupted: [...afterGrace.interrupted, ...atEnd.interrupted],
    reportsWithoutOutputs: [...afterGrace.withoutOutputs, ...atEnd.withoutOutputs],
    incompleteRecords: [...afterGrace.incompleteRecords, ...atEnd.incompleteRecords],
    listedOtherwise: atEnd.listedOtherwise,
    missingInDashboard: atEnd.missingInDashboard,
    unsafeRepeated: repetitions.unsafeRepeated,
    underTwoKeys: repetitions.underTwoKeys,
    unexplainedRepetitions: repetitions.unexplained,
  };
  const figures = {
    seed,
    turns: turnCount,
    faults: faultCount,
    counts,
    took_s: seconds(startedAt),
    running_ten_seconds_after: afterGrace.running.length,
    repeated_and_explained: repetitions.repeated,
    repeated_before_the_start_was_journaled: repetitions.repeatedBeforeStart,
    unknown_outcomes: repetitions.unknownOutcomes,
  };
  report(figures, broken);
  return Object.values(broken).every((ids) => ids.length === 0);
}

async function submitAll(client: TurnClient, plans: readonly Plan[], due: () => number): Promise<void> {
  const open = new Set<Promise<void>>();
  for (const [index, plan] of plans.entries()) {
    while (index >= due() || open.size >= maxOpen) await wait(50);
    const submitted: Promise<void> = client.submit(plan).finally(() => open.delete(submitted));
    open.add(submitted);
  }
  await Promise.all(open);
}

async function anyRunning(client: TurnClient): Promise<boolean> {
  const states = await client.list();
  if (values.verbose) for (const [id, state] of states) if (state !== 'completed') console.log(`  ${id} is ${state}`);
  return states.size < turnCount || [...states.values()].some((state) => state !== 'completed');
}

function report(figures: object, broken: Readonly<Record<string, readonly string[]>>): void {
  mkdirSync(join(import.meta.dirname, '../../reports'), { recursive: true });
  writeFileSync(join(import.meta.dirname, '../../reports/chaos.json'), `${JSON.stringify({ ...figures, broken }, undefined, 2)}\n`);
  console.log(JSON.stringify(figures));
  for (const [name, ids] of Object.entries(broken))
    console.log(`${name}: ${ids.length}${ids.length === 0 ? '' : ` (${[...new Set(ids)].slice(0, 8).join(', ')})`}`);
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000);
}
