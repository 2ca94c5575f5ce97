/**
 * `holdfast serve`: the gateway.
 *
 * Invariants
 * 1. With `--stdio` nothing but the protocol is written to standard output, whatever tools print.
 * 2. A full pipe on standard error blocks nothing, not even the shutdown.
 */
import { waitAtMost } from '@holdfast/core/internal/plain';
import { serve } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Action } from '../action.ts';
import { type GlobalOptions, loadConfig, withManifest } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import { type EngineChoice, withEngine } from '../serve/engine.ts';
import { type LogFormat, logFormatOf, runProgram } from '../serve/run-program.ts';
import { type OperatorLog, createOperatorLog } from '../serve/operator-log.ts';
import { createProtocolOutput } from '../terminal/protocol-output.ts';

interface ServeOptions extends GlobalOptions {
  readonly stdio?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly log?: LogFormat;
  readonly fresh?: boolean;
  readonly engine?: EngineChoice;
}

const flushLimitMs = 1_000;

export const execute: Action<string | undefined, ServeOptions> = async (given, others, console) => {
  const options = withManifest(others, given);
  if (options.stdio === true && (options.port !== undefined || options.host !== undefined))
    throw new UsageError('--stdio does not listen on a port: leave out --port and --host.');
  const manifest = withEngine(await loadConfig(options, console), options.engine);
  const log = logFormatOf(options.log, manifest, console);
  const exitCode = await run(manifest, { ...options, log }, createOperatorLog(log, manifest, console));
  const flushed = await waitAtMost(
    globalThis,
    console.err.flush().then(() => true),
    flushLimitMs,
  );
  if (flushed !== true) process.exit(exitCode);
  return exitCode;
};

async function run(manifest: Manifest, options: ServeOptions & { readonly log: LogFormat }, operatorLog: OperatorLog): Promise<number> {
  const output = createProtocolOutput();
  const shutdownText = `waiting up to ${manifest.gateway.drainMs} ms for running calls`;
  return runProgram({ options, manifest, operatorLog, shutdownText }, (parts, ready) =>
    serve(manifest, {
      ...parts,
      stdio: options.stdio === true ? { input: process.stdin, output } : undefined,
      fresh: options.fresh,
      host: options.host,
      port: options.port,
      log: options.log,
      onReady: (info) => {
        ready();
        operatorLog.ready(info);
      },
    }),
  );
}
