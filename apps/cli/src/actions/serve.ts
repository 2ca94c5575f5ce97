/**
 * `holdfast serve`: the gateway.
 *
 * Invariants
 * 1. With `--stdio` nothing but the protocol is written to standard output, whatever tools print.
 * 2. The first signal drains, the second ends at once.
 * 3. A reader of standard error that does not read holds up nothing, the end included.
 */
import { serve } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Action } from '../action.ts';
import { type GlobalOptions, configPath, loadConfig } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import { type EngineChoice, withEngine } from '../serve/engine.ts';
import { type Voice, voiceOf } from '../serve/voice.ts';
import { endingSignals, watchSignals } from '../signals.ts';
import { openStore } from '../store.ts';
import { protocolOutput } from '../terminal/protocol-output.ts';
import { guardProgram } from '../serve/guard.ts';

interface ServeOptions extends GlobalOptions {
  readonly stdio?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly log?: Manifest['gateway']['log'];
  readonly fresh?: boolean;
  readonly engine?: EngineChoice;
}

const flushLimitMs = 1_000;

export const act: Action<undefined, ServeOptions> = async (_none, options, console) => {
  if (options.stdio === true && (options.port !== undefined || options.host !== undefined))
    throw new UsageError('--stdio listens nowhere: leave out --port and --host.');
  const manifest = withEngine(await loadConfig(options, console), options.engine);
  const log = options.log ?? (console.err.isTTY && manifest.gateway.log === 'json' ? 'text' : manifest.gateway.log);
  const exitCode = await run(manifest, { ...options, log }, voiceOf(log, manifest, console));
  const flushed = await Promise.race([console.err.flushed().then(() => true), after(flushLimitMs).then(() => false)]);
  if (!flushed) process.exit(exitCode);
  return exitCode;
};

async function run(
  manifest: Manifest,
  options: ServeOptions & { readonly log: Manifest['gateway']['log'] },
  voice: Voice,
): Promise<number> {
  const output = protocolOutput();
  const restore = guardProgram(voice, options.debug);
  const store = await openStore(options, manifest, voice.warn);
  const watch = watchSignals(
    (name) => voice.note(`${name}: finishing what runs, ${manifest.gateway.drainMs} ms at most; once more ends at once.`),
    endingSignals(),
  );
  let isReady = false;
  try {
    return await serve(manifest, {
      signal: watch.signal,
      stdio: options.stdio === true ? { input: process.stdin, output } : undefined,
      store,
      fresh: options.fresh,
      host: options.host,
      port: options.port,
      log: options.log,
      tell: voice.warn,
      reloadFrom: configPath(options),
      onReady: (info) => {
        isReady = true;
        voice.ready(info);
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

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
