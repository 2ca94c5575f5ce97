import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { writeGivenManifest } from '../../src/host-config/given-manifest.ts';

let folder: string;
const home = (): string => join(folder, 'home');
const temporary = (): string => join(folder, 'temporary');
const write = (secret = 'first'): string => writeGivenManifest('hosts.json', '/a/hosts.json', { secret });
const modeOf = (path: string): number => statSync(path).mode & 0o777;
/** A file where the folder would be: also a privileged user cannot write there. */
const blockHome = (): void => writeFileSync(home(), '');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  mkdirSync(temporary());
  vi.stubEnv('HOLDFAST_HOME', home());
  vi.stubEnv('TMPDIR', temporary());
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform === 'win32')('a given manifest', () => {
  test('is in the home folder, readable only by its user', () => {
    const path = write();
    expect(dirname(dirname(path))).toBe(home());
    expect(modeOf(path)).toBe(0o600);
    expect(modeOf(dirname(path))).toBe(0o700);
    expect(write()).toBe(path);
  });

  test('replaces a file that others can read, and leaves no other file', () => {
    const path = write();
    chmodSync(path, 0o644);
    expect(write('second')).toBe(path);
    expect(modeOf(path)).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ secret: 'second' });
    expect(readdirSync(dirname(path))).toEqual(['holdfast.json']);
  });

  test('replaces a link, and does not write to its target', () => {
    const path = write();
    const target = join(folder, 'target');
    writeFileSync(target, 'unchanged');
    rmSync(path);
    symlinkSync(target, path);
    write();
    expect(readFileSync(target, 'utf8')).toBe('unchanged');
    expect(modeOf(path)).toBe(0o600);
  });

  test('is in a temporary folder of the user if the home folder is not writable', () => {
    blockHome();
    const path = write();
    expect(dirname(dirname(path))).toBe(join(temporary(), `holdfast-${process.getuid?.()}`));
    expect(modeOf(path)).toBe(0o600);
    chmodSync(dirname(dirname(path)), 0o755);
    expect(write()).toBe(path);
    expect(modeOf(dirname(dirname(path)))).toBe(0o700);
  });

  test.each(['a folder that others can write to', 'a link', 'a link to nothing'])('does not use %s with that name', (what) => {
    blockHome();
    const taken = join(temporary(), `holdfast-${process.getuid?.()}`);
    const target = join(folder, 'target');
    if (what !== 'a link to nothing') mkdirSync(what === 'a link' ? target : taken);
    if (what.startsWith('a link')) symlinkSync(target, taken);
    else chmodSync(taken, 0o777);
    const root = dirname(dirname(write()));
    expect(dirname(root)).toBe(temporary());
    expect(basename(root)).not.toBe(basename(taken));
    expect(modeOf(root)).toBe(0o700);
    expect(existsSync(target) ? readdirSync(target) : []).toEqual([]);
  });
});
