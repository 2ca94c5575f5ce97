/**
 * Runs a tool as a program: arguments as JSON on standard input, output on standard output, no shell.
 *
 * Invariants
 * 1. One process group per call; when the call settles, no process of the group is alive.
 * 2. An aborted call settles when the last member of its process tree has ended, at the latest just after the grace period.
 */
import type { AttemptContext, Runner } from '@holdfast/core';
import { onAbort } from '../abort.ts';
import { type Lifespan, lifespan } from '../lifespan.ts';
import { childEnvironment } from '../options/environment.ts';
import { runnerError } from '../runner-error.ts';
import { filledArguments } from './arguments.ts';
import { drain, endTree, sweepGroup } from './end-tree.ts';
import { guardGroup, releaseGuard } from './guard.ts';
import { type ProcessRunnerOptions, type ProcessSettings, processSettings } from './options.ts';
import { type PrintedOutput, collectOutput } from './output.ts';
import { type ProcessTree, startTree } from './process-tree.ts';
import { startFailure } from './start-failure.ts';
import { type Exit, reportLine, resultOf } from './result.ts';

/**
 * Runs a program per call. At an abort its process group gets SIGTERM, and after `graceMs` SIGKILL. On Linux, descendants that left
 * the group are ended too, unless they cleared their environment and lost their parents. Processes that are still in the group when
 * the program exits are killed. If this process dies, also by `kill -9`, a guard ends the groups (POSIX only).
 * On Windows only the program is ended.
 *
 * Rejects with `PROCESS_NOT_STARTED`, `PROCESS_EXITED` (or the program's own code), `INVALID_RESPONSE`, `OUTPUT_TOO_LARGE`,
 * `INVALID_ARGUMENT`, `SECRET_MISSING`, `RUNNER_CLOSED`; an exit error carries `exitCode`, `signal` and the last 4 kB of `stderr`.
 * @throws TypeError for an invalid option
 */
export function processRunner(options: ProcessRunnerOptions): Runner<unknown> {
  const settings = processSettings(options);
  const life: Lifespan = lifespan(`processRunner (${settings.command})`);
  const run: Runner<unknown> = (args, context) => life.during(context.signal, (signal) => runProgram(settings, args, context, signal));
  const close = async (): Promise<void> => {
    await life.close();
    releaseGuard();
  };
  return Object.assign(run, { kind: 'process' as const, close });
}

type Ending = { readonly how: 'exit'; readonly exit: Exit } | { readonly how: 'stopped'; readonly error: unknown };

async function runProgram(settings: ProcessSettings, args: unknown, context: AttemptContext, signal: AbortSignal): Promise<unknown> {
  const input = settings.stdin === 'json' ? jsonInput(args) : '';
  const tree = startProcess(settings, args);
  const release = guardGroup(tree.leader.pid);
  try {
    const { ending, printed } = await programEnd(tree, settings, context, signal, input);
    if (ending.how === 'exit') return resultOf(settings, ending.exit, printed);
    await endTree(tree, settings.graceMs);
    throw ending.error;
  } finally {
    sweepGroup(tree);
    release();
    for (const pipe of [tree.leader.stdin, tree.leader.stdout, tree.leader.stderr]) pipe.destroy();
  }
}

function startProcess(settings: ProcessSettings, args: unknown): ProcessTree {
  const { command, cwd } = settings;
  const programArguments = filledArguments(settings.args, args, settings.numbers);
  const environment = childEnvironment(settings.inheritEnv, settings.env);
  try {
    const tree = startTree({ command, args: programArguments, cwd, environment });
    if (hasPipes(tree)) return tree;
    tree.leader.on('error', () => {});
  } catch (cause) {
    throw notStarted(settings, cause);
  }
  throw notStarted(settings, Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
}

/** Out of file descriptors, `spawn` returns a child without pipes, whatever its type says. */
function hasPipes({ leader }: ProcessTree): boolean {
  return (leader.stdin as unknown) !== undefined && (leader.stdin as unknown) !== null;
}

async function programEnd(
  tree: ProcessTree,
  settings: ProcessSettings,
  context: AttemptContext,
  signal: AbortSignal,
  input: string,
): Promise<{ readonly ending: Ending; readonly printed: PrintedOutput }> {
  const { leader } = tree;
  const { maxOutputBytes } = settings;
  let end: (ending: Ending) => void = () => {};
  const ended = new Promise<Ending>((resolve) => {
    end = resolve;
  });
  const tooLarge = (): Error => runnerError('OUTPUT_TOO_LARGE', `${settings.command} printed more than ${maxOutputBytes} bytes`);
  const printed = collectOutput(leader.stdout, leader.stderr, {
    maxOutputBytes,
    onOverflow: () => end({ how: 'stopped', error: tooLarge() }),
    ...(settings.output === 'json_lines' ? { onLine: (line: string) => reportLine(line, context) } : {}),
  });
  leader.on('error', (cause) => end({ how: 'stopped', error: notStarted(settings, cause) }));
  leader.once('exit', (exitCode, exitSignal) => {
    void drain(tree).then(() => end({ how: 'exit', exit: { exitCode, signal: exitSignal } }));
  });
  // A program that does not read its input may exit before it is written: its exit says more than EPIPE.
  leader.stdin.on('error', () => {});
  leader.stdin.end(input);
  const removeListener = onAbort(signal, () => end({ how: 'stopped', error: signal.reason }));
  try {
    return { ending: await ended, printed };
  } finally {
    removeListener();
  }
}

function jsonInput(args: unknown): string {
  try {
    return JSON.stringify(args) ?? 'null';
  } catch (cause) {
    throw runnerError('INVALID_ARGUMENT', 'The arguments cannot be written as JSON', { cause });
  }
}

function notStarted(settings: ProcessSettings, cause: unknown): Error {
  const { message } = startFailure(cause, settings);
  return runnerError('PROCESS_NOT_STARTED', `${settings.command} could not be started: ${message}`, { cause, ambiguous: false });
}
