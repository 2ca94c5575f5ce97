/**
 * Runs seeds of the fuzz, or one seed again: `npm run fuzz -- --seed 42 --trace`. Exits with 1 when a guarantee is violated.
 *
 *   --seed N        one seed; its smallest scene is shown if it has findings
 *   --seeds N       number of seeds, starting at --from (default 1000 from 0)
 *   --turn NAME     an acceptance turn with faults, by the name of its test; `all` for each of them; default: random turns
 *   --profile NAME  spec, service or adaptive; default: drawn, or the turn's own
 *   --trace         with --seed: all events
 */
import { parseArgs } from 'node:util';
import type { ProfileName } from '@holdfast/core';
import type { FuzzOptions } from './index.ts';
import { describePlay, describeScene, drawScene, explainFinding, fuzz, runScene } from './index.ts';
import { acceptanceTurns } from './acceptance-turns.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
    turn: { type: 'string' },
    profile: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});

const profile = values.profile as ProfileName | undefined;

function chosenOptions(): readonly FuzzOptions[] {
  if (values.turn === undefined) return [{ profile }];
  const turns = acceptanceTurns().filter(({ name }) => values.turn === 'all' || name === values.turn);
  if (turns.length === 0) throw new Error(`No acceptance turn is named '${values.turn}'. Their names are in quality/acceptance/turns.`);
  return turns.map((template) => ({ profile, template }));
}

async function runOne(seed: string, options: FuzzOptions): Promise<boolean> {
  if (values.trace) {
    const scene = drawScene(seed, options);
    const { plays, found } = await runScene(scene);
    for (const line of [...describeScene(scene), ...plays.flatMap(describePlay), ...found.map((what) => `violated: ${what}`)])
      console.log(line);
  }
  const finding = await fuzz(seed, options);
  if (finding) console.log(await explainFinding(finding, options));
  else console.log(`seed ${seed}: no violation`);
  return finding === undefined;
}

async function runMany(options: FuzzOptions): Promise<boolean> {
  const first = Number(values.from);
  let failed = 0;
  for (let seed = first; seed < first + Number(values.seeds); seed++) {
    const finding = await fuzz(String(seed), options);
    if (!finding) continue;
    failed += 1;
    console.log(`${finding.command}\n${finding.found.map((what) => `  ${what}`).join('\n')}`);
  }
  console.log(`${options.template?.name ?? 'random turns'}: ${values.seeds} seeds, ${failed} with findings`);
  return failed === 0;
}

for (const options of chosenOptions()) {
  const isGood = values.seed === undefined ? await runMany(options) : await runOne(values.seed, options);
  if (!isGood) process.exitCode = 1;
}
