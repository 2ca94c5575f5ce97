/** Checked by the programs that apply such a diff: `git apply` always, `patch` where it is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchManifest } from '../../src/index.ts';
import { unifiedDiff } from '../../src/patch/unified-diff.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-diff-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const programs = spawnSync('patch', ['--version']).status === 0 ? (['git', 'patch'] as const) : (['git'] as const);

/** The result of applying the diff to `before`. No fuzz: a hunk must be exactly at its position. */
function applied(program: 'git' | 'patch', before: string, diff: string, file: string): string {
  writeFileSync(join(folder, file), before);
  const options = { cwd: folder, input: diff, stdio: 'pipe' } as const;
  // A folder outside of any repository.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
  if (program === 'git') {
    execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { ...options, env });
  } else if (/fuzz|offset|reject/.test(execFileSync('patch', ['-p1', '--fuzz=0', '--binary'], options).toString()))
    throw new Error('a hunk is not where it says it is');
  return readFileSync(join(folder, file), 'utf8');
}

function check(before: string, after: string, file = 'holdfast.yaml'): void {
  const diff = unifiedDiff(before, after, file);
  for (const program of programs) expect(applied(program, before, diff, file)).toBe(after);
}

const numbers = Array.from({ length: 12 }, (_, index) => `line ${index}`);
const text = (lines: readonly string[], newline = '\n', last = newline): string => lines.join(newline) + last;

describe('a unified difference', () => {
  it('has no line after the last one', () => {
    expect(unifiedDiff('a\nb\nc\n', 'a\nB\nc\n', 'x')).toBe('--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n');
    expect(unifiedDiff('a\nb', 'a\nB', 'x')).toBe(
      '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n',
    );
    expect(unifiedDiff('', 'a\n', 'x')).toBe('--- a/x\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n');
    expect(unifiedDiff('a\n', 'a\n', 'x')).toBe('');
  });

  it.each([
    ['at the first line', numbers, numbers.with(0, 'other')],
    ['at the last line', numbers, numbers.with(-1, 'other')],
    ['near the last line', numbers, numbers.with(-2, 'other')],
    ['at both ends', numbers, numbers.with(0, 'first').with(-1, 'last')],
    ['by a line at the start', numbers, ['new', ...numbers]],
    ['by a line at the end', numbers, [...numbers, 'new']],
    ['without its first line', numbers, numbers.slice(1)],
    ['without its last line', numbers, numbers.slice(0, -1)],
    ['of one line', ['only'], ['other']],
    ['by an empty line at the end', numbers, [...numbers, '']],
  ])('is applied %s: with and without a final newline, and with CRLF', (_where, before, after) => {
    check(text(before), text(after));
    check(text(before, '\n', ''), text(after, '\n', ''));
    check(text(before, '\r\n'), text(after, '\r\n'));
    check(text(before, '\r\n', ''), text(after, '\r\n', ''));
  });

  it('is accepted if the final newline changes', () => {
    check(text(numbers), text(numbers, '\n', ''));
    check(text(numbers, '\n', ''), text(numbers));
  });

  it('is accepted for a file name with a space', () => check(text(numbers), text(numbers.with(3, 'other')), 'our tools.yaml'));

  it('is accepted for any texts', () => {
    const line = fc.constantFrom('a', 'b', '', ' c', '-d', '+e', '\\ f', 'g\r', '@@ -1 +1 @@');
    const any = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 9 }), fc.boolean())
      .map(([lines, ends]) => text(lines, '\n', ends ? '\n' : ''));
    fc.assert(
      fc.property(any, any, (before, after) => {
        fc.pre(before !== after && before !== '' && after !== '');
        check(before, after);
      }),
      { numRuns: 15, seed: 3 },
    );
  });
});

describe('the change of a manifest', () => {
  const manifest = [
    'version: 1',
    'tools:',
    '  - id: mail',
    "    run: { http: { url: 'http://127.0.0.1:1/mail' } }",
    '  - id: search',
    "    run: { http: { url: 'http://127.0.0.1:1/search' } }",
    '    retry_policy: { max_attempts: 3 }',
  ];

  it.each([
    ['with a final newline', '\n', '\n'],
    ['without', '\n', ''],
    ['with CRLF', '\r\n', '\r\n'],
    ['with CRLF, without a last one', '\r\n', ''],
  ])('%s: git applies it, at the last line and after it', (_form, newline, last) => {
    const before = text(manifest, newline, last);
    const patch = patchManifest(before, { search: { timeoutMs: 500, retry: { maxAttempts: 5 } } });
    if (patch.problem !== undefined) throw new Error(patch.problem);
    expect(patch.text).toBe(text([...manifest.with(-1, '    retry_policy: { max_attempts: 5 }'), '    timeout_ms: 500'], newline, last));
    expect(applied('git', before, patch.diff, 'holdfast.yaml')).toBe(patch.text);
  });
});
