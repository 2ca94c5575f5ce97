/** Owns one run of a worker as a program: from a loaded manifest to the exit code. */
import { checkOptions } from '@holdfast/core/internal/plain';
import { processFields } from '../composition/option-fields.ts';
import type { EngineEntry, Manifest } from '@holdfast/manifest';
import { type ManifestWatch, watchManifest } from '../composition/watch-manifest.ts';
import { createWorker, type WorkerOptions } from './worker.ts';

/** What a worker serves. */
export interface WorkerInfo {
  /** The address on which it listens, such as `http://127.0.0.1:9080`. */
  readonly url: string;
  /** The address that is registered at the engine; `undefined` if it is not registered. */
  readonly registered: string | undefined;
  /** The address of the engine. */
  readonly engine: string;
  /** Number of its tools. */
  readonly tools: number;
}

/** Settings of one run of a worker as a program. */
export interface WorkOptions extends Omit<WorkerOptions, 'onFault'> {
  /** When aborted, the worker drains and closes, and `work` resolves. */
  readonly signal: AbortSignal;
  /** Overrides `worker.listen.host` of the manifest. */
  readonly host?: string | undefined;
  /** Overrides `worker.listen.port` of the manifest. 0: any free port. */
  readonly port?: number | undefined;
  /** Overrides `worker.register` of the manifest. */
  readonly register?: boolean | undefined;
  /** Called with a sentence for the operator, such as a fault or a reload. */
  readonly onMessage?: ((text: string) => void) | undefined;
  /** Path of the manifest: it is read again on SIGHUP, and after a change if `gateway.reload` is set. */
  readonly reloadFrom?: string | undefined;
  /** Called once when the engine can reach the worker. */
  readonly onReady?: ((info: WorkerInfo) => void) | undefined;
}

/** Resolves with 0 after a clean shutdown. Rejects if the worker cannot start, with the reason as a sentence. */
export async function work(manifest: Manifest, options: WorkOptions): Promise<number> {
  checkOptions({ ...processFields, register: 'boolean' }, options, 'work', ['signal']);
  const { signal, host, port, onMessage = () => {}, reloadFrom, onReady, register = manifest.worker.register, ...rest } = options;
  checkNode(process.versions.node);
  const worker = await createWorker(withEngine(manifest), { ...rest, onFault: onMessage });
  let watching: ManifestWatch | undefined;
  const onHangup = (): void => void watching?.reload();
  try {
    const url = await worker.listen({ host, port });
    const registered = register ? await worker.register() : undefined;
    if (reloadFrom !== undefined) {
      watching = watchManifest({
        path: reloadFrom,
        apply: (next) => worker.reload(next),
        notify: onMessage,
        watch: manifest.gateway.reload,
      });
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
  if (engine === undefined) throw new TypeError('The manifest has no engine: add engine: { restate: {} } with its addresses.');
  return { ...manifest, engine };
}

const minNodeVersion = 22;

/** @throws TypeError for a version of Node with which every turn would hang */
export function checkNode(version: string): void {
  if (Number.parseInt(version, 10) >= minNodeVersion) return;
  throw new TypeError(`A worker requires Node ${minNodeVersion} or newer: this is ${version}. Turns would start and never end.`);
}
