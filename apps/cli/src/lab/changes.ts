/** Owns the way from a policy to what is to be otherwise in recorded turns. */
import { profiles, type ToolPolicy } from '@holdfast/core';
import { suggest } from '@holdfast/core/internal/plain';
import type { PolicyFile } from '@holdfast/manifest';
import type { PolicyChanges, RecordedTurn } from '@holdfast/what-if';
import { UsageError } from '../exit-codes.ts';
import type { Console } from '../terminal/console.ts';

export interface Asked {
  /** As it was named. */
  readonly name: string;
  readonly file: PolicyFile;
  /** It alone is changed. */
  readonly tool: string | undefined;
}

/** @throws UsageError when no turn has called the tool. */
export function changesOf({ name: given, file, tool }: Asked, traces: readonly RecordedTurn[], console: Console): PolicyChanges {
  const known = toolsOf(traces);
  if (tool !== undefined && !known.includes(tool)) throw new UsageError(`no turn since then has called '${tool}'.${meant(tool, known)}`);
  const { profile, defaults, tools, turn, recoveryRules } = file;
  const policy: ToolPolicy = { ...(profile ? numbersOf(profile) : {}), ...defaults };
  if (tool !== undefined) return { tools: { [tool]: { ...policy, ...tools[tool] } } };
  for (const name of Object.keys(tools)) if (!known.includes(name)) console.note(`${given}: no turn since then has called '${name}'.`);
  return {
    policy,
    tools: Object.fromEntries(Object.entries(tools).filter(([name]) => known.includes(name))),
    ...(Object.keys(turn).length === 0 ? {} : { turn }),
    ...(recoveryRules.length === 0 ? {} : { recoveryRules }),
  };
}

/** A profile's numbers; what a tool is stays what it is. */
function numbersOf(profile: NonNullable<PolicyFile['profile']>): ToolPolicy {
  const { effect: _effect, alternatives: _alternatives, fallback: _fallback, ...numbers } = profiles[profile].tool;
  return numbers;
}

export function toolsOf(traces: readonly RecordedTurn[]): readonly string[] {
  const names = new Set<string>();
  for (const events of traces) for (const event of events) if (event.event_type === 'CallStarted') names.add(event.tool_id);
  return [...names].toSorted();
}

function meant(given: string, names: readonly string[]): string {
  const near = suggest(given, names);
  return near === undefined ? ` They have called ${names.join(', ') || 'nothing'}.` : ` Did you mean '${near}'?`;
}
