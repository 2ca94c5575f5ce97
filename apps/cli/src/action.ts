/** The interface between commands and their actions. Actions load on demand, so that help and usage errors are fast. */
import type { Command } from 'commander';
import type { GlobalOptions } from './config.ts';
import type { Console } from './terminal/console.ts';

/** Resolves with the exit code. */
export type Action<Argument, Options extends GlobalOptions> = (argument: Argument, options: Options, console: Console) => Promise<number>;

interface ActionModule<Argument, Options extends GlobalOptions> {
  readonly execute: Action<Argument, Options>;
}

/** What each command gets when it is registered. */
export interface Program {
  /** Loads a command's action and runs it with the command's options and the global options. */
  readonly runAction: <Argument, Options extends GlobalOptions>(
    command: Command,
    load: () => Promise<ActionModule<Argument, Options>>,
    argument: Argument,
  ) => Promise<void>;
}
