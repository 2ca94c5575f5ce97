/** Owns what decides over a whole turn: settled once, at its start, and the same for every process that goes on with it. */
import { readSettings } from '../replay/recorded-settings.ts';
import type { ServiceKit } from '../service/service-kit.ts';
import type { TurnFacts } from '../service/turn-started.ts';
import { turnFacts } from '../service/turn-started.ts';
import type { ToolSettings, TurnSettings } from '../settings/settings.ts';
import type { PlanGraph } from '../turn/plan.ts';

type Plain = Readonly<Record<string, unknown>>;

/** As the journal has it: short, since it is written with every turn. */
export interface Opening {
  readonly executionId: string;
  readonly startedAtEpochMs: number;
  readonly facts: Omit<TurnFacts, 'base' | 'tools'>;
  readonly base: ToolSettings;
  /** Of each tool what differs from `base`. */
  readonly tools: Readonly<Record<string, Plain>>;
}

export function openTurn(kit: ServiceKit, graph: PlanGraph, settings: TurnSettings, executionId: string): Opening {
  const { base, tools, ...facts } = turnFacts(kit, graph, settings);
  return {
    executionId,
    startedAtEpochMs: kit.system.epochMs(),
    facts,
    base,
    tools: Object.fromEntries([...tools].map(([name, own]) => [name, differing(own as unknown as Plain, base as unknown as Plain)])),
  };
}

/** @throws TypeError when the journal holds settings that cannot be used. */
export function factsOf({ facts, base, tools }: Opening): TurnFacts {
  const { settings } = facts;
  const concurrency = settings.concurrency ?? Number.POSITIVE_INFINITY;
  const readBase = readSettings(base, 'base');
  const read = Object.entries(tools).map(([name, own]) => [name, readSettings({ ...base, ...own }, `tools.${name}`)] as const);
  return { ...facts, settings: { ...settings, concurrency }, base: readBase, tools: new Map(read) };
}

function differing(own: Plain, base: Plain): Plain {
  return Object.fromEntries(Object.entries(own).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(base[name])));
}
