/**
 * Owns who of the fleet has a say about a tool, and what they say. Does not own what follows from it (`step-fleet-circuit.ts`).
 *
 * 1. A worker has a say once it had traffic on the tool, saw its circuit open or was told to stay away, and until it was not heard of for the lifetime of a vote.
 * 2. A half-open circuit says nothing, nor does an open one whose period is over: nobody has called since.
 * 3. A report that came twice, or behind a later one of the same worker, changes nothing.
 */
import type { FleetCircuitSettings } from './fleet-settings.ts';
import type { CircuitReport } from './shared-circuits.ts';

/** A worker that has a say about a tool, as of its latest report. */
export interface Member {
  /** Name of the worker. */
  readonly worker: string;
  /** The sequence number of its latest report. */
  readonly sequence: number;
  /** When it last reported traffic or an open circuit, milliseconds since 1970. */
  readonly seenAt: number;
  /** State of its own circuit; `nothing` when that is half-open, or open and not to be counted. */
  readonly says: 'open' | 'closed' | 'nothing';
  /** When its own open period ends, milliseconds since 1970; 0 unless it says `open`. */
  readonly openUntil: number;
  /** Since when it has been saying so. */
  readonly openSince: number;
}

/** Those that have been heard of within the lifetime of a vote. */
export function living(members: readonly Member[], now: number, { voteLifetimeMs }: FleetCircuitSettings): readonly Member[] {
  return members.filter(({ seenAt }) => now < seenAt + voteLifetimeMs);
}

export function isRepeated(members: readonly Member[], { worker, sequence }: CircuitReport): boolean {
  return members.some((member) => member.worker === worker && sequence <= member.sequence);
}

/** @param openUntil when the circuit that the report calls open is so; `undefined`: it is not to be counted as open */
export function heard(members: readonly Member[], report: CircuitReport, openUntil: number | undefined, now: number): readonly Member[] {
  const { worker, sequence, state } = report;
  const others = members.filter((member) => member.worker !== worker);
  const hadTraffic = report.successes + report.failures > 0;
  const hasSay = hadTraffic || state !== 'closed' || report.retryAfterMs !== undefined;
  if (!hasSay && others.length === members.length) return members;
  const says = state === 'closed' ? 'closed' : openUntil === undefined ? 'nothing' : 'open';
  const before = members.find((member) => member.worker === worker);
  // One that only listens continues having no say when its time is over.
  const seenAt = hasSay ? now : (before?.seenAt ?? now);
  const openSince = before?.says === 'open' ? before.openSince : now;
  return [...others, { worker, sequence, seenAt, says, openUntil: openUntil ?? 0, openSince }];
}

/** The open ones if they are a quorum. */
export function quorumOf(
  members: readonly Member[],
  now: number,
  { quorum, aloneMs }: FleetCircuitSettings,
): readonly Member[] | undefined {
  const open = members.filter(({ says, openUntil }) => says === 'open' && now < openUntil);
  const closed = members.filter(({ says }) => says === 'closed');
  const [first] = open;
  if (first && open.length + closed.length === 1 && now < first.openSince + aloneMs) return undefined;
  return open.length > quorum * (open.length + closed.length) ? open : undefined;
}

/** A new beginning: what anybody said before is answered. */
export function cleared(members: readonly Member[]): readonly Member[] {
  return members.map((member) => ({ ...member, says: 'closed', openUntil: 0 }));
}
