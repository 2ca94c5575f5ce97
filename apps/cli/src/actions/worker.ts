/** `holdfast worker`: runs turns for the turn engine. */
import { work } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Action } from '../action.ts';
import { type GlobalOptions, loadConfig, withManifest } from '../config.ts';
import { withEngine } from '../serve/engine.ts';
import { type LogFormat, logFormatOf, runProgram } from '../serve/run-program.ts';
import { type OperatorLog, createOperatorLog } from '../serve/operator-log.ts';

interface WorkerCommandOptions extends GlobalOptions {
  readonly port?: number;
  readonly host?: string;
  /** `--no-register` */
  readonly register: boolean;
  readonly log?: LogFormat;
  readonly fresh?: boolean;
}

export const execute: Action<string | undefined, WorkerCommandOptions> = async (given, others, console) => {
  const options = withManifest(others, given);
  const manifest = withEngine(await loadConfig(options, console), 'restate');
  const log = logFormatOf(options.log, manifest, console);
  return run(manifest, { ...options, log }, createOperatorLog(log, manifest, console));
};

function run(manifest: Manifest, options: WorkerCommandOptions & { readonly log: LogFormat }, operatorLog: OperatorLog): Promise<number> {
  const shutdownText = `waiting up to ${manifest.worker.drainMs} ms for running attempts`;
  return runProgram({ options, manifest, operatorLog, shutdownText }, (parts, ready) =>
    work(manifest, {
      ...parts,
      fresh: options.fresh,
      host: options.host,
      port: options.port,
      log: options.log,
      register: options.register ? undefined : false,
      onReady: (info) => {
        ready();
        operatorLog.worker(info);
      },
    }),
  );
}
