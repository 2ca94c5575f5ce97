import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ProgramRun, type StartedProgram, untilShutdown } from '../../src/composition/until-shutdown.ts';

let folder: string;
let manifest: string;
let log: string[];
let controller: AbortController;
let onNotify: (text: string) => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-until-shutdown-'));
  manifest = join(folder, 'holdfast.yaml');
  writeFileSync(manifest, 'profile: adaptive\ntools: [{ id: say, run: { command: { command: echo } } }]\n');
  log = [];
  controller = new AbortController();
  onNotify = () => {};
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (more: Partial<ProgramRun> = {}): ProgramRun => ({
  signal: controller.signal,
  reloadFrom: undefined,
  watch: false,
  apply: ({ profile }) => {
    log.push(`apply ${profile}`);
    return Promise.resolve([]);
  },
  notify: (text) => onNotify(text),
  close: () => {
    log.push('close');
    return Promise.resolve();
  },
  ...more,
});

const start =
  (more: Partial<StartedProgram> = {}) =>
  async (): Promise<StartedProgram> => {
    log.push('start');
    return { announce: () => log.push('ready'), ...more };
  };

test('it runs until the signal', async () => {
  const running = untilShutdown(program(), start({ announce: () => queueMicrotask(() => controller.abort()) }));
  await running;
  expect(log).toEqual(['start', 'close']);
});

test('it ends by itself, and when the signal came before', async () => {
  await untilShutdown(program(), start({ ended: Promise.resolve() }));
  expect(log).toEqual(['start', 'ready', 'close']);
  controller.abort();
  await untilShutdown(program(), start());
  expect(log.slice(3)).toEqual(['start', 'ready', 'close']);
});

test('it closes when it cannot start, without announcing itself', async () => {
  const failed = untilShutdown(program({ reloadFrom: manifest }), () => Promise.reject(new Error('no port')));
  await expect(failed).rejects.toThrow('no port');
  expect(log).toEqual(['close']);
});

test('it reloads on SIGHUP from its announcement on, and no longer listens after its end', async () => {
  const before = process.listenerCount('SIGHUP');
  const notified = new Promise<string>((resolve) => (onNotify = resolve));
  const announce = (): void => {
    expect(process.listenerCount('SIGHUP')).toBe(before + 1);
    process.emit('SIGHUP');
  };
  const running = untilShutdown(program({ reloadFrom: manifest }), start({ announce }));
  expect(await notified).toBe(`Loaded ${manifest} again.`);
  controller.abort();
  await running;
  expect(log).toEqual(['start', 'apply adaptive', 'close']);
  expect(process.listenerCount('SIGHUP')).toBe(before);
});
