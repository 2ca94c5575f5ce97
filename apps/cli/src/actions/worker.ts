/**
 * `holdfast worker`: runs turns for the engine.
 *
 * Invariant: the first signal drains, the second ends at once.
 */
import { work } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Action } from '../action.ts';
import { type GlobalOptions, configPath, loadConfig } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import { withEngine } from '../serve/engine.ts';
import { guardProgram } from '../serve/guard.ts';
import { type Voice, voiceOf } from '../serve/voice.ts';
import { endingSignals, watchSignals } from '../signals.ts';
import { openStore } from '../store.ts';

interface WorkerCommandOptions extends GlobalOptions {
  readonly port?: number;
  readonly host?: string;
  /** `--no-register` */
  readonly register: boolean;
  readonly log?: Manifest['gateway']['log'];
  readonly fresh?: boolean;
}

export const act: Action<string | undefined, WorkerCommandOptions> = async (given, others, console) => {
  const options = given === undefined ? others : { ...others, config: given };
  const manifest = withEngine(await loadConfig(options, console), 'restate');
  const log = options.log ?? (console.err.isTTY && manifest.gateway.log === 'json' ? 'text' : manifest.gateway.log);
  return run(manifest, { ...options, log }, voiceOf(log, manifest, console));
};

async function run(
  manifest: Manifest,
  options: WorkerCommandOptions & { readonly log: Manifest['gateway']['log'] },
  voice: Voice,
): Promise<number> {
  const restore = guardProgram(voice, options.debug);
  const store = await openStore(options, manifest, voice.warn);
  const watch = watchSignals(
    (name) => voice.note(`${name}: letting attempts end, ${manifest.worker.drainMs} ms at most; once more ends at once.`),
    endingSignals(),
  );
  let isReady = false;
  try {
    return await work(manifest, {
      signal: watch.signal,
      store,
      fresh: options.fresh,
      host: options.host,
      port: options.port,
      log: options.log,
      register: options.register ? undefined : false,
      tell: voice.warn,
      reloadFrom: configPath(options),
      onReady: (info) => {
        isReady = true;
        voice.worker(info);
      },
    });
  } catch (error) {
    // Until then it says what stands in the way of starting.
    if (isReady || options.debug === true) throw error;
    throw new UsageError(error instanceof Error ? error.message : String(error));
  } finally {
    await store?.flush();
    await store?.close();
    watch.stop();
    restore();
  }
}
