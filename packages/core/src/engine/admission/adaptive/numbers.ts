/**
 * Owns the numbers of the gate whose calls wait for recovery: one table, because a number is only worth keeping if the lab can vary it. `npm run lab` writes
 * what half and double of each do to docs/lab/ablation.md. They are no options: each was set on some worlds and holds on others.
 */

export const numbers = {
  /** Tokens before the first success, and what every process may keep: two retries after quick failures. */
  firstTokens: 3,
  /** Most tokens. */
  maxTokens: 10,
  /** A process keeps no more tokens than its calls of this time: many processes that fail at the same moment spend them together. */
  keptMs: 2_000,
  /** Least cost of a retry: two of three successes may pay for one that fails. One that succeeds in the usual time earns its cost back. */
  retryCost: 1.5,
  /** Cost of a retry after a time-out and of a hedge, which cost the tool real work. A process with few calls never has so many tokens. */
  workCost: 4,
  /** A retry waits for tokens unless fewer than this share of the paid attempts succeed, compared with all attempts: then the cause is in the calls. */
  worthShare: 0.5,
  /** ... and an attempt has succeeded that started so many usual times between successes ago, or later: the tool is not going down. */
  worthGaps: 3,
  /** What is added costs this power of the attempts that one success has taken lately. */
  costPower: 2,
  /** Weight of one paid attempt in the share of them that succeeds. */
  paidWeight: 0.1,

  /** The mean gap between calls is that of about this time, and of no fewer calls than the reciprocal of `gapShare`. */
  gapsMs: 10_000,
  gapShare: 0.125,
  /** The gap of a process that has not called yet. */
  firstGapMs: 5_000,
  /** The longest mean gap: a process that calls once an hour does not wait for hours. */
  maxGapMs: 60_000,
  /** While calls wait, one starts after this many mean gaps between calls without an attempt. Chance makes few gaps as long. */
  silentGaps: 3,
  /** The same while the tool is slow. */
  silentGapsSlow: 6,
  /** Before a retry after a time-out, the silence is longer by this number divided by the calls so far: few of them hardly tell the mean gap. */
  unsureCalls: 12,
  /** The shortest such silence. */
  minSilenceMs: 1_000,
  /** A waiting call is fresh for this long: its caller is probably still waiting for it. */
  freshMs: 2_000,

  /** The tool is slow if recent successes took more than this multiple of the usual time. */
  slow: 2,
  /** It is also slow if they took more than this share of a time limit that has ended an attempt within `usualMs`. */
  slowShare: 0.25,
  /** Weight of one success in the recent time. */
  recentShare: 0.2,
  /** The usual time is that of about this long. */
  usualMs: 120_000,
  /** Slow times become usual this many times later. */
  usualFactorSlow: 5,
  /** Number of first successes whose geometric mean is the usual time. */
  firstSamples: 30,

  /** Weight of the latest time between two successes in the usual one: if it is longer, or shorter. Long ones are learned at once, and forgotten slowly. */
  longerShare: 0.5,
  shorterShare: 0.1,
  /** A tool that has succeeded within this time is not down. */
  quietMs: 1_000,
  /** After a probe that failed without a time-out, the next follows within this time, whatever the rate of calls and the server's Retry-After. */
  maxProbeMs: 10_000,
  /** After one that timed out, it follows after so many mean gaps between calls: the tool gets half of its usual load at most, and can catch up. */
  probeGaps: 2,
  /** Random part of the time between probes, so that processes do not probe together. */
  probeSpread: 0.25,
  /** A probe that takes this multiple of the usual time no longer holds the next one back. */
  hanging: 2,
  /** A call that was never sent is sent after this share of its time, or after `lastChanceMs`, unless the tool is overloaded. */
  lastChanceShare: 0.5,
  lastChanceMs: 30_000,

  /** So many time-outs among the latest `outcomes` mean overload. */
  timeouts: 3,
  /** So many rejections of calls as too many among them: no retry starts. */
  rejections: 2,
  /** For this long after the latest. A process with fewer calls hardly adds to the load. */
  rejectedMs: 2_000,
  /** At most 31. */
  outcomes: 10,
  /** Share of the running calls that the limit leaves. */
  cut: 0.5,
  /** The least limit of a tool that is back after time-outs brought it down. */
  firstLimit: 2,
  /** A limit that has not been reached for this long is gone. */
  limitMs: 10_000,

  /** Weight of one attempt in the share of failures. */
  failureWeight: 0.02,
};

/** For the lab: changes numbers of this process, and returns a function that changes them back. */
export function varyNumbers(changes: Partial<typeof numbers>): () => void {
  const before = { ...numbers };
  Object.assign(numbers, changes);
  return () => void Object.assign(numbers, before);
}
