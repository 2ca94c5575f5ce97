/** `holdfast replay`: takes a recorded turn's decisions again, offline and in virtual time. */
import type { Command } from 'commander';
import { type Decision, type Replay, type ReplayDifference, type ReplayOptions, profiles, replayTurn, resolveSettings } from '@holdfast/core';
import { type Manifest, loadManifest } from '@holdfast/manifest';
import { type GlobalOptions, counted, tellProblems } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { type FoundTurn, findTurn } from '../find-turn.ts';
import type { Program } from '../program.ts';
import { withHistory } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { renderTable } from '../terminal/table.ts';
import { renderSummary, viewOf } from '../view/index.ts';
import { type Cell, cell } from '../view/text/cell.ts';
import { duration } from '../view/text/format.ts';
import { count } from './arguments.ts';
import { outputOption } from './output-option.ts';

interface ReplayCommandOptions extends GlobalOptions {
  readonly policy?: string;
  readonly run?: number;
  readonly output: 'auto' | 'json';
}

export function addReplay(parent: Command, program: Program): void {
  parent
    .command('replay')
    .summary("take a recorded turn's decisions again")
    .description(
      "Runs a recorded turn again, offline and in virtual time, calling no tool. Without --policy it must take the same decisions; with it, it answers what another manifest's settings and policies would have done.",
    )
    .argument('[turn]', 'id of the turn, or its beginning (default: the latest)')
    .option('-p, --policy <manifest>', 'a manifest whose settings and policies are used instead')
    .option('--run <number>', 'which run, when the id was used more than once (default: the latest)', count)
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
With --output json standard output is the trace of the replay, one event per line.

Exit codes
  0  done; without --policy: with the same decisions    1  without --policy: other decisions were taken`,
    )
    .action((turn: string | undefined, _own: unknown, command: Command) =>
      program.perform(command, async (options: ReplayCommandOptions, console) => {
        const changes = options.policy === undefined ? {} : changesOf(await loadPolicy(options.policy, console));
        const found = await withHistory(options, console, (store) => findTurn(store, turn, options.run));
        const replay = replayed(found, changes);
        if (options.output === 'json') for (const event of replay.trace) console.out.line(JSON.stringify(event));
        else tell(replay, options.policy, console);
        return options.policy === undefined && replay.differences.length > 0 ? exitCodes.failed : exitCodes.ok;
      }),
    );
}

async function loadPolicy(path: string, console: Console): Promise<Manifest> {
  const { manifest, problems, source } = await loadManifest(path);
  tellProblems(problems, source, console);
  if (manifest) return manifest;
  throw new UsageError(`${path} cannot be used: ${counted(problems)}.`);
}

/** Every setting of that manifest, its profile's numbers included; a tool it does not know keeps what was recorded. */
function changesOf({ profile, defaults, tools, policies, turn }: Manifest): ReplayOptions {
  const base = resolveSettings(profiles[profile].tool, defaults);
  return {
    policies,
    tools: Object.fromEntries(tools.map((entry) => [entry.name, resolveSettings(base, entry)])),
    ...(Object.keys(turn).length === 0 ? {} : { turn }),
  };
}

function replayed({ events }: FoundTurn, changes: ReplayOptions): Replay {
  try {
    return replayTurn(events, changes);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replace(/^replay: /, ''));
    throw error;
  }
}

function tell({ trace, differences, assumptions, interrupted }: Replay, policy: string | undefined, { out, surface }: Console): void {
  const view = viewOf(trace);
  const decisions = view.calls.reduce((sum, call) => sum + call.decisions.length, 0);
  for (const line of renderSummary(view, surface())) out.line(line);
  out.line();
  if (interrupted) out.line(' The recorded turn was interrupted; what it never came to is assumed.');
  if (differences.length === 0) out.line(` Replayed: ${decisions === 1 ? 'the one decision is' : `all ${decisions} decisions are`} the same as recorded.`);
  else {
    out.line(policy === undefined ? ' Decisions that came out otherwise:' : ` Decisions that ${policy} would have changed:`);
    for (const line of renderTable(['call', 'no.', 'recorded', 'replayed'], differences.map(differenceRow), surface())) out.line(line);
  }
  for (const assumption of assumptions) out.line(` assumed: ${assumption}`);
}

function differenceRow({ callId, position, recorded, replayed: other }: ReplayDifference): readonly Cell[] {
  return [cell(callId, 'strong'), cell(position), cell(told(recorded)), cell(told(other), 'accent')];
}

function told(decision: Decision | undefined): string {
  if (!decision) return 'none';
  const { action, alternative, delay_ms, stopped_by } = decision;
  const delay = delay_ms === undefined ? '' : ` in ${duration(delay_ms)}`;
  return `${action}${alternative === undefined ? '' : ` ${alternative}`}${delay}${stopped_by === undefined ? '' : ` (stopped by ${stopped_by})`}`;
}
