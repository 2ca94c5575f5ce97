/**
 * Owns the command line as a whole: its commands, its help, and the way from whatever happens to an exit code.
 *
 * Invariants
 * 1. A user's mistake is one sentence, never a stack (`--debug` shows it).
 * 2. `run` resolves with an exit code, always.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import type { Program } from './action.ts';
import { addCheck } from './commands/check.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addInit } from './commands/init.ts';
import { addLock } from './commands/lock.ts';
import { addMcpConfig } from './commands/mcp-config.ts';
import { addReplay } from './commands/replay.ts';
import { addRules } from './commands/rules.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addSimulate } from './commands/simulate.ts';
import { addTools } from './commands/tools.ts';
import { addTrace } from './commands/trace.ts';
import { addTune } from './commands/tune.ts';
import { addTurns } from './commands/turns.ts';
import { addWhatif } from './commands/whatif.ts';
import { addWorker } from './commands/worker.ts';
import { exitCodes, isUsageError } from './exit-codes.ts';
import { type Console, createConsole } from './terminal/console.ts';

/** Runs one command line, without the program's own name; resolves with the exit code. */
export async function runCommandLine(args: readonly string[], console: Console = createConsole()): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program: Program = {
    perform: async (command, load, argument) => {
      const { act } = await load();
      exitCode = await act(argument, command.optsWithGlobals(), console);
    },
  };
  const root = commandLine(program, console);
  try {
    await root.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, args.includes('--debug'), console);
  }
}

function reportError(error: unknown, debug: boolean, console: Console): number {
  // Commander has written its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const usage = isUsageError(error);
  console.failure(debug && stack !== undefined ? stack : message);
  if (!usage && !debug) console.note('This should not have happened; --debug shows where it did.');
  return usage ? exitCodes.usage : exitCodes.bug;
}

function commandLine(program: Program, console: Console): Command {
  const root = new Command('holdfast')
    .description(
      'The reliability layer between an AI agent and its tools: a gateway for MCP hosts and agents, and turns to run, watch and ask about.',
    )
    .version(version(), '-V, --version', 'print the version')
    .option('-c, --config <path>', 'the manifest (default: holdfast.yaml here or in a folder above)')
    .addOption(
      new Option(
        '--store <place>',
        "the trace's file, or a database (postgres://…), or none (default: the manifest's, .holdfast/trace.db beside it)",
      ).env('HOLDFAST_STORE'),
    )
    .option('--debug', 'show the stack of an error')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => console.out.write(text),
      writeErr: (text) => console.err.write(text),
      getOutHelpWidth: () => helpWidth(console.out.columns()),
      getErrHelpWidth: () => helpWidth(console.err.columns()),
      getOutHasColors: () => console.terminalOf(console.out).color,
      getErrHasColors: () => console.terminalOf(console.err).color,
      outputError: (text) => console.failure(text.replace(/^error: /, '').trimEnd()),
    })
    .exitOverride()
    .showHelpAfterError('Add --help for how it is used.')
    .addHelpText('after', '\nBegin with: holdfast init');
  for (const add of [addRun, addServe, addWorker, addCheck, addDoctor, addTools, addTurns, addTrace, addExplain, addReplay])
    add(root, program);
  for (const add of [addSimulate, addWhatif, addTune]) add(root, program);
  for (const add of [addInit, addMcpConfig, addLock, addRules]) add(root, program);
  return root;
}

const helpWidth = (columns: number | undefined): number => Math.min(columns ?? 100, 100);

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
