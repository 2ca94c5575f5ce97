/**
 * Owns outputs that are too large for a result: stored on disk for a while, read by URI.
 *
 * Invariants
 * 1. Only this user can read the files and their folder; ids cannot be guessed.
 * 2. Their total size stays below the limit: the client with the most makes room, the oldest first. No file is kept longer than its time, or than the store.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { System, TimerHandle } from '@holdfast/core';
import { SharedSpace } from '../plain/shared-space.ts';
import { spillPrefix } from './calls.ts';

interface SpillSettings {
  readonly keepMs: number;
  readonly keepBytes: number;
}

export interface SpillStoreOptions {
  readonly settings: () => SpillSettings;
  /** @default a new temporary folder, removed at the end */
  readonly folder?: string | undefined;
  readonly system: System;
}

export interface Kept {
  readonly mimeType: string;
  /** Text, or bytes. */
  readonly content: string | Buffer;
  /** Redacts the content when it is read. */
  readonly isSecret: boolean;
  /** Whose it is; to others it does not exist. */
  readonly owner: string | undefined;
}

interface Held {
  readonly owner: string | undefined;
  readonly mimeType: string;
  readonly isText: boolean;
  readonly isSecret: boolean;
  readonly expiresAt: number;
}

export class SpillStore {
  readonly #options: SpillStoreOptions;
  readonly #held = new SharedSpace<Held>();
  #folder: Promise<string> | undefined;
  #timer: TimerHandle | undefined;
  #isClosed = false;

  constructor(options: SpillStoreOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#held.size;
  }

  /** Returns the URI; `undefined` if it exceeds the size limit of the store, or its client's part of it. */
  async keep({ mimeType, content, isSecret, owner }: Kept): Promise<string | undefined> {
    const { settings, system } = this.#options;
    const { keepMs, keepBytes } = settings();
    const bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;
    if (this.#isClosed) return undefined;
    const id = randomBytes(16).toString('base64url');
    const held = { mimeType, isText: typeof content === 'string', isSecret, owner, expiresAt: system.now() + keepMs };
    const removed = this.#held.put(id, { owner, size: bytes, value: held }, keepBytes);
    if (removed === undefined) return undefined;
    for (const [each] of removed) void this.#remove(each);
    try {
      await writeFile(await this.#fileOf(id), content, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      await this.#drop(id).catch(() => undefined);
      throw error;
    }
    this.#setTimer();
    return spillPrefix + id;
  }

  async read(id: string): Promise<Kept | undefined> {
    const held = this.#held.get(id);
    if (held === undefined || held.expiresAt <= this.#options.system.now()) return undefined;
    const file = await this.#fileOf(id);
    try {
      const content = held.isText ? await readFile(file, 'utf8') : await readFile(file);
      return { mimeType: held.mimeType, isSecret: held.isSecret, owner: held.owner, content };
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.#options.system.clearTimer(this.#timer);
    const opened = await this.#folder?.catch(() => undefined);
    if (opened === undefined) return;
    if (this.#options.folder === undefined) await rm(opened, { recursive: true, force: true });
    else await Promise.all([...this.#held.entries()].map(([id]) => this.#drop(id)));
  }

  async #drop(id: string): Promise<void> {
    if (this.#held.delete(id)) await this.#remove(id);
  }

  async #remove(id: string): Promise<void> {
    await rm(await this.#fileOf(id), { force: true });
  }

  async #fileOf(id: string): Promise<string> {
    const { folder, settings } = this.#options;
    this.#folder ??= openFolder(folder, settings().keepMs);
    return join(await this.#folder, id);
  }

  #dropOld(): void {
    const { system } = this.#options;
    this.#timer = undefined;
    for (const [id, { value }] of this.#held.entries()) if (value.expiresAt <= system.now()) void this.#drop(id);
    this.#setTimer();
  }

  /** Ids are in the order of their expiry, unless the time to keep was changed. */
  #setTimer(): void {
    const { system } = this.#options;
    const first = this.#held.entries().next().value?.[1].value;
    if (first === undefined || this.#timer !== undefined || this.#isClosed) return;
    this.#timer = system.setTimer(Math.max(first.expiresAt - system.now(), 1), () => this.#dropOld(), true);
  }
}

async function openFolder(folder: string | undefined, keepMs: number): Promise<string> {
  if (folder === undefined) return mkdtemp(join(tmpdir(), 'holdfast-results-'));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await sweep(folder, keepMs);
  return folder;
}

/** Files of an earlier process. */
async function sweep(folder: string, keepMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^[\w-]{22}$/.test(name)) continue;
    const file = join(folder, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - keepMs) await rm(file, { force: true });
  }
}
