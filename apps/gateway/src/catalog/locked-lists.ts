/** Owns comparing the prompts and resources of servers with the lock file. The tools are compared by `known-servers.ts`. */
import { Pauses } from '@holdfast/mcp-wire/client';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { CatalogNote } from './entry.ts';
import { lockedPart, type PartKind, partKinds } from './locked-parts.ts';
import type { ToolGuard } from './tool-guard.ts';

export class LockedLists {
  readonly #guard: Pick<ToolGuard, 'check'>;
  readonly #notify: (notes: readonly CatalogNote[]) => void;
  readonly #notes = new Map<string, readonly CatalogNote[]>();
  readonly #listeners = new Set<() => void>();

  constructor(guard: Pick<ToolGuard, 'check'>, notify: (notes: readonly CatalogNote[]) => void) {
    this.#guard = guard;
    this.#notify = notify;
  }

  get notes(): readonly CatalogNote[] {
    return [...this.#notes.values()].flat();
  }

  /** Returns why entries are not offered, by the key of the kind. Never rejects. */
  readonly check = async (server: string, kind: PartKind, entries: readonly JsonObject[]): Promise<ReadonlyMap<string, string>> => {
    const pauses = new Pauses();
    const parts: JsonObject[] = [];
    for (const entry of entries) {
      if (pauses.isDue) await pauses.pause();
      parts.push(lockedPart(kind, entry));
    }
    const { withheld, notes } = await this.#guard.check(server, parts, kind);
    this.#notes.set(`${server} ${kind}`, notes);
    this.#notify(notes);
    const { prefix } = partKinds[kind];
    return new Map([...withheld].map(([name, reason]) => [name.slice(prefix.length), reason]));
  };

  readonly lockChanged = (): void => {
    for (const listener of this.#listeners) listener();
  };

  readonly subscribeLock = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}
