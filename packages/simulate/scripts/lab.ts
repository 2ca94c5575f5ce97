/**
 * Runs scenarios and prints a table: `lab.ts <worlds|all> <seeds> <contender>…`. A contender is `none`, a profile, or the JSON of `HoldfastOptions`.
 */
import process from 'node:process';
import type { Contender, HoldfastOptions, ScenarioName, Summary } from '../src/index.ts';
import { compare, holdfast, none, scenarios } from '../src/index.ts';

const [worlds = 'all', seeds = '1', ...contenders] = process.argv.slice(2);

const names = worlds === 'all' ? (Object.keys(scenarios) as ScenarioName[]) : (worlds.split(',') as ScenarioName[]);

function contenderOf(text: string): Contender {
  if (text === 'none') return none;
  return holdfast(text.startsWith('{') ? ({ name: text, profile: 'adaptive', ...JSON.parse(text) } as HoldfastOptions) : (text as 'spec'));
}

const percent = (share: number | null): string => (share === null ? '–' : (share * 100).toFixed(1));
const whole = (value: number | null): string => (value === null ? '–' : String(Math.round(value)));

function row({ recoveryS, notes, ...figures }: Summary): Readonly<Record<string, string | number>> {
  return {
    success: percent(figures.success),
    during: percent(figures.during),
    'after 30 s': percent(figures.after30s),
    mean: whole(figures.meanMs),
    p99: whole(figures.p99Ms),
    'failed waits': whole(figures.failedWaitMs),
    'requests/call': figures.requestsPerCall.toFixed(2),
    'during ': figures.requestsPerCallDuring?.toFixed(2) ?? '–',
    peak: whole(figures.peakPerSecond),
    recovery: typeof recoveryS === 'number' ? recoveryS.toFixed(1) : (recoveryS ?? '–'),
    duplicates: whole(figures.duplicates),
    partial: whole(figures.partialTurns),
    notes: Object.entries(notes)
      .map(([name, value]) => `${name} ${whole(value)}`)
      .join(', '),
  };
}

for (const name of names) {
  process.stdout.write(`\n${name}: ${scenarios[name].description}\n`);
  const chosen = (contenders.length === 0 ? ['none', 'spec', 'adaptive'] : contenders).map(contenderOf);
  const rows = compare([scenarios[name]], chosen, seeds.split(',')).map(({ contender, summary }) => [contender, row(summary)] as const);
  console.table(Object.fromEntries(rows));
}
