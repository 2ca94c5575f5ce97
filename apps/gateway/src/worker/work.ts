/** Owns one run of a worker as a program: from a loaded manifest to the exit code. */
import type { EngineEntry, Manifest } from '@holdfast/manifest';
import { type ManifestWatch, watchManifest } from '../composition/watch-manifest.ts';
import { createWorker, type WorkerOptions } from './worker.ts';

/** What a worker serves. */
export interface WorkerInfo {
  /** Where it listens, such as `http://127.0.0.1:9080`. */
  readonly url: string;
  /** Where the engine was told to find it; `undefined` when it was not told. */
  readonly registered: string | undefined;
  /** The engine's address. */
  readonly engine: string;
  /** How many tools it has. */
  readonly tools: number;
}

/** Settings of one run of a worker as a program. */
export interface WorkOptions extends Omit<WorkerOptions, 'onFault'> {
  /** Ended: the worker drains, closes, and `work` resolves. */
  readonly signal: AbortSignal;
  /** In place of the manifest's `worker.listen.host`. */
  readonly host?: string | undefined;
  /** In place of the manifest's `worker.listen.port`. 0: any free port. */
  readonly port?: number | undefined;
  /** In place of the manifest's `worker.register`. */
  readonly register?: boolean | undefined;
  /** A sentence for the operator: faults, reloads. */
  readonly tell?: ((text: string) => void) | undefined;
  /** The manifest's path: read again on SIGHUP, and when it changes if `gateway.reload` says so. */
  readonly reloadFrom?: string | undefined;
  /** Called once when the engine can reach the worker. */
  readonly onReady?: ((info: WorkerInfo) => void) | undefined;
}

/** Resolves with 0 when everything was ended in order. Rejects where the worker cannot start, with a sentence that says why. */
export async function work(manifest: Manifest, options: WorkOptions): Promise<number> {
  const { signal, host, port, tell = () => {}, reloadFrom, onReady, register = manifest.worker.register, ...rest } = options;
  checkNode(process.versions.node);
  const worker = await createWorker(withEngine(manifest), { ...rest, onFault: tell });
  let watching: ManifestWatch | undefined;
  const onHangup = (): void => void watching?.reload();
  try {
    const url = await worker.listen({ host, port });
    const registered = register ? await worker.register() : undefined;
    if (reloadFrom !== undefined) {
      watching = watchManifest({ path: reloadFrom, apply: (next) => worker.reload(next), notify: tell, watch: manifest.gateway.reload });
      process.on('SIGHUP', onHangup);
    }
    onReady?.({ url, registered, engine: withEngine(manifest).engine.restate.ingress, tools: worker.service.tools.length });
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    return 0;
  } finally {
    process.off('SIGHUP', onHangup);
    watching?.stop();
    await worker.close();
  }
}

function withEngine(manifest: Manifest): Manifest & { readonly engine: EngineEntry } {
  const { engine } = manifest;
  if (engine === undefined)
    throw new TypeError('The manifest names no engine whose turns could be run: add engine: { restate: {} }, with its addresses.');
  return { ...manifest, engine };
}

const oldestNode = 22;

/** @throws TypeError on a Node on which every turn would hang. */
export function checkNode(version: string): void {
  if (Number.parseInt(version, 10) >= oldestNode) return;
  throw new TypeError(`A worker needs Node ${oldestNode} or newer: this is ${version}. Turns would be taken and never end.`);
}
