/**
 * Owns building the list of offered tools from the manifest's own tools, the exposed servers and other sources, and notifying subscribers of changes.
 *
 * Invariant: an entry that has not changed stays the same object, and its tool too.
 */
import type { Middleware } from '@holdfast/core';
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
  readonly onNote?: (note: CatalogNote) => void;
}

export class OfferedList {
  readonly #options: OfferedListOptions;
  readonly #listeners = new Set<() => void>();
  readonly #noted = new Set<string>();
  #changes = 0;
  #made: ReadonlyMap<string, Made> = new Map();
  #entries: readonly CatalogEntry[] = [];
  #byName: ReadonlyMap<string, CatalogEntry> = new Map();
  #notes: readonly CatalogNote[] = [];

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

  /** Rebuilds the list from the manifest and the known state of servers. */
  rebuild(input: CatalogInput): void {
    const { upstreams, known, run, wrap } = this.#options;
    const { manifest } = input;
    const { names } = manifest.gateway;
    const candidates = gatherCandidates(input, known, { names, run, wrap, defaults: manifest.defaults });
    const next = assemble(candidates, this.#made, {
      maxLength: names.maxLength,
      reserved: manifest.gateway.tools === 'search' ? searchNames : [],
    });
    this.#made = next.made;
    const ofServers = upstreams.all().flatMap(({ name }) => known.get(name)?.notes ?? []);
    this.#notes = [...next.notes, ...ofServers, ...unusedEntries(manifest, known)];
    this.report(this.#notes);
    if (isSameList(this.#entries, next.entries)) return;
    this.#entries = next.entries;
    this.#byName = new Map(next.entries.map((entry) => [entry.name, entry]));
    this.#notify();
  }

  /** A list-changed notification is passed on even if the list is the same. */
  async notifyAfter(refresh: () => Promise<void>): Promise<void> {
    const before = this.#changes;
    await refresh();
    if (this.#changes === before) this.#notify();
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
      // The failed connection has been reported already.
      if (note.isOutage !== true) this.#options.onNote?.(note);
    }
  }

  #notify(): void {
    this.#changes++;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        const message = `A listener failed for the new list of tools: ${String((error as Error).message)}`;
        this.#options.onNote?.({ kind: 'listener_failed', message });
      }
    }
  }
}

function isSameList(before: readonly CatalogEntry[], after: readonly CatalogEntry[]): boolean {
  return before.length === after.length && before.every((entry, index) => entry === after[index]);
}
