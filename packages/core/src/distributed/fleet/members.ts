/**
 * Owns the voting workers of a tool and their votes. Does not own the consequences (`step-fleet-circuit.ts`).
 *
 * 1. A worker votes once it had traffic on the tool, an open circuit or a Retry-After, until its vote expires without a report.
 * 2. A half-open circuit does not vote, nor does an open one whose period is over, since there was no call after it.
 * 3. A duplicate report, or one older than the latest of the same worker, changes nothing.
 */
import type { FleetCircuitSettings } from './fleet-settings.ts';
import type { CircuitReport } from './shared-circuits.ts';

/** A voting worker of a tool, as of its latest report. */
export interface Member {
  /** Name of the worker. */
  readonly worker: string;
  /** Sequence number of its latest report. */
  readonly sequence: number;
  /** When it last reported traffic or an open circuit, milliseconds since 1970. */
  readonly seenAt: number;
  /** Its vote, the state of its own circuit; `nothing` when that is half-open, or open but does not count. */
  readonly vote: 'open' | 'closed' | 'nothing';
  /** When its own open period ends, milliseconds since 1970; 0 unless it votes `open`. */
  readonly openUntil: number;
  /** Since when it votes `open`, milliseconds since 1970. */
  readonly openSince: number;
}

/** Returns the workers whose votes have not expired. */
export function activeMembers(members: readonly Member[], now: number, { voteLifetimeMs }: FleetCircuitSettings): readonly Member[] {
  return members.filter(({ seenAt }) => now < seenAt + voteLifetimeMs);
}

export function isRepeated(members: readonly Member[], { worker, sequence }: CircuitReport): boolean {
  return members.some((member) => member.worker === worker && sequence <= member.sequence);
}

/** Returns the members after a report. @param openUntil end of the reported open period; `undefined` when it does not count as open */
export function withReport(
  members: readonly Member[],
  report: CircuitReport,
  openUntil: number | undefined,
  now: number,
): readonly Member[] {
  const { worker, sequence, state } = report;
  const others = members.filter((member) => member.worker !== worker);
  const hadTraffic = report.successes + report.failures > 0;
  const hasVote = hadTraffic || state !== 'closed' || report.retryAfterMs !== undefined;
  if (!hasVote && others.length === members.length) return members;
  const vote = state === 'closed' ? 'closed' : openUntil === undefined ? 'nothing' : 'open';
  const before = members.find((member) => member.worker === worker);
  // A worker without traffic does not extend its vote.
  const seenAt = hasVote ? now : (before?.seenAt ?? now);
  const openSince = before?.vote === 'open' ? before.openSince : now;
  return [...others, { worker, sequence, seenAt, vote, openUntil: openUntil ?? 0, openSince }];
}

/** Returns the members that vote `open` if they are a quorum. */
export function quorumOf(
  members: readonly Member[],
  now: number,
  { quorum, aloneMs }: FleetCircuitSettings,
): readonly Member[] | undefined {
  const open = members.filter(({ vote, openUntil }) => vote === 'open' && now < openUntil);
  const closed = members.filter(({ vote }) => vote === 'closed');
  const [first] = open;
  if (first && open.length + closed.length === 1 && now < first.openSince + aloneMs) return undefined;
  return open.length > quorum * (open.length + closed.length) ? open : undefined;
}

/** Resets all votes to `closed`. */
export function withClosedVotes(members: readonly Member[]): readonly Member[] {
  return members.map((member) => ({ ...member, vote: 'closed', openUntil: 0 }));
}
