/** Owns what a command's work looks like. It is loaded when the command is used, so that help and mistakes are answered at once. */
import type { Command } from 'commander';
import type { GlobalOptions } from './config.ts';
import type { Console } from './terminal/console.ts';

/** Resolves with the exit code. */
export type Action<Argument, Options extends GlobalOptions> = (argument: Argument, options: Options, console: Console) => Promise<number>;

interface ActionModule<Argument, Options extends GlobalOptions> {
  readonly act: Action<Argument, Options>;
}

/** What a command of the command line is given to do its work with. */
export interface Program {
  /** Loads a command's work and carries it out with its options, the global ones among them. */
  readonly perform: <Argument, Options extends GlobalOptions>(
    command: Command,
    load: () => Promise<ActionModule<Argument, Options>>,
    argument: Argument,
  ) => Promise<void>;
}
