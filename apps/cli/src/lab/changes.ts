/** Converts a policy to the changes that a what-if applies to recorded turns. */
import { profiles, type ToolPolicy } from '@holdfast/core';
import { suggest } from '@holdfast/core/internal/plain';
import type { PolicyFile } from '@holdfast/manifest';
import type { PolicyChanges, RecordedTurn } from '@holdfast/what-if';
import { UsageError } from '../exit-codes.ts';
import type { Console } from '../terminal/console.ts';

export interface PolicyRequest {
  /** As the user named it. */
  readonly name: string;
  readonly file: PolicyFile;
  /** If given, only this tool is changed. */
  readonly tool: string | undefined;
}

/** @throws UsageError when no turn calls the tool. */
export function changesOf({ name: given, file, tool }: PolicyRequest, traces: readonly RecordedTurn[], console: Console): PolicyChanges {
  const known = toolsOf(traces);
  if (tool !== undefined && !known.includes(tool))
    throw new UsageError(`no turn in that period calls '${tool}'.${suggestTool(tool, known)}`);
  const { profile, memory, defaults, tools, turn, recoveryRules } = file;
  if (memory !== undefined) console.note(`${given}: 'memory' changes nothing here: decisions are made with the recorded evidence.`);
  const policy: ToolPolicy = { ...(profile ? settingsOf(profile) : {}), ...defaults };
  if (tool !== undefined) return { tools: { [tool]: { ...policy, ...tools[tool] } } };
  for (const name of Object.keys(tools)) if (!known.includes(name)) console.note(`${given}: no turn in that period calls '${name}'.`);
  return {
    policy,
    tools: Object.fromEntries(Object.entries(tools).filter(([name]) => known.includes(name))),
    ...(Object.keys(turn).length === 0 ? {} : { turn }),
    ...(recoveryRules.length === 0 ? {} : { recoveryRules }),
  };
}

/** A profile's settings, without those that describe the tool itself. */
function settingsOf(profile: NonNullable<PolicyFile['profile']>): ToolPolicy {
  const { effect: _effect, alternatives: _alternatives, fallback: _fallback, ...settings } = profiles[profile].tool;
  return settings;
}

export function toolsOf(traces: readonly RecordedTurn[]): readonly string[] {
  const names = new Set<string>();
  for (const events of traces) for (const event of events) if (event.event_type === 'CallStarted') names.add(event.tool_id);
  return [...names].toSorted();
}

function suggestTool(given: string, names: readonly string[]): string {
  const near = suggest(given, names);
  return near === undefined ? ` Tools that were called: ${names.join(', ') || 'none'}.` : ` Did you mean '${near}'?`;
}
