/** Owns the settings that turns run under in a what-if: the recorded ones, and the changed ones. */
import type { RecoveryRule, ToolSettings, TurnSettings } from '@holdfast/core';
import { resolveSettings } from '@holdfast/core/internal';
import { changedTurnSettings } from '@holdfast/core/replay';
import { withoutUndefined } from '@holdfast/core/internal/plain';
import type { ReadTurn } from './read-turns.ts';
import type { PolicyChanges } from './types.ts';

/** What all turns of one period have in common, so that they can share gates. */
export interface Setting {
  readonly tools: Readonly<Record<string, ToolSettings>>;
  /** The settings that the gates follow. @default `tools` */
  readonly gates?: Readonly<Record<string, ToolSettings>> | undefined;
  readonly base: ToolSettings;
  readonly recoveryRules: readonly RecoveryRule[];
  /** Changes over the turn's own settings. */
  readonly turn: Partial<TurnSettings>;
}

/** Consecutive turns with the same settings. */
export interface SettingsPeriod {
  readonly turns: readonly ReadTurn[];
  readonly recorded: Setting;
}

/** A new period begins where the settings changed: gates are recreated then. */
export function settingsPeriods(turns: readonly ReadTurn[]): readonly SettingsPeriod[] {
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
  const changed = (name: string, own: ToolSettings): ToolSettings =>
    resolveSettings(resolveSettings(own, changes.policy), changes.tools?.[name]);
  const known = Object.entries(tools).map(([name, own]): readonly [string, ToolSettings] => [name, changed(name, own)]);
  // No record has the settings of a tool that only becomes an alternative: they are those of all other tools.
  const added = known
    .flatMap(([name, { alternatives }]) => alternatives.filter((each) => !tools[name]?.alternatives.includes(each)))
    .filter((name) => !Object.hasOwn(tools, name))
    .map((name): readonly [string, ToolSettings] => [name, changed(name, base)]);
  return {
    tools: Object.fromEntries([...known, ...added]),
    base,
    recoveryRules: changes.recoveryRules ?? recoveryRules,
    turn: withoutUndefined(changes.turn ?? {}),
  };
}

/** Tools whose calls may differ because of the settings alone. */
export function changedTools(recorded: Setting, changed: Setting): ReadonlySet<string> {
  const names = Object.keys(recorded.tools);
  const all = Object.keys(changed.turn).length > 0 || JSON.stringify(recorded.recoveryRules) !== JSON.stringify(changed.recoveryRules);
  return new Set(all ? names : names.filter((name) => JSON.stringify(recorded.tools[name]) !== JSON.stringify(changed.tools[name])));
}

/** Without anything shared: every gate lets all calls through at once. A call still decides as its tool's settings say, so one may return to its gate. */
export function withoutGates(setting: Setting): Setting {
  const open = { breaker: false, concurrency: false, rateLimit: false, retryBudget: false } as const;
  const tools = Object.entries(setting.tools).map(([name, own]): [string, ToolSettings] => [name, { ...own, ...open }]);
  const gates = tools.map(([name, own]): [string, ToolSettings] => [name, { ...own, waitForRecovery: false }]);
  return { ...setting, tools: Object.fromEntries(tools), gates: Object.fromEntries(gates) };
}

/** The tools that a planned call may use. */
export function toolsOfCall({ tools }: Setting, toolName: string): readonly string[] {
  return [toolName, ...(tools[toolName]?.alternatives ?? [])];
}

export function settingsOf({ tools, base }: Setting, toolName: string): ToolSettings {
  return tools[toolName] ?? base;
}

/** How long an attempt may wait at the gate of its tool. */
export function gateWaitMs(setting: Setting, toolName: string): number {
  const { concurrency, rateLimit, waitForRecovery = false } = settingsOf(setting, toolName);
  if (concurrency !== false || rateLimit !== false) return Infinity;
  return waitForRecovery === false ? 0 : waitForRecovery.maxWaitMs;
}

/** How long a call of the tool may take after admission. `firstMs`: the duration of its first attempt, if known. */
export function callSpanMs(setting: Setting, toolName: string, firstMs?: number): number {
  return toolsOfCall(setting, toolName).reduce((total, name, index) => {
    const { timeoutMs, retry } = settingsOf(setting, name);
    const retriesMs = retry.maxAttempts > 1 ? retry.maxTotalTimeMs + timeoutMs : 0;
    return total + (index === 0 ? (firstMs ?? timeoutMs) : timeoutMs) + retriesMs;
  }, 0);
}

export function turnSettings({ recording }: ReadTurn, { turn }: Setting): TurnSettings {
  return changedTurnSettings(recording, turn);
}

/** Whether calls of a turn affect each other without a dependency. */
export function sharesRetriesOrSlots(turn: ReadTurn, setting: Setting): boolean {
  return sharesRetries(turn, setting) || turn.recording.graph.nodes.length > turnSettings(turn, setting).concurrency;
}

/** Whether a retry of one call may cost another call of the turn its own. */
const sharesRetries = (turn: ReadTurn, setting: Setting): boolean => turnSettings(turn, setting).maxRetries !== null;

/**
 * Returns whether something unknown about one call of a turn makes all of its calls unknown. A slot that is free sooner or later moves other calls; that matters
 * only if an attempt at another moment is unknown. A deadline that then comes first shows in the runs.
 */
export const affectsAll = (sameMomentMs: number): typeof sharesRetriesOrSlots =>
  sameMomentMs === Infinity ? sharesRetries : sharesRetriesOrSlots;
