import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSeal } from '../../src/server-auth/seal.ts';
import { readSealingKey } from '../../src/server-auth/sealing-key.ts';

describe('a sealed value', () => {
  const seal = createSeal(randomBytes(32));

  test('opens under its name, and is sealed differently each time', () => {
    const [one, other] = [seal.seal('a', { token: 'secret' }), seal.seal('a', { token: 'secret' })];
    expect(one).not.toBe(other);
    expect(one).not.toContain('secret');
    expect(seal.open('a', one)).toEqual({ token: 'secret' });
  });

  test('does not open under another name, with another key, or after a change', () => {
    const sealed = seal.seal('alice', { token: 'secret' });
    expect(() => seal.open('bob', sealed)).toThrow('authenticate');
    expect(() => createSeal(randomBytes(32)).open('alice', sealed)).toThrow('another key');
    const envelope = JSON.parse(sealed) as { ct: string };
    const bytes = Buffer.from(envelope.ct, 'base64');
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    expect(() => seal.open('alice', JSON.stringify({ ...envelope, ct: bytes.toString('base64') }))).toThrow('authenticate');
  });
});

describe('the key', () => {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'holdfast-key-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };

  test('comes from the environment: base64, hex or a pass phrase', () => {
    const key = randomBytes(32);
    expect(readSealingKey({ HOLDFAST_CREDENTIALS_KEY: key.toString('base64') })).toEqual(key);
    expect(readSealingKey({ HOLDFAST_CREDENTIALS_KEY: key.toString('hex') })).toEqual(key);
    const phrase = { HOLDFAST_CREDENTIALS_KEY: 'correct horse battery staple' };
    expect(readSealingKey(phrase)).toEqual(readSealingKey(phrase));
    expect(readSealingKey(phrase)).toHaveLength(32);
    expect(() => readSealingKey({ HOLDFAST_CREDENTIALS_KEY: 'too short' })).toThrow('shorter than 16 characters');
  });

  test('is otherwise a file that only the user can read, created once', () => {
    const home = folder();
    const key = readSealingKey({ XDG_CONFIG_HOME: home });
    const path = join(home, 'holdfast', 'credentials.key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readSealingKey({ XDG_CONFIG_HOME: home })).toEqual(key);
    expect(readFileSync(path, 'utf8').trim()).toBe(key.toString('base64'));
  });

  test('is refused if others can read it', () => {
    const path = join(folder(), 'key');
    writeFileSync(path, randomBytes(32).toString('base64'));
    chmodSync(path, 0o644);
    expect(() => readSealingKey({ HOLDFAST_CREDENTIALS_KEY_FILE: path })).toThrow(`chmod 600 ${path}`);
    expect(existsSync(path)).toBe(true);
  });
});
