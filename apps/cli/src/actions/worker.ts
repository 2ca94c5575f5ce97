/** `holdfast worker`: runs turns for the engine. */
import { work } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Action } from '../action.ts';
import { type GlobalOptions, loadConfig } from '../config.ts';
import { withEngine } from '../serve/engine.ts';
import { type LogKind, logOf, runProgram } from '../serve/run-program.ts';
import { type Voice, voiceOf } from '../serve/voice.ts';

interface WorkerCommandOptions extends GlobalOptions {
  readonly port?: number;
  readonly host?: string;
  /** `--no-register` */
  readonly register: boolean;
  readonly log?: LogKind;
  readonly fresh?: boolean;
}

export const act: Action<string | undefined, WorkerCommandOptions> = async (given, others, console) => {
  const options = given === undefined ? others : { ...others, config: given };
  const manifest = withEngine(await loadConfig(options, console), 'restate');
  const log = logOf(options.log, manifest, console);
  return run(manifest, { ...options, log }, voiceOf(log, manifest, console));
};

function run(manifest: Manifest, options: WorkerCommandOptions & { readonly log: LogKind }, voice: Voice): Promise<number> {
  const leaving = `letting attempts end, ${manifest.worker.drainMs} ms at most`;
  return runProgram({ options, manifest, voice, leaving }, (parts, ready) =>
    work(manifest, {
      ...parts,
      fresh: options.fresh,
      host: options.host,
      port: options.port,
      log: options.log,
      register: options.register ? undefined : false,
      onReady: (info) => {
        ready();
        voice.worker(info);
      },
    }),
  );
}
