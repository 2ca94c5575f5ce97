/**
 * Owns noticing that the manifest has changed, and putting it in force.
 *
 * Invariant: of several changes the last one counts, and reloads do not overlap.
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
  /** A sentence for the operator. */
  readonly notify: (text: string) => void;
  /** Whether changes of the file are watched for. */
  readonly watch: boolean;
}

/** Editors write a file in several steps. */
const settleMs = 200;

export function watchManifest({ path, apply, notify: tell, watch: isWatching }: ManifestWatchOptions): ManifestWatch {
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  const load = async (): Promise<void> => {
    const { manifest, problems, source } = await loadManifest(path);
    for (const problem of problems) tell(formatProblem(problem, { source, color: false }));
    if (!manifest) return tell(`${path} cannot be used: the gateway goes on as it was.`);
    const waiting = await apply(manifest);
    tell(`${path} is in force.${waiting.length === 0 ? '' : ` Only from the next start: ${waiting.join(', ')}.`}`);
  };
  const reload = (): Promise<void> => {
    last = last.then(load).catch((error: unknown) => tell(`${path} was not put in force: ${describeError(error).message}`));
    return last;
  };
  // The folder: an editor that replaces the file ends the watching of the file itself.
  const watcher = isWatching
    ? watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name !== basename(path)) return;
        clearTimeout(timer);
        timer = setTimeout(() => void reload(), settleMs);
      })
    : undefined;
  watcher?.on('error', (error) => tell(`${path} is no longer watched: ${error.message}`));
  return {
    reload,
    stop: () => {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}
