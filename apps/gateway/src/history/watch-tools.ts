/** Owns noticing that tools and upstreams appear and disappear. Does not own either. */
import type { ToolExecutionService } from '@holdfast/core';
import { Pauses } from '@holdfast/mcp-wire/client';
import type { Catalog } from '../catalog/catalog.ts';
import type { NewChange } from './history.ts';

export type UpstreamStates = readonly { readonly name: string; readonly state: string }[];

export interface ToolWatch {
  readonly service: Pick<ToolExecutionService, 'tools'>;
  readonly catalog: Pick<Catalog, 'list' | 'ready' | 'subscribe'>;
  readonly note: (change: NewChange) => void;
  readonly touch: (name: string) => void;
  readonly remove: (name: string) => void;
}

/** Of more tools at once, one change gives the number: they would push all other changes out of the log. */
const maxNotes = 20;

/** Returns a function that unsubscribes. */
export function watchTools({ service, catalog, note, touch, remove }: ToolWatch): () => void {
  let known: ReadonlySet<string> = new Set();
  let isReady = false;
  let entries: ReadonlySet<object> = new Set();
  const noteAll = (kind: 'tool_added' | 'tool_removed', names: readonly string[]): void => {
    // Tools that exist from the start are not changes.
    if (!isReady) return;
    const words = kind === 'tool_added' ? 'available' : 'no longer available';
    for (const name of names.slice(0, maxNotes)) note({ kind, text: `${name} is ${words}`, tool_id: name });
    if (names.length > maxNotes) note({ kind, text: `${names.length - maxNotes} more tools are ${words}` });
  };
  const check = async (): Promise<void> => {
    const list = catalog.list();
    const pauses = new Pauses();
    // Subscribers are called after every notification of a server. An entry that has not changed is the same object.
    const changed = new Set(list.flatMap((entry) => (entries.has(entry) ? [] : [entry.name])));
    const before = known;
    const now = new Set(service.tools.map(({ name }) => name));
    entries = new Set(list);
    known = now;
    for (const name of now) {
      if (pauses.isDue) await pauses.pause();
      if (changed.has(name) || !before.has(name)) touch(name);
    }
    const gone = [...before].filter((name) => !now.has(name));
    for (const name of gone) {
      if (pauses.isDue) await pauses.pause();
      remove(name);
    }
    noteAll(
      'tool_added',
      [...now].filter((name) => !before.has(name)),
    );
    noteAll('tool_removed', gone);
  };
  let last = check();
  const checkNext = (): Promise<void> => (last = last.then(check));
  void catalog
    .ready()
    .then(checkNext)
    .then(() => (isReady = true));
  return catalog.subscribe(() => void checkNext());
}

/** Answers the check at them, to be taken now and then. */
export function watchUpstreams(states: (() => UpstreamStates) | undefined, note: (change: NewChange) => void): () => void {
  const down = new Set<string>();
  const seen = new Set<string>();
  return () => {
    for (const { name, state } of states?.() ?? []) {
      if (state === 'up') {
        if (down.delete(name)) note({ kind: 'upstream_up', text: `Upstream ${name} answers again` });
        seen.add(name);
      } else if (state === 'down' && !down.has(name)) {
        down.add(name);
        note({
          kind: 'upstream_down',
          text: seen.has(name) ? `Upstream ${name} no longer answers` : `Upstream ${name} does not answer`,
        });
      }
    }
  };
}
