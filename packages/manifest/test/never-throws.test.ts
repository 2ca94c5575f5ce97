import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { commentedManifest, formatProblem, type ManifestResult, parseManifest, parseTurn, type ParsedTurn } from '../src/index.ts';

/** Every result must be complete: problems in order, each printable. */
function holds(result: ManifestResult | ParsedTurn): void {
  const { problems, source } = result;
  const places = problems.map(({ line, column }) => line * 1e7 + column);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  for (const problem of problems) {
    expect(problem.line).toBeGreaterThanOrEqual(1);
    expect(problem.column).toBeGreaterThanOrEqual(1);
    expect(formatProblem(problem, { source, color: true })).toContain(problem.severity);
  }
  const usable = 'manifest' in result || 'turn' in result;
  expect(usable).toBe(problems.every(({ severity }) => severity === 'warning'));
}

const both = (text: string): void => {
  holds(parseManifest(text, { env: {} }));
  holds(parseTurn(text));
};

const yamlish = fc
  .array(
    fc.constantFrom(
      'tools',
      ':',
      ' ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '&a',
      '*a',
      '"',
      "'",
      '|',
      '>',
      '#',
      '---',
      '...',
      '!t',
      '<<',
      '? ',
      'id',
      'run',
      'calls',
      '1',
      'null',
      '.nan',
      '${env:X}',
      '\t',
      '%YAML 1.2',
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

const words = fc.constantFrom(
  'tools',
  'tool',
  'id',
  'run',
  'module',
  'http',
  'url',
  'mcp',
  'server',
  'mcp_servers',
  'retry_policy',
  'circuit_breaker',
  'rate',
  'calls',
  'args',
  'depends_on',
  'defaults',
  '$from',
  'recovery_rules',
  'when',
  'alternatives',
  'classification',
  'input_schema',
  'type',
  'properties',
  '$ref',
  'pattern',
  'redact',
  'openapi',
  'gateway',
  'spec',
  'prefix',
  'include',
  'name',
  'listen',
  'host',
  'tokens',
  'env',
  'models',
  'openai',
  'headers',
  'authorization',
  '__proto__',
  'constructor',
  'toString',
);

const { document } = fc.letrec<{ document: unknown }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom(null, true, false, 0, -1, 3, 1e21, '', 'a', 'b', '(', '#/$defs/x', '${env:X}', '{{arguments.x}}', 'http://h/'),
      words,
    ),
    fc.array(tie('document'), { maxLength: 4 }),
    fc.dictionary(words, tie('document'), { maxKeys: 5 }),
  ),
}));

test('no text makes a parser throw', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), both), { numRuns: 300 });
});

test('no YAML-like text makes a parser throw', () => {
  fc.assert(fc.property(yamlish, both), { numRuns: 800 });
});

test('the mistakes of syntax are those that the YAML library reports', () => {
  const options = { prettyErrors: false, uniqueKeys: false, logLevel: 'error' } as const;
  fc.assert(
    fc.property(yamlish, (text) => {
      const errors = parseDocument(text, options).errors.filter(({ code }) => code !== 'MULTIPLE_DOCS');
      const { problems } = parseTurn(text);
      fc.pre(problems.every(({ code }) => code !== 'too_deep'));
      const reported = problems.filter(({ code, message }) => code === 'syntax' && !message.startsWith('the file cannot be read'));
      expect(reported.length > 0).toBe(errors.length > 0);
      const found = new Set(reported.map(({ message }) => message.toLowerCase()));
      expect(found).toEqual(new Set(errors.map(({ message }) => message.toLowerCase())));
    }),
    { numRuns: 800 },
  );
});

test('no JSON document makes a parser throw', () => {
  fc.assert(
    fc.property(document, (value) => both(JSON.stringify(value))),
    { numRuns: 800 },
  );
});

const page = readFileSync(new URL('../../../docs/guide/gateway-manifest.md', import.meta.url), 'utf8');
const gateway = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

test.each([
  ['the commented manifest', commentedManifest().text],
  ['the example of a gateway', gateway],
])('no damage to %s makes the parser throw', (_, text) => {
  const damage = fc.tuple(fc.nat(text.length), fc.nat(30), fc.string({ maxLength: 6 }));
  fc.assert(
    fc.property(damage, ([at, cut, put]) => both(text.slice(0, at) + put + text.slice(at + cut))),
    { numRuns: 200 },
  );
});

/** Every position in a tree. */
const placesOf = (value: unknown, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))]
    : [path];

function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (step === undefined) return by;
  const copy: Record<string | number, unknown> = Array.isArray(value) ? ([...(value as unknown[])] as never) : { ...(value as object) };
  copy[step] = replaced(copy[step], rest, by);
  return copy;
}

test('any value in one place of a gateway gives a manifest or a problem', () => {
  const tree: unknown = parse(gateway);
  const places = placesOf(tree);
  fc.assert(
    fc.property(fc.constantFrom(...places), document, (place, value) => both(JSON.stringify(replaced(tree, place, value)))),
    { numRuns: 200 },
  );
});
