import { expect, test } from 'vitest';
import { formatProblem, parseManifest, type Problem } from '../src/index.ts';

const first = (source: string): string => {
  const { problems } = parseManifest(source, { file: 'holdfast.yaml' });
  return formatProblem(problems[0] as Problem, { source });
};

test('the position, the line, the marker, the fix', () => {
  expect(first('version: 1\nprofile: specc\ntools: [{ id: a, run: { module: x } }]\n')).toBe(
    [
      "holdfast.yaml:2:10: error: profile is 'specc'",
      '2 | profile: specc',
      '  |          ^^^^^',
      '  = did you mean spec?',
      "  = allowed: one of 'spec', 'service', 'adaptive'",
    ].join('\n'),
  );
});

test('without the source only the message', () => {
  const { problems } = parseManifest('tools: []', { file: 'a.yaml' });
  expect(formatProblem(problems[0] as Problem)).toBe(
    'a.yaml:1:8: error: no tools are defined\n  = allowed: at least one of tools, mcp_servers, openapi, gateway',
  );
});

test('colours only if requested', () => {
  const { problems, source } = parseManifest('tools: []');
  expect(formatProblem(problems[0] as Problem, { source })).not.toContain('\u{1B}');
  expect(formatProblem(problems[0] as Problem, { source, color: true })).toContain('\u{1B}[31merror\u{1B}[0m');
});

test('a very long line is truncated around the position', () => {
  const lines = first(`tools: [{ id: a, description: "${'x'.repeat(5_000)}", run: { module: x }, timeout_ms: 0 }]`).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(140);
  const mark = (lines[2] ?? '').indexOf('^');
  expect((lines[1] ?? '').slice(mark, mark + 1)).toBe('0');
});

test('tabs do not shift the marker', () => {
  const lines = first('{\n\t"tools": [],\n\t"profle": 1\n}').split('\n');
  expect(lines.slice(1, 3)).toEqual(['2 | \t"tools": [],', '  | \t         ^^']);
});

test('control characters of a file do not reach the terminal', () => {
  expect(first('profile: "\u{1B}[2Jx"\ntools: [{ id: a, run: { module: x } }]')).not.toContain('\u{1B}');
});
