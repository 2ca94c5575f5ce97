/** `holdfast replay`: takes a recorded turn's decisions again, offline and in virtual time. */
import type { Action } from '../action.ts';
import {
  type Decision,
  type Replay,
  type ReplayDifference,
  type ReplayOptions,
  profiles,
  replayTurn,
  resolveSettings,
} from '@holdfast/core';
import { type Manifest, loadManifest } from '@holdfast/manifest';
import { type GlobalOptions, counted, tellProblems } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { type FoundTurn, findTurn } from '../find-turn.ts';
import { withHistory } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { type Surface, renderSummary, viewOf } from '../view/index.ts';
import { cell, lineText } from '../view/text/cell.ts';
import { duration } from '../view/text/format.ts';

interface ReplayCommandOptions extends GlobalOptions {
  readonly policy?: string;
  readonly run?: number;
  readonly output: 'auto' | 'json';
}

export const act: Action<string | undefined, ReplayCommandOptions> = async (turn, options, console) => {
  const changes = options.policy === undefined ? {} : changesOf(await loadPolicy(options.policy, console));
  const found = await withHistory(options, console, (store) => findTurn(store, turn, options.run));
  const replay = replayed(found, changes);
  if (options.output === 'json') for (const event of replay.trace) console.out.line(JSON.stringify(event));
  else tell(replay, options.policy, console);
  return options.policy === undefined && replay.differences.length > 0 ? exitCodes.failed : exitCodes.ok;
};

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
  if (differences.length === 0) out.line(sameDecisions(decisions));
  else {
    out.line(policy === undefined ? ' Decisions that came out otherwise:' : ` Decisions that ${policy} would have changed:`);
    for (const difference of differences) for (const line of differenceLines(difference, surface())) out.line(line);
  }
  for (const assumption of assumptions) out.line(` assumed: ${assumption}`);
}

function sameDecisions(decisions: number): string {
  if (decisions === 0) return ' Replayed: nothing had to be decided, then as now.';
  return ` Replayed: ${decisions === 1 ? 'the one decision is' : `all ${decisions} decisions are`} the same as recorded.`;
}

function differenceLines({ callId, position, recorded, replayed: other }: ReplayDifference, surface: Surface): readonly string[] {
  const [was, is] = [`   ${callId} ${position}: ${told(recorded)}`, `=> ${told(other)}`];
  const one = `${was} ${is}`;
  return (one.length <= surface.width ? [one] : [was, `     ${is}`]).map((line) => lineText([cell(line)], surface));
}

function told(decision: Decision | undefined): string {
  if (!decision) return 'none';
  const { action, alternative, delay_ms, stopped_by } = decision;
  const delay = delay_ms === undefined ? '' : ` in ${duration(delay_ms)}`;
  return `${action}${alternative === undefined ? '' : ` ${alternative}`}${delay}${stopped_by === undefined ? '' : ` (stopped by ${stopped_by})`}`;
}
