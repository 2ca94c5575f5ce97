/** Owns the guarantees about results: one per call, correct, and with a reason. */
import { outputOf } from '../play/play-attempt.ts';
import type { Case, CheckedCall, CheckedTurn } from './case.ts';
import { TOLERANCE_MS, judge, round } from './case.ts';

export function checkResults({ turns, fail }: Case): void {
  for (const turn of turns) {
    const { played } = turn;
    const { report } = played;
    if (!report) continue;
    const where = played.turn.turnId;
    const wanted = played.turn.calls.map(({ callId }) => callId);
    const given = report.results.map(({ callId }) => callId);
    if (String(given) !== String(wanted)) fail(`${where}: results for ${given.join(', ')}, but ${wanted.join(', ')} were requested`);
    for (const call of turn.calls) checkOne(turn, call, fail);
  }
}

function checkOne(turn: CheckedTurn, call: CheckedCall, fail: Case['fail']): void {
  const { result, works, events } = call;
  const where = `${turn.played.turn.turnId}/${call.call.callId}`;
  if (!result) return fail(`${where}: no result`);
  const ends = events.flatMap(({ event }) => (event.event_type === 'CallCompleted' ? [event] : []));
  if (ends.length !== 1) fail(`${where}: ${ends.length} completion events`);
  if (ends[0] && ends[0].status !== result.status) fail(`${where}: the trace says ${ends[0].status}, the result ${result.status}`);
  const before = works.filter(({ beganAt }) => beganAt <= call.answeredAt + TOLERANCE_MS);
  if (result.attempts !== before.length) fail(`${where}: the result says ${result.attempts} attempts, its tools know ${before.length}`);
  if (result.status === 'success') checkOutput(call, where, fail);
  else if (!result.error.message || !result.error.userMessage || !result.error.code) fail(`${where}: a failure without messages`);
  if (result.status !== 'success' && result.skipped) checkChain(turn, call, where, fail);
}

function checkOutput(call: CheckedCall, where: string, fail: Case['fail']): void {
  const { result, works, answeredAt, settingsOf } = call;
  if (result?.status !== 'success') return;
  const own = works.filter(({ toolName }) => toolName === result.servedBy);
  if (result.partial) {
    const reported = own.some(({ partials }) =>
      partials.some(({ at, output }) => at <= answeredAt + TOLERANCE_MS && JSON.stringify(output) === JSON.stringify(result.output)),
    );
    if (!reported) fail(`${where}: a partial output that no attempt reported`);
    return;
  }
  const winner = own.find((work) => {
    const { verdict, at } = judge(work, settingsOf(work.toolName));
    const isOne = verdict === 'success' || verdict === 'open';
    if (!isOne || Math.abs(at - answeredAt) > TOLERANCE_MS) return false;
    return result.altered !== undefined || JSON.stringify(result.output) === JSON.stringify(outputOf(work));
  });
  if (!winner) fail(`${where}: succeeded at ${round(answeredAt)}, but no attempt answered in time then`);
}

/** Skipped: the direct cause is one of its dependencies, and the chain leads to a call that failed by itself. */
function checkChain({ calls, played }: CheckedTurn, call: CheckedCall, where: string, fail: Case['fail']): void {
  const chain = call.result?.error?.causedBy ?? [];
  if (chain.length === 0) return fail(`${where}: skipped without a cause`);
  if (call.works.length > 0) fail(`${where}: skipped, and run`);
  if (!call.events.some(({ event }) => event.event_type === 'ToolSkipped')) fail(`${where}: skipped, but not in the trace`);
  let dependant = call;
  for (const name of chain) {
    const cause = calls.find((other) => other.call.callId === name);
    if (!cause) return fail(`${where}: caused by ${name}, which is not a call of ${played.turn.turnId}`);
    if (!waitsFor(dependant, name)) fail(`${where}: caused by ${name}, which ${dependant.call.callId} does not depend on`);
    if (cause.result?.status === 'success') fail(`${where}: caused by ${name}, which succeeded`);
    dependant = cause;
  }
  if (dependant.result?.status !== 'success' && dependant.result?.skipped)
    fail(`${where}: the chain ends at ${dependant.call.callId}, which was skipped itself`);
}

function waitsFor({ call }: CheckedCall, name: string): boolean {
  return (call.dependsOn?.includes(name) ?? false) || JSON.stringify(call.arguments ?? {}).includes(`"${name}"`);
}
