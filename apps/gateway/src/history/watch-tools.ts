/** Owns noticing that tools and upstreams appear and disappear. Does not own either. */
import type { ToolExecutionService } from '@holdfast/core';
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

/** Returns a function that unsubscribes. */
export function watchTools({ service, catalog, note, touch, remove }: ToolWatch): () => void {
  let known = new Set<string>();
  let isReady = false;
  let entries: ReadonlySet<object> = new Set();
  const check = (): void => {
    const list = catalog.list();
    // Subscribers are called after every notification of a server. An entry that has not changed is the same object.
    const changed = new Set(list.flatMap((entry) => (entries.has(entry) ? [] : [entry.name])));
    entries = new Set(list);
    const now = new Set(service.tools.map(({ name }) => name));
    for (const name of now) {
      if (changed.has(name) || !known.has(name)) touch(name);
      // Tools that exist from the start are not changes.
      if (isReady && !known.has(name)) note({ kind: 'tool_added', text: `${name} is available`, tool_id: name });
    }
    for (const name of known) {
      if (now.has(name)) continue;
      remove(name);
      if (isReady) note({ kind: 'tool_removed', text: `${name} is no longer available`, tool_id: name });
    }
    known = now;
  };
  check();
  void catalog.ready().then(() => {
    check();
    isReady = true;
  });
  return catalog.subscribe(check);
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
