/** Owns the settings that turns run under in a what-if: the recorded ones, and those that are tried instead. */
import type { RecoveryRule, ToolSettings, TurnSettings } from '@holdfast/core';
import { resolveSettings } from '@holdfast/core/internal';
import { withoutUndefined } from '@holdfast/core/internal/plain';
import type { ReadTurn } from './read-turns.ts';
import type { PolicyChanges } from './types.ts';

/** What all turns of one stretch of history have in common, so that they can share gates. */
export interface Setting {
  readonly tools: Readonly<Record<string, ToolSettings>>;
  readonly base: ToolSettings;
  readonly recoveryRules: readonly RecoveryRule[];
  /** Over the turn's own. */
  readonly turn: Partial<TurnSettings>;
}

/** Turns that follow each other under the same settings. */
export interface Stretch {
  readonly turns: readonly ReadTurn[];
  readonly recorded: Setting;
}

/** A new stretch begins where settings were changed: gates are made anew then. */
export function stretches(turns: readonly ReadTurn[]): readonly Stretch[] {
  const found: { turns: ReadTurn[]; tools: Record<string, ToolSettings>; keys: Map<string, string>; common: string; first: ReadTurn }[] =
    [];
  for (const turn of turns) {
    const { base, recoveryRules, tools } = turn.recording;
    const common = JSON.stringify([base, recoveryRules]);
    const keys = Object.entries(tools).map(([name, settings]) => [name, JSON.stringify(settings)] as const);
    let last = found.at(-1);
    if (last?.common !== common || keys.some(([name, key]) => last?.keys.has(name) && last.keys.get(name) !== key)) {
      last = { turns: [], tools: {}, keys: new Map(), common, first: turn };
      found.push(last);
    }
    last.turns.push(turn);
    for (const [name, key] of keys) last.keys.set(name, key);
    Object.assign(last.tools, tools);
  }
  return found.map(({ turns: own, tools, first: { recording } }) => ({
    turns: own,
    recorded: { tools, base: recording.base, recoveryRules: recording.recoveryRules, turn: {} },
  }));
}

export function changedSetting({ tools, base, recoveryRules }: Setting, changes: PolicyChanges): Setting {
  return {
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, own]) => [name, resolveSettings(resolveSettings(own, changes.policy), changes.tools?.[name])]),
    ),
    base,
    recoveryRules: changes.recoveryRules ?? recoveryRules,
    turn: withoutUndefined(changes.turn ?? {}),
  };
}

/** Tools whose calls may go otherwise for the settings alone. */
export function changedTools(recorded: Setting, changed: Setting): ReadonlySet<string> {
  const names = Object.keys(recorded.tools);
  const all = Object.keys(changed.turn).length > 0 || JSON.stringify(recorded.recoveryRules) !== JSON.stringify(changed.recoveryRules);
  return new Set(all ? names : names.filter((name) => JSON.stringify(recorded.tools[name]) !== JSON.stringify(changed.tools[name])));
}

/** As if nothing were shared: no circuit, no limit, no budget. */
export function withoutGates({ tools, ...others }: Setting): Setting {
  const open = { breaker: false, concurrency: false, rateLimit: false, retryBudget: false } as const;
  return { ...others, tools: Object.fromEntries(Object.entries(tools).map(([name, own]) => [name, { ...own, ...open }])) };
}

/** The tools that a planned call may ask. */
export function toolsOfCall({ tools }: Setting, toolName: string): readonly string[] {
  return [toolName, ...(tools[toolName]?.alternatives ?? [])];
}

/** How long a call of the tool may take once it was admitted. `firstMs`: how long its first attempt took, where that is known. */
export function callSpanMs(setting: Setting, toolName: string, firstMs?: number): number {
  return toolsOfCall(setting, toolName).reduce((total, name, index) => {
    const { timeoutMs, retry } = setting.tools[name] ?? setting.base;
    const retriesMs = retry.maxAttempts > 1 ? retry.maxTotalTimeMs + timeoutMs : 0;
    return total + (index === 0 ? (firstMs ?? timeoutMs) : timeoutMs) + retriesMs;
  }, 0);
}

export function turnSettings({ recording }: ReadTurn, { turn }: Setting): TurnSettings {
  return { ...recording.settings, ...turn };
}

/** Whether calls of a turn bear on each other even where none depends on another. */
export function sharesRetriesOrSlots(turn: ReadTurn, setting: Setting): boolean {
  const { maxRetries, concurrency } = turnSettings(turn, setting);
  return maxRetries !== null || turn.recording.graph.nodes.length > concurrency;
}
