/** Owns what decides over a whole turn: settled once, at its start, and the same for every process that continues with it. */
import { deliverOutput } from '../../engine/call/output.ts';
import { readSettings } from '../../replay/recorded-settings.ts';
import { nameAt } from '../../engine/backoff/random.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import type { TurnFacts } from '../../runtime/service/turn-started.ts';
import { turnFacts } from '../../runtime/service/turn-started.ts';
import type { ProfileName } from '../../engine/settings/profiles.ts';
import { profiles } from '../../engine/settings/profiles.ts';
import type { ToolSettings, TurnSettings } from '../../engine/settings/settings.ts';
import type { PlanGraph } from '../../engine/turn/plan.ts';

type Plain = Readonly<Record<string, unknown>>;

/** As the journal has it: short, since it is written with every turn. */
export interface Opening {
  /** Of the journal's form. */
  readonly version: 1;
  readonly executionId: string;
  readonly startedAtEpochMs: number;
  readonly facts: Omit<TurnFacts, 'base' | 'tools'>;
  /** Names the numbers of the profile, which another version may have otherwise. */
  readonly profile: string;
  /** What differs from the profile. */
  readonly base: Plain;
  /** Of each tool what differs from `base`. */
  readonly tools: Readonly<Record<string, Plain>>;
}

export interface OpenedTurn {
  readonly opening: Opening;
  readonly facts: TurnFacts;
}

export function openTurn(context: ServiceContext, graph: PlanGraph, settings: TurnSettings, executionId: string): OpenedTurn {
  const facts = turnFacts(context, graph, settings);
  const { base, tools, ...others } = facts;
  const opening: Opening = {
    version: 1,
    executionId,
    startedAtEpochMs: context.system.epochMs(),
    facts: others,
    profile: fingerprintOf(facts.profile),
    base: tellable(differing(base, profiles[facts.profile].tool)),
    tools: Object.fromEntries([...tools].map(([name, own]) => [name, tellable(differing(own, base))])),
  };
  return { opening, facts };
}

/** @throws Error when the turn was begun by a version whose profiles have other numbers, TypeError when the settings cannot be used. */
export function readOpening(opening: Opening): OpenedTurn {
  const { version, facts, profile, base: ownBase, tools } = opening;
  if (version !== 1)
    throw new Error(
      `The journal is of form ${String(version)}, which this version of Holdfast does not read. A worker of a later version can end the turn.`,
    );
  const { settings } = facts;
  if (profile !== fingerprintOf(facts.profile))
    throw new Error(
      `The turn was begun by a version of Holdfast whose profile '${facts.profile}' has other numbers. A worker of that version can end it; keep one until its turns are over.`,
    );
  const base = { ...(profiles[facts.profile].tool as unknown as Plain), ...ownBase };
  const read = Object.entries(tools).map(([name, own]) => [name, readSettings({ ...base, ...own }, `tools.${name}`)] as const);
  const concurrency = settings.concurrency ?? Number.POSITIVE_INFINITY;
  return { opening, facts: { ...facts, settings: { ...settings, concurrency }, base: readSettings(base, 'base'), tools: new Map(read) } };
}

const fingerprints = new Map<string, string>();

function fingerprintOf(profile: ProfileName): string {
  const known = fingerprints.get(profile);
  if (known !== undefined) return known;
  const made = nameAt(JSON.stringify(profiles[profile]?.tool ?? {}), 'profile').slice(0, 8);
  fingerprints.set(profile, made);
  return made;
}

/** A fallback may hold anything. */
function tellable(own: Plain): Plain {
  const fallback = own['fallback'] as ToolSettings['fallback'];
  return fallback ? { ...own, fallback: { value: deliverOutput(fallback.value, Number.POSITIVE_INFINITY).output } } : own;
}

function differing(own: object, base: object): Plain {
  return Object.fromEntries(Object.entries(own).filter(([name, value]) => !isSame(value, (base as Plain)[name])));
}

/** Merged settings share what was not set with those below. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other || typeof one !== 'object' || one === null) return one === other;
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false;
  }
}
