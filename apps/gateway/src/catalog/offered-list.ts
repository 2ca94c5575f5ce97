/**
 * Owns building the list of offered tools from the manifest's own tools, the exposed servers and other sources, and notifying subscribers of changes.
 *
 * Invariants
 * 1. An entry that has not changed stays the same object, and its tool too.
 * 2. A list is built in slices, one list at a time, and replaces the last one as a whole.
 */
import type { Middleware } from '@holdfast/core';
import type { Manifest } from '@holdfast/manifest';
import { Pauses } from '@holdfast/mcp-wire/client';
import { assemble, type Made } from './assemble-list.ts';
import type { CatalogInput } from './catalog.ts';
import type { CatalogEntry, CatalogNote } from './entry.ts';
import { gatherCandidates } from './gather-candidates.ts';
import type { KnownServers } from './known-servers.ts';
import { searchNames } from './tool-search.ts';
import { unusedEntries } from './unused-entries.ts';
import type { RunUpstream } from './upstream-tool.ts';

export interface OfferedListOptions {
  readonly upstreams: { all(): readonly { readonly name: string }[] };
  readonly known: Pick<KnownServers, 'get' | 'check'>;
  readonly run: RunUpstream;
  readonly wrap?: Middleware;
  /** Called with each new list before it replaces the last one, which is offered until the work is done. */
  readonly offer?: ((entries: readonly CatalogEntry[], manifest: Manifest) => Promise<void>) | undefined;
  /** Called with what is left when some entries are no longer offered. */
  readonly withdraw?: ((entries: readonly CatalogEntry[]) => void) | undefined;
  readonly onNote?: (note: CatalogNote) => void;
}

/** Messages that are not reported again. */
const maxNoted = 5_000;

export class OfferedList {
  readonly #options: OfferedListOptions;
  readonly #listeners = new Set<() => void>();
  readonly #noted = new Set<string>();
  #changes = 0;
  #made: ReadonlyMap<string, Made> = new Map();
  #entries: readonly CatalogEntry[] = [];
  #byName: ReadonlyMap<string, CatalogEntry> = new Map();
  #notes: readonly CatalogNote[] = [];
  /** What the next list is built from; `undefined` if nothing has changed since the last one was begun. */
  #wanted: CatalogInput | undefined;
  #isBuilding = false;
  #built: Promise<void> = Promise.resolve();

  constructor(options: OfferedListOptions) {
    this.#options = options;
  }

  get entries(): readonly CatalogEntry[] {
    return this.#entries;
  }

  get notes(): readonly CatalogNote[] {
    return this.#notes;
  }

  get(name: string): CatalogEntry | undefined {
    return this.#byName.get(name);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Builds the list from the manifest and the known state of servers. Resolves when it is that of this moment, or of a later one. */
  rebuild(input: CatalogInput): Promise<void> {
    this.#wanted = input;
    if (!this.#isBuilding) {
      this.#isBuilding = true;
      this.#built = this.#work().finally(() => (this.#isBuilding = false));
    }
    return this.#built;
  }

  async #work(): Promise<void> {
    for (let input = this.#wanted; input !== undefined; input = this.#wanted) {
      this.#wanted = undefined;
      await this.#build(input);
    }
  }

  async #build(input: CatalogInput): Promise<void> {
    const { upstreams, known, run, wrap, offer } = this.#options;
    const { manifest } = input;
    const { names } = manifest.gateway;
    const candidates = await gatherCandidates(input, known, { names, run, wrap, defaults: manifest.defaults });
    const next = await assemble(candidates, this.#made, {
      maxLength: names.maxLength,
      reserved: manifest.gateway.tools === 'search' ? searchNames : [],
    });
    const isOutdated = (): boolean => this.#wanted !== undefined && this.#wanted !== input;
    if (isOutdated()) return;
    this.#made = next.made;
    const ofServers = upstreams.all().flatMap(({ name }) => known.get(name)?.notes ?? []);
    this.#notes = [...next.notes, ...ofServers, ...unusedEntries(manifest, known)];
    this.report(this.#notes);
    // A tool that a client finds in the list can be called.
    await offer?.(next.entries, manifest).catch((error: unknown) => this.#reportFault('The tools cannot be offered', error));
    if (isOutdated() || isSameList(this.#entries, next.entries)) return;
    this.#take(next.entries);
    await this.#notify();
  }

  /** Ends offering entries at once: the next list is built without them, and takes longer. */
  withdraw(isGone: (entry: CatalogEntry) => boolean): void {
    const kept = this.#entries.filter((entry) => !isGone(entry));
    if (kept.length === this.#entries.length) return;
    this.#take(kept);
    this.#options.withdraw?.(kept);
  }

  #take(entries: readonly CatalogEntry[]): void {
    this.#entries = entries;
    this.#byName = new Map(entries.map((entry) => [entry.name, entry]));
  }

  /** A list-changed notification is passed on even if the list is the same. */
  async notifyAfter(refresh: () => Promise<void>): Promise<void> {
    const before = this.#changes;
    await refresh();
    if (this.#changes === before) await this.#notify();
  }

  close(): void {
    this.#listeners.clear();
  }

  /** Reports each message once. */
  report(notes: readonly CatalogNote[]): void {
    for (const note of notes) {
      const text = note.message.replaceAll(/\d+ ms/g, '');
      if (this.#noted.has(text)) continue;
      this.#noted.add(text);
      const [oldest] = this.#noted;
      if (this.#noted.size > maxNoted && oldest !== undefined) this.#noted.delete(oldest);
      // The failed connection has been reported already.
      if (note.isOutage !== true) this.#options.onNote?.(note);
    }
  }

  #reportFault(what: string, error: unknown): void {
    this.#options.onNote?.({ kind: 'listener_failed', message: `${what}: ${String((error as Error).message)}` });
  }

  async #notify(): Promise<void> {
    this.#changes++;
    const pauses = new Pauses();
    for (const listener of this.#listeners) {
      if (pauses.isDue) await pauses.pause();
      try {
        listener();
      } catch (error) {
        this.#reportFault('A listener failed for the new list of tools', error);
      }
    }
  }
}

function isSameList(before: readonly CatalogEntry[], after: readonly CatalogEntry[]): boolean {
  return before.length === after.length && before.every((entry, index) => entry === after[index]);
}
