/**
 * `holdfast serve`: the gateway.
 *
 * Invariants
 * 1. With `--stdio` nothing but the protocol is written to standard output, whatever tools print.
 * 2. A reader of standard error that does not read holds up nothing, the end included.
 */
import { serve } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Action } from '../action.ts';
import { type GlobalOptions, loadConfig } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import { type EngineChoice, withEngine } from '../serve/engine.ts';
import { type LogKind, logOf, runProgram } from '../serve/run-program.ts';
import { type Voice, voiceOf } from '../serve/voice.ts';
import { protocolOutput } from '../terminal/protocol-output.ts';

interface ServeOptions extends GlobalOptions {
  readonly stdio?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly log?: LogKind;
  readonly fresh?: boolean;
  readonly engine?: EngineChoice;
}

const flushLimitMs = 1_000;

export const act: Action<undefined, ServeOptions> = async (_none, options, console) => {
  if (options.stdio === true && (options.port !== undefined || options.host !== undefined))
    throw new UsageError('--stdio listens nowhere: leave out --port and --host.');
  const manifest = withEngine(await loadConfig(options, console), options.engine);
  const log = logOf(options.log, manifest, console);
  const exitCode = await run(manifest, { ...options, log }, voiceOf(log, manifest, console));
  const flushed = await Promise.race([console.err.flushed().then(() => true), after(flushLimitMs).then(() => false)]);
  if (!flushed) process.exit(exitCode);
  return exitCode;
};

async function run(manifest: Manifest, options: ServeOptions & { readonly log: LogKind }, voice: Voice): Promise<number> {
  const output = protocolOutput();
  const leaving = `finishing what runs, ${manifest.gateway.drainMs} ms at most`;
  return runProgram({ options, manifest, voice, leaving }, (parts, ready) =>
    serve(manifest, {
      ...parts,
      stdio: options.stdio === true ? { input: process.stdin, output } : undefined,
      fresh: options.fresh,
      host: options.host,
      port: options.port,
      log: options.log,
      onReady: (info) => {
        ready();
        voice.ready(info);
      },
    }),
  );
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
