/** Owns the facts and settings that hold for a whole turn: fixed at its start, and the same for every process that continues it. */
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

/** The journaled form: short, since it is written with every turn. */
export interface Opening {
  /** The version of the journal's format. */
  readonly version: 1;
  readonly executionId: string;
  readonly startedAtEpochMs: number;
  readonly facts: Omit<TurnFacts, 'base' | 'tools'>;
  /** A fingerprint of the profile's values, which may differ in another version. */
  readonly profile: string;
  /** The settings that differ from the profile. */
  readonly base: Plain;
  /** For each tool, the settings that differ from `base`. */
  readonly tools: Readonly<Record<string, Plain>>;
}

export interface OpenedTurn {
  readonly opening: Opening;
  readonly facts: TurnFacts;
}

export function openTurn(context: ServiceContext, graph: PlanGraph, settings: TurnSettings, executionId: string): OpenedTurn {
  const facts = turnFacts(context, graph, settings);
  const { base, tools, ...otherFacts } = facts;
  const opening: Opening = {
    version: 1,
    executionId,
    startedAtEpochMs: context.system.epochMs(),
    facts: otherFacts,
    profile: fingerprintOf(facts.profile),
    base: serializable(differences(base, profiles[facts.profile].tool)),
    tools: Object.fromEntries([...tools].map(([name, settings]) => [name, serializable(differences(settings, base))])),
  };
  return { opening, facts };
}

/** @throws Error when the turn was started by a version whose profiles have different values, TypeError when the settings are invalid */
export function readOpening(opening: Opening): OpenedTurn {
  const { version, facts, profile, base: changedBase, tools } = opening;
  if (version !== 1)
    throw new Error(
      `The journal has format ${String(version)}, which this version of Holdfast cannot read. A worker with a later version can finish the turn.`,
    );
  const { settings } = facts;
  if (profile !== fingerprintOf(facts.profile))
    throw new Error(
      `The turn was started by a version of Holdfast whose profile '${facts.profile}' has different values. A worker with that version can finish it; keep one until its turns have ended.`,
    );
  const base = { ...(profiles[facts.profile].tool as unknown as Plain), ...changedBase };
  const read = Object.entries(tools).map(([name, changes]) => [name, readSettings({ ...base, ...changes }, `tools.${name}`)] as const);
  const concurrency = settings.concurrency ?? Number.POSITIVE_INFINITY;
  return { opening, facts: { ...facts, settings: { ...settings, concurrency }, base: readSettings(base, 'base'), tools: new Map(read) } };
}

const fingerprints = new Map<string, string>();

function fingerprintOf(profile: ProfileName): string {
  const cached = fingerprints.get(profile);
  if (cached !== undefined) return cached;
  const fingerprint = nameAt(JSON.stringify(profiles[profile]?.tool ?? {}), 'profile').slice(0, 8);
  fingerprints.set(profile, fingerprint);
  return fingerprint;
}

/** The value of a fallback may be anything, so it is made plain JSON. */
function serializable(settings: Plain): Plain {
  const fallback = settings['fallback'] as ToolSettings['fallback'];
  return fallback ? { ...settings, fallback: { value: deliverOutput(fallback.value, Number.POSITIVE_INFINITY).output } } : settings;
}

function differences(settings: object, base: object): Plain {
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => !isSame(value, (base as Plain)[name])));
}

/** Merged settings share the objects of the lower level that they do not override. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== 'object' || a === null) return a === b;
  try {
    return JSON.stringify(a) === JSON.stringify(b);
  } catch {
    return false;
  }
}
