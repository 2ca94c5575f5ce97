/** Owns the guarantees about further attempts: how many, when, after what, and never after a possible side effect. */
import type { ToolSettings } from '@holdfast/core';
import type { Work } from '../play/observation.ts';
import type { Case, CheckedCall, CheckedTurn } from './case.ts';
import { group, TOLERANCE_MS, isFree, isProbe, judge, round, describeWork } from './case.ts';

export function checkAttempts({ turns, fail, play }: Case): void {
  // An operator who resets a circuit, or switches it off, also ends the wait that a server asked for.
  const controlled = new Set(play.scene.commands.map(({ toolName }) => toolName));
  for (const turn of turns) {
    let retries = 0;
    for (const call of turn.calls) {
      const legs = [...group(call.works, ({ toolName }) => toolName).values()];
      for (const leg of legs) {
        retries += leg.filter((work, index) => index > 0 && !isFree(call, work)).length;
        checkLeg(call, leg, fail, controlled);
      }
      checkUnsafe(call, fail);
      checkKeys(call, fail);
      checkLegs(call, legs, fail);
    }
    const { maxRetries } = turn.settings;
    if (maxRetries !== null && retries > maxRetries) fail(`${turn.played.turn.turnId}: ${retries} retries, but ${maxRetries} are allowed`);
    checkNumbers(turn, fail);
  }
}

function checkLeg(call: CheckedCall, works: readonly Work[], fail: Case['fail'], controlled: ReadonlySet<string>): void {
  const [first] = works;
  if (!first) return;
  const settings = call.settingsOf(first.toolName);
  const { maxAttempts } = settings.retry;
  // Where calls wait for recovery, probes do not count as attempts: the circuit asked for them.
  const counted = settings.waitForRecovery ? works.filter((work) => !isProbe(call, work)) : works;
  if (counted.length > maxAttempts) fail(`${describeWork(first)}: ${counted.length} attempts, but ${maxAttempts} are allowed`);
  for (const [index, work] of works.entries()) {
    const earlier = works.slice(0, index);
    checkHedge(work, earlier, settings, fail);
    for (const other of earlier) {
      const { verdict, at } = judge(other, settings);
      // Beside a slower attempt that continues, the end of that attempt decides.
      const decided = !earlier.some((beside) => beside !== other && judge(beside, settings).at > at + TOLERANCE_MS);
      if (verdict === 'permanent' && decided && work.beganAt > at + TOLERANCE_MS)
        fail(`${describeWork(work)}: after a permanent failure at ${round(at)}`);
      if (verdict === 'unknown' && decided && work.beganAt > at + TOLERANCE_MS) checkUnknown(work, other, earlier, settings, fail);
      if (verdict === 'success' && work.beganAt > at + TOLERANCE_MS) fail(`${describeWork(work)}: after a success at ${round(at)}`);
      const isHeard = verdict === 'transient' && !controlled.has(work.toolName);
      if (isHeard && work.beganAt > at + TOLERANCE_MS && work.beganAt < at + other.waitMs - 1)
        fail(
          `${describeWork(work)}: ${round(at + other.waitMs - work.beganAt)} ms before the server's Retry-After of ${other.waitMs} ms is over`,
        );
    }
  }
}

/** A failure without evidence is retried at most once, and only if that is declared to be safe. */
function checkUnknown(work: Work, failed: Work, earlier: readonly Work[], settings: ToolSettings, fail: Case['fail']): void {
  const { effect } = settings;
  if (effect !== 'read' && effect !== 'idempotent')
    fail(`${describeWork(work)}: after a failure without evidence, effect ${effect ?? 'not declared'}`);
  const before = earlier.filter((other) => other.order < failed.order && judge(other, settings).verdict === 'unknown');
  if (before.length > 0) fail(`${describeWork(work)}: after ${before.length + 1} failures without evidence`);
}

/** Concurrent attempts of a call: only of read tools, and only as many as are allowed. */
function checkHedge(work: Work, earlier: readonly Work[], settings: ToolSettings, fail: Case['fail']): void {
  const beside = earlier.filter((other) => {
    const { at } = judge(other, settings);
    return at > work.beganAt + TOLERANCE_MS;
  });
  const { hedge, effect } = settings;
  const max = hedge && effect === 'read' ? hedge.maxHedges : 0;
  if (beside.length > max) fail(`${describeWork(work)}: beside ${beside.length} attempts of its call, but ${max} are allowed`);
}

/** A side effect that may have happened is not repeated, not even by another tool. */
function checkUnsafe({ works, settingsOf }: CheckedCall, fail: Case['fail']): void {
  for (const work of works) {
    const settings = settingsOf(work.toolName);
    if ((settings.effect ?? settings.assumedEffect) !== 'unsafe') continue;
    const { ambiguous, at } = judge(work, settings);
    const again = works.find((other) => other.order > work.order && other.beganAt > at + TOLERANCE_MS);
    if (ambiguous && again) fail(`${describeWork(again)}: after an ambiguous failure of the unsafe ${describeWork(work)} at ${round(at)}`);
  }
}

function checkKeys({ works }: CheckedCall, fail: Case['fail']): void {
  const keys = new Set(works.flatMap(({ idempotencyKey }) => (idempotencyKey === undefined ? [] : [idempotencyKey])));
  if (keys.size > 1) fail(`${describeWork(works[0] as Work)}: ${keys.size} idempotency keys for one call`);
}

/** One tool after the other, each once: the requested one, then its alternatives. */
function checkLegs({ call, settingsOf, works }: CheckedCall, legs: readonly (readonly Work[])[], fail: Case['fail']): void {
  const allowed = [call.toolName, ...settingsOf(call.toolName).alternatives];
  for (const [first] of legs) if (first && !allowed.includes(first.toolName)) fail(`${describeWork(first)}: a tool that was not requested`);
  const order = works.map(({ toolName }) => toolName).filter((name, index, names) => name !== names[index - 1]);
  if (new Set(order).size < order.length) fail(`${describeWork(works[0] as Work)}: returns to an earlier tool: ${order.join(', ')}`);
}

function checkNumbers({ calls }: CheckedTurn, fail: Case['fail']): void {
  for (const { works } of calls)
    for (const [index, work] of works.entries())
      if (work.attempt !== index + 1) fail(`${describeWork(work)}: attempt number ${work.attempt} is the ${index + 1}. attempt`);
}
