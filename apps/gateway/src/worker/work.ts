/** Owns one run of a worker as a program: from a loaded manifest to the exit code. */
import { checkOptions } from '@holdfast/core/internal/plain';
import { processFields } from '../composition/option-fields.ts';
import type { EngineEntry, Manifest } from '@holdfast/manifest';
import { type ProgramRun, untilShutdown } from '../composition/until-shutdown.ts';
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
  const withEngine = requireEngine(manifest);
  const worker = await createWorker(withEngine, { ...rest, onFault: onMessage });
  const program: ProgramRun = {
    signal,
    reloadFrom,
    watch: manifest.gateway.reload,
    apply: (next) => worker.reload(next),
    notify: onMessage,
    close: () => worker.close(),
  };
  await untilShutdown(program, async () => {
    const url = await worker.listen({ host, port });
    const registered = register ? await worker.register() : undefined;
    const info: WorkerInfo = { url, registered, engine: withEngine.engine.restate.ingress, tools: worker.service.tools.length };
    return { announce: () => onReady?.(info) };
  });
  return 0;
}

function requireEngine(manifest: Manifest): Manifest & { readonly engine: EngineEntry } {
  const { engine } = manifest;
  if (engine === undefined) throw new TypeError('The manifest has no engine: add engine: { restate: {} } with its addresses.');
  return { ...manifest, engine };
}
