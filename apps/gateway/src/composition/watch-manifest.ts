/**
 * Owns watching the manifest for changes, and applying them.
 *
 * Invariant: the last of several changes takes effect, and reloads do not overlap.
 */
import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describeError } from '@holdfast/core/internal';
import { formatProblem, loadManifest, type Manifest } from '@holdfast/manifest';

export interface ManifestWatch {
  /** Reads the manifest again now. */
  readonly reload: () => Promise<void>;
  readonly stop: () => void;
}

export interface ManifestWatchOptions {
  readonly path: string;
  readonly apply: (manifest: Manifest) => Promise<readonly string[]>;
  /** Reports a sentence to the operator. */
  readonly notify: (text: string) => void;
  /** Whether the file is watched for changes. */
  readonly watch: boolean;
}

/** Editors write a file in several steps. */
const settleMs = 200;

export function watchManifest({ path, apply, notify, watch: isWatching }: ManifestWatchOptions): ManifestWatch {
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  const load = async (): Promise<void> => {
    const { manifest, problems, source } = await loadManifest(path);
    for (const problem of problems) notify(formatProblem(problem, { source, color: false }));
    if (!manifest) return notify(`${path} is invalid: the gateway keeps the previous manifest.`);
    const waiting = await apply(manifest);
    notify(`Loaded ${path} again.${waiting.length === 0 ? '' : ` Settings that take effect after a restart: ${waiting.join(', ')}.`}`);
  };
  const reload = (): Promise<void> => {
    last = last.then(load).catch((error: unknown) => notify(`${path} was not applied: ${describeError(error).message}`));
    return last;
  };
  // Watches the folder: a watch on the file ends when an editor replaces the file.
  const watcher = isWatching
    ? watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name !== basename(path)) return;
        clearTimeout(timer);
        timer = setTimeout(() => void reload(), settleMs);
      })
    : undefined;
  watcher?.on('error', (error) => notify(`${path} is no longer watched: ${error.message}`));
  return {
    reload,
    stop: () => {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}
