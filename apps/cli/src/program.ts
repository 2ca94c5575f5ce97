/**
 * The command line: its commands, its help, and the exit code for each outcome.
 *
 * Invariants
 * 1. A usage error is one sentence, without a stack trace (`--debug` shows it).
 * 2. `runCommandLine` always resolves with an exit code.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import type { Program } from './action.ts';
import { addCheck } from './commands/check.ts';
import { addCircuit } from './commands/circuit.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addImport } from './commands/import.ts';
import { addInit } from './commands/init.ts';
import { addLock } from './commands/lock.ts';
import { addLogin, addLogout } from './commands/login.ts';
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
import { addWrap, separateWrapped } from './commands/wrap.ts';
import { parsePlace } from './commands/parse-arguments.ts';
import { exitCodes, isUsageError } from './exit-codes.ts';
import { type Console, createConsole } from './terminal/console.ts';
import { wrapHelp } from './terminal/wrap-help.ts';

/** Runs one command line, given without the program's name. Resolves with the exit code. */
export async function runCommandLine(args: readonly string[], console: Console = createConsole()): Promise<number> {
  // As in a shell script: a variable that is set to nothing is not set.
  if (process.env['HOLDFAST_STORE'] === '') delete process.env['HOLDFAST_STORE'];
  let exitCode: number = exitCodes.ok;
  const program: Program = {
    runAction: async (command, load, argument) => {
      const { execute } = await load();
      exitCode = await execute(argument, command.optsWithGlobals(), console);
    },
  };
  const root = commandLine(program, console);
  try {
    await root.parseAsync(separateWrapped(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, args.includes('--debug'), console);
  }
}

function reportError(error: unknown, debug: boolean, console: Console): number {
  // Commander has already written its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const usage = isUsageError(error);
  console.error(debug && stack !== undefined ? stack : message);
  if (!usage && !debug) console.note('This is a bug in Holdfast. Run again with --debug for the stack trace.');
  return usage ? exitCodes.usage : exitCodes.bug;
}

function commandLine(program: Program, console: Console): Command {
  const root = new Command('holdfast')
    .description(
      'The reliability layer between an AI agent and its tools: a gateway for MCP hosts and agents, and commands to run, watch and analyze turns.',
    )
    .version(version(), '-V, --version', 'print the version')
    .option('-c, --config <path>', 'the manifest (default: holdfast.yaml here or in a parent folder)')
    .addOption(
      new Option(
        '--store <place>',
        "trace store: a file, a database (postgres://…) or none (default: the manifest's, else .holdfast/trace.db next to it)",
      )
        .env('HOLDFAST_STORE')
        .argParser(parsePlace),
    )
    .option('--debug', 'show the stack trace of an error')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => console.out.write(wrapHelp(text, helpWidth(console.out.columns()))),
      writeErr: (text) => console.err.write(wrapHelp(text, helpWidth(console.err.columns()))),
      getOutHelpWidth: () => helpWidth(console.out.columns()),
      getErrHelpWidth: () => helpWidth(console.err.columns()),
      getOutHasColors: () => console.terminalOf(console.out).color,
      getErrHasColors: () => console.terminalOf(console.err).color,
      outputError: (text) => console.error(text.replace(/^error: /, '').trimEnd()),
    })
    .exitOverride()
    .showHelpAfterError('Use --help to show the usage.')
    .addHelpText('after', '\nTo get started: holdfast init');
  for (const add of [
    addRun,
    addServe,
    addWrap,
    addWorker,
    addCheck,
    addDoctor,
    addTools,
    addCircuit,
    addTurns,
    addTrace,
    addExplain,
    addReplay,
  ])
    add(root, program);
  for (const add of [addSimulate, addWhatif, addTune]) add(root, program);
  for (const add of [addInit, addImport, addMcpConfig, addLogin, addLogout, addLock, addRules]) add(root, program);
  return root;
}

const helpWidth = (columns: number | undefined): number => Math.min(columns ?? 100, 100);

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
