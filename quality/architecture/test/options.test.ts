/**
 * What cannot be read is refused when it is given: every interface of options under `api/` is tried with unknown names, misspelt ones, wrong types, null, an array
 * and a promise in place of an object.
 */
import { describe, expect, test } from 'vitest';
import { fieldsOf, publicOptions } from './support/api-options.ts';
import type { EntryPoint } from './support/entry-point.ts';
import { entryPoints, notGiven } from './support/entry-points.ts';

interface Answer {
  readonly status?: unknown;
  readonly result?: Answer;
  readonly problems?: readonly unknown[];
  readonly error?: { readonly code?: unknown; readonly message?: string };
}

/** The sentence of a refusal; `undefined` when the options were accepted. */
async function refusalOf(give: (options: never) => unknown, options: unknown): Promise<string | undefined> {
  try {
    const given = await give(options as never);
    const answer = (Array.isArray(given) ? (given as readonly unknown[])[0] : given) as Answer | undefined;
    if (Array.isArray(answer?.problems) && answer.problems.length > 0 && typeof answer.problems[0] === 'string')
      return answer.problems.join(' ');
    const { error } = answer?.result ?? answer ?? {};
    return error?.code === 'INVALID_CALL' || error?.code === 'INVALID_PLAN' ? error.message : undefined;
  } catch (error) {
    // Misuse is a TypeError or a RangeError; anything else is an accident.
    if (error instanceof TypeError || error instanceof RangeError) return error.message;
    return `ACCIDENT ${String(error)}`;
  }
}

const calls = entryPoints.flatMap((point) =>
  Object.entries(point.given).map(([name, give]): readonly [string, (options: never) => unknown, EntryPoint] => [
    `${name}(${point.options})`,
    give,
    point,
  ]),
);

test('every interface of options is tried, or is listed with the reason why not', () => {
  const listed = new Set([...entryPoints.map(({ options }) => options), ...Object.keys(notGiven)]);
  expect(publicOptions().filter((name) => !listed.has(name))).toEqual([]);
});

describe.each(calls)('%s', (_name, give, { options, valid = {}, anything = [], nullable = [], onlyRefuses = false }) => {
  const fields = fieldsOf(options);
  const checked = fields.filter((name) => !anything.includes(name));

  test.skipIf(onlyRefuses)('accepts what is valid', async () => {
    expect(await refusalOf(give, { ...valid })).toBeUndefined();
  });

  test('refuses an unknown field by its name', async () => {
    expect(await refusalOf(give, { ...valid, colour: 1 })).toMatch(/'colour'/u);
  });

  test('suggests the field that a misspelt one means', async () => {
    const longest = fields.toSorted((one, other) => other.length - one.length)[0] ?? '';
    const misspelt = `${longest.slice(0, -1)}z`;
    const complaint = await refusalOf(give, { ...valid, [misspelt]: 1 });
    expect(complaint).toContain(`'${misspelt}'`);
    // MCP links list the fields, having no dependency that could compare words.
    expect(complaint).toMatch(new RegExp(`Did you mean '${longest}'|Known: .*\\b${longest}\\b`, 'u'));
  });

  test.each([[null], [[]], [5], [Promise.resolve({})]])('refuses %o in place of an object', async (wrong) => {
    expect(await refusalOf(give, wrong)).toMatch(/must be (?:an object|of type object)/u);
  });

  test.each(checked)('refuses %s of a wrong type, and names it', async (name) => {
    for (const wrong of [Symbol('wrong'), ...(nullable.includes(name) ? [] : [null])]) {
      const complaint = await refusalOf(give, { ...valid, [name]: wrong });
      expect(complaint, String(wrong)).toContain(name);
      expect(complaint).not.toContain('ACCIDENT');
    }
  });
});
