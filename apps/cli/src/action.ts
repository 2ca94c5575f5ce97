/** Owns what a command's work looks like. It is loaded when the command is used, so that help and mistakes are answered at once. */
import type { GlobalOptions } from './config.ts';
import type { Console } from './terminal/console.ts';

/** Resolves with the exit code. */
export type Action<Argument, Options extends GlobalOptions> = (argument: Argument, options: Options, console: Console) => Promise<number>;

export interface ActionModule<Argument, Options extends GlobalOptions> {
  readonly act: Action<Argument, Options>;
}
