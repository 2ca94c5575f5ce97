/**
 * Owns results that are too large: kept on disk for a limited time, read by URI.
 *
 * Invariants
 * 1. Files and their folder are readable by this user only; ids cannot be guessed.
 * 2. The total size stays below the limit: the oldest are removed first. No file is kept longer than its time or the store.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { System, TimerHandle } from '@holdfast/core';
import { spillPrefix } from './calls.ts';

interface SpillSettings {
  readonly keepMs: number;
  readonly keepBytes: number;
}

export interface SpillStoreOptions {
  readonly settings: () => SpillSettings;
  /** @default a new temporary folder, removed on close */
  readonly folder?: string | undefined;
  readonly system: System;
}

export interface Kept {
  readonly mimeType: string;
  /** Text or bytes. */
  readonly content: string | Buffer;
  /** Whether the content is redacted when it is read. */
  readonly isSecret: boolean;
}

export interface SpillStore {
  /** Returns the URI; `undefined` if it exceeds the total limit. */
  keep(kept: Kept): Promise<string | undefined>;
  read(id: string): Promise<Kept | undefined>;
  readonly bytes: number;
  close(): Promise<void>;
}

interface Held {
  readonly mimeType: string;
  readonly isText: boolean;
  readonly isSecret: boolean;
  readonly bytes: number;
  readonly expiresAt: number;
}

export function spillStore({ settings, folder, system }: SpillStoreOptions): SpillStore {
  const held = new Map<string, Held>();
  let bytes = 0;
  let place: Promise<string> | undefined;
  let timer: TimerHandle | undefined;
  let isClosed = false;

  const open = (): Promise<string> => (place ??= openFolder(folder, settings().keepMs));
  const drop = async (id: string): Promise<void> => {
    const one = held.get(id);
    if (one === undefined) return;
    held.delete(id);
    bytes -= one.bytes;
    await rm(join(await open(), id), { force: true });
  };
  const dropOld = (): void => {
    timer = undefined;
    for (const [id, { expiresAt }] of held) if (expiresAt <= system.now()) void drop(id);
    scheduleExpiry();
  };
  /** Entries are ordered by expiry, except after a change of the time to keep. */
  const scheduleExpiry = (): void => {
    const [first] = held.values();
    if (first === undefined || timer !== undefined || isClosed) return;
    timer = system.setTimer(Math.max(first.expiresAt - system.now(), 1), dropOld, true);
  };

  return {
    get bytes() {
      return bytes;
    },
    async keep({ mimeType, content, isSecret }) {
      const { keepMs, keepBytes } = settings();
      const size = typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;
      if (size > keepBytes || isClosed) return undefined;
      for (const id of held.keys()) {
        if (bytes + size <= keepBytes) break;
        void drop(id);
      }
      const id = randomBytes(16).toString('base64url');
      bytes += size;
      held.set(id, { mimeType, isText: typeof content === 'string', isSecret, bytes: size, expiresAt: system.now() + keepMs });
      try {
        await writeFile(join(await open(), id), content, { mode: 0o600, flag: 'wx' });
      } catch (error) {
        await drop(id).catch(() => undefined);
        throw error;
      }
      scheduleExpiry();
      return spillPrefix + id;
    },
    async read(id) {
      const one = held.get(id);
      if (one === undefined || one.expiresAt <= system.now()) return undefined;
      const file = join(await open(), id);
      try {
        const content = one.isText ? await readFile(file, 'utf8') : await readFile(file);
        return { mimeType: one.mimeType, isSecret: one.isSecret, content };
      } catch {
        return undefined;
      }
    },
    async close() {
      isClosed = true;
      if (timer !== undefined) system.clearTimer(timer);
      const opened = await place?.catch(() => undefined);
      if (opened === undefined) return;
      if (folder === undefined) await rm(opened, { recursive: true, force: true });
      else await Promise.all([...held.keys()].map(drop));
    },
  };
}

async function openFolder(folder: string | undefined, keepMs: number): Promise<string> {
  if (folder === undefined) return mkdtemp(join(tmpdir(), 'holdfast-results-'));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await sweep(folder, keepMs);
  return folder;
}

/** Removes files of an earlier process. */
async function sweep(folder: string, keepMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^[\w-]{22}$/.test(name)) continue;
    const file = join(folder, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - keepMs) await rm(file, { force: true });
  }
}
