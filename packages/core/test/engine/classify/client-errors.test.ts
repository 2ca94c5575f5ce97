/**
 * Errors of clients that are in no corpus, in the form in which their sources make them (`client-errors.json`): the client, the classes and
 * categories that are right, whether the call may have taken effect (null: either can be defended), and the error.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';

type Row = readonly [client: string, classes: readonly string[], categories: readonly string[], ambiguous: boolean | null, error: unknown];

const rows = JSON.parse(readFileSync(join(import.meta.dirname, 'client-errors.json'), 'utf8')) as readonly Row[];
const builtIns: Readonly<Record<string, ErrorConstructor>> = { Error, TypeError };

/** An object with a `class` is an error of that class. */
function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, revived(field)]));
  const { class: className, message, ...others } = fields;
  if (typeof className !== 'string') return fields;
  const builtIn = builtIns[className];
  const Made = builtIn ?? { [className]: class extends Error {} }[className] ?? Error;
  return Object.assign(new Made(String(message)), builtIn === undefined && { name: className }, others);
}

it.each(rows)('%s', (_client, classes, categories, ambiguous, error) => {
  const got = classify(revived(error), { nowEpochMs: 0 });
  expect(classes).toContain(got.classification);
  expect(categories).toContain(got.category);
  expect(ambiguous ?? got.ambiguous).toBe(got.ambiguous);
});
