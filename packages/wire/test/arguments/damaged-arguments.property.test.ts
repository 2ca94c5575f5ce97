/**
 * Damaged texts of random arguments: what a tool is run with is what the model meant. The seed is new in every run and is in the message of a failure.
 * `DAMAGED_ARGUMENTS=35000` runs that many texts, `DAMAGED_ARGUMENTS_SEED=7` repeats a run.
 */
import { Ajv } from 'ajv';
import type { Effect, JsonSchema } from '@holdfast/core';
import { readArguments } from '@holdfast/wire';
import { expect, test } from 'vitest';
import { drawFrom } from '../support/argument-values.ts';
import { cuts, type Damaged, damagedFrom, inValues, others } from '../support/damaged-arguments.ts';

const total = Number(process.env['DAMAGED_ARGUMENTS'] ?? 1_400);
const seed = Number(process.env['DAMAGED_ARGUMENTS_SEED'] ?? Date.now() % 1_000_000_000);
const effects: readonly (Effect | undefined)[] = [undefined, 'unsafe', 'read', 'idempotent'];

type Outcome = 'meant' | 'refused' | 'wrong';

/** The tool runs only if the value matches its schema, as another validator sees it. */
function outcomeOf({ text, meant }: Damaged, effect: Effect | undefined, schema: JsonSchema | undefined): Outcome {
  const read = readArguments({ raw: text, toolName: 'search', schema, effect, truncated: false });
  if (!read.ok || (schema && !matches(schema, read.value))) return 'refused';
  return JSON.stringify(sorted(read.value)) === JSON.stringify(sorted(meant)) ? 'meant' : 'wrong';
}

const checks = new WeakMap<JsonSchema, (value: unknown) => boolean>();

function matches(schema: JsonSchema, value: unknown): boolean {
  const check = checks.get(schema) ?? new Ajv({ strict: false, validateFormats: false }).compile(schema);
  checks.set(schema, check);
  return check(value);
}

/** The order of names has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}

interface Tally {
  readonly count: Record<Outcome, number>;
  readonly wrong: string[];
}

function judge(
  kinds: Readonly<Record<string, Parameters<typeof damagedFrom>[1]>>,
  count: number,
  needsSchema: boolean,
): ReadonlyMap<Effect | undefined, Tally> {
  const tallies = new Map(
    effects.map((effect): [Effect | undefined, Tally] => [effect, { count: { meant: 0, refused: 0, wrong: 0 }, wrong: [] }]),
  );
  const all = Object.entries(kinds);
  for (let index = 0; index < count; index += 1) {
    const [kind, damage] = all[index % all.length] as (typeof all)[number];
    const damaged = damagedFrom(kind, damage, drawFrom(seed + index * 7919), needsSchema);
    for (const [effect, tally] of tallies)
      for (const schema of needsSchema ? [damaged.schema] : [undefined, damaged.schema]) {
        const outcome = outcomeOf(damaged, effect, schema);
        tally.count[outcome] += 1;
        if (outcome === 'wrong')
          tally.wrong.push(`${kind}${schema ? ' with schema' : ''}: ${damaged.text}\n  meant ${JSON.stringify(damaged.meant)}`);
      }
  }
  return tallies;
}

test.each([
  ['cut off', cuts, Math.ceil((total * 6) / 7), false],
  ['damaged otherwise', others, Math.ceil(total / 7), false],
  ['damaged in their values', inValues, Math.ceil(total / 35), true],
] as const)('arguments that are %s', (name, kinds, count, needsSchema) => {
  for (const [effect, { count: outcomes, wrong }] of judge(kinds, count, needsSchema)) {
    if (process.env['DAMAGED_ARGUMENTS'])
      console.info(`${name}, ${effect ?? 'undeclared'}, seed ${seed}:`, outcomes, wrong.slice(0, 10).join('\n'));
    // Each text is read with and without its schema.
    const mayGuess = effect === 'read' || effect === 'idempotent';
    const allowed = mayGuess ? 2 * Math.ceil(count / 1000) : 0;
    expect(
      wrong.length,
      `${wrong.length} wrong for ${effect ?? 'undeclared'}, seed ${seed}:\n${wrong.slice(0, 20).join('\n')}`,
    ).toBeLessThanOrEqual(allowed);
  }
}, 600_000);

test('the oracle sees a wrong value', () => {
  const draw = drawFrom(1);
  const damaged = damagedFrom('a name twice', (meant) => `{"path":"/tmp","n":${JSON.stringify(meant)}}`, draw, true);
  expect(outcomeOf(damaged, undefined, undefined)).toBe('wrong');
});
