/**
 * Owns reading the start of a single call as that of a turn with one call: then a replay needs nothing else about it.
 * Its trace stays that of a single call; only its settings are read here.
 */
import type { ProfileName } from '../engine/settings/profiles.ts';
import { completeSettings, isProfile, profileId } from '../engine/settings/settings-difference.ts';
import type { CallStarted, SingleCallSettings, Stamp, TurnStarted } from '../engine/trace/events.ts';
import { refuse } from './misuse.ts';

/** @throws TypeError when the settings were recorded with other numbers of the profile */
export function singleCallStart(started: CallStarted & Stamp, settings: SingleCallSettings): TurnStarted & Stamp {
  const { call_id, tool_id, turn_id, seq, timestamp, elapsed_ms } = started;
  const { seed, policy, timeout_ms, max_retries, recovery_rules, circuits, partitions, base, tools } = settings;
  const profile = profileOf(settings);
  return {
    event_type: 'TurnStarted',
    turn_id,
    seq,
    timestamp,
    elapsed_ms,
    seed,
    profile,
    timeout_ms: timeout_ms ?? null,
    concurrency: Infinity,
    on_deadline: 'abort',
    max_retries: max_retries ?? null,
    calls: [{ call_id, tool_id, depends_on: [], ...(policy === undefined ? {} : { policy }) }],
    tools: Object.fromEntries(Object.entries(tools).map(([name, own]) => [name, completeSettings(profile, own)])),
    base: completeSettings(profile, base),
    recovery_rules: recovery_rules ?? [],
    circuits: circuits ?? {},
    ...(partitions && { partitions }),
  };
}

function profileOf({ profile, profile_id }: SingleCallSettings): ProfileName {
  if (isProfile(profile) && profileId(profile) === profile_id) return profile;
  return refuse(`the call was recorded by a version with other settings in its profile '${profile}'. Replay it with that version.`);
}
