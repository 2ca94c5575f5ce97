/** What is said of programs that cannot be started: the words of real failures of the system, with their codes. */
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { startFailure } from '../../src/process/start-failure.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-start-'));
const file = (name: string, text: string, mode: number): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

const failureOf = (command: string, cwd?: string): Promise<unknown> =>
  new Promise<unknown>((resolve) => {
    spawn(command, [], cwd === undefined ? {} : { cwd }).once('error', resolve);
  }).catch((thrown: unknown) => thrown);

test.each([
  ['no-such-program-of-the-tests', undefined, "the program 'no-such-program-of-the-tests' was not found in PATH (ENOENT)"],
  [
    'npx-of-the-tests -y foo',
    undefined,
    "If 'npx-of-the-tests' is the program, the other words are its arguments and belong in 'args' (ENOENT)",
  ],
  ['/no/such/program', undefined, "the program '/no/such/program' was not found (ENOENT)"],
  [process.execPath, '/no/such/folder', "the working folder '/no/such/folder' does not exist (ENOENT)"],
  [process.execPath, file('plain', '', 0o600), "plain' is not a folder (ENOTDIR)"],
  [file('orphan.sh', '#!/no/such/shell\n', 0o700), undefined, 'the interpreter that '],
  [file('locked.sh', '#!/bin/sh\n', 0o600), undefined, "locked.sh' may not be executed (EACCES)"],
  [folder, undefined, 'is a folder, not a program (EACCES)'],
])('%s in %s', async (command, cwd, words) => {
  const cause = await failureOf(command, cwd);
  const error = startFailure(cause, { command, cwd });
  expect(error.message).toContain(words);
  expect(error).toMatchObject({ code: (cause as { readonly code: string }).code, cause });
});

test('any other failure is left as it is', () => {
  const cause = Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' });
  expect(startFailure(cause, { command: 'node' })).toBe(cause);
});
