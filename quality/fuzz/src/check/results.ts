/** Owns the promises about results: one per call, true, and with its reason. */
import { outputOf } from '../play/play-fate.ts';
import type { Case, CheckedCall, CheckedTurn } from './case.ts';
import { HAIR_MS, judge, round } from './case.ts';

export function checkResults({ turns, say }: Case): void {
  for (const turn of turns) {
    const { played } = turn;
    const { report } = played;
    if (!report) continue;
    const where = played.turn.turnId;
    const wanted = played.turn.calls.map(({ callId }) => callId);
    const given = report.results.map(({ callId }) => callId);
    if (String(given) !== String(wanted)) say(`${where}: results for ${given.join(', ')} where ${wanted.join(', ')} were asked for`);
    for (const call of turn.calls) checkOne(turn, call, say);
  }
}

function checkOne(turn: CheckedTurn, call: CheckedCall, say: Case['say']): void {
  const { result, works, events } = call;
  const where = `${turn.played.turn.turnId}/${call.call.callId}`;
  if (!result) return say(`${where}: no result`);
  const ends = events.flatMap(({ event }) => (event.event_type === 'CallCompleted' ? [event] : []));
  if (ends.length !== 1) say(`${where}: ${ends.length} events say that it is completed`);
  if (ends[0] && ends[0].status !== result.status) say(`${where}: the trace says ${ends[0].status}, the result ${result.status}`);
  const before = works.filter(({ beganAt }) => beganAt <= call.answeredAt + HAIR_MS);
  if (result.attempts !== before.length) say(`${where}: the result says ${result.attempts} attempts, its tools know ${before.length}`);
  if (result.status === 'success') checkOutput(call, where, say);
  else if (!result.error.message || !result.error.userMessage || !result.error.code) say(`${where}: a failure without words`);
  if (result.status !== 'success' && result.skipped) checkChain(turn, call, where, say);
}

function checkOutput(call: CheckedCall, where: string, say: Case['say']): void {
  const { result, works, answeredAt, settingsOf } = call;
  if (result?.status !== 'success') return;
  const own = works.filter(({ toolName }) => toolName === result.servedBy);
  if (result.partial) {
    const reported = own.some(({ partials }) =>
      partials.some(({ at, output }) => at <= answeredAt + HAIR_MS && JSON.stringify(output) === JSON.stringify(result.output)),
    );
    if (!reported) say(`${where}: a partial output that no attempt reported`);
    return;
  }
  const winner = own.find((work) => {
    const { verdict, at } = judge(work, settingsOf(work.toolName));
    const isOne = verdict === 'success' || verdict === 'open';
    if (!isOne || Math.abs(at - answeredAt) > HAIR_MS) return false;
    return result.altered !== undefined || JSON.stringify(result.output) === JSON.stringify(outputOf(work));
  });
  if (!winner) say(`${where}: succeeded at ${round(answeredAt)} with what no attempt in time answered then`);
}

/** Skipped: the direct cause is one that it waits for, and the chain goes on to one that failed by itself. */
function checkChain({ calls, played }: CheckedTurn, call: CheckedCall, where: string, say: Case['say']): void {
  const chain = call.result?.error?.causedBy ?? [];
  if (chain.length === 0) return say(`${where}: skipped without a cause`);
  if (call.works.length > 0) say(`${where}: skipped, and run`);
  if (!call.events.some(({ event }) => event.event_type === 'ToolSkipped')) say(`${where}: skipped, and the trace does not say so`);
  let dependant = call;
  for (const name of chain) {
    const cause = calls.find((other) => other.call.callId === name);
    if (!cause) return say(`${where}: caused by ${name}, which is no call of ${played.turn.turnId}`);
    if (!waitsFor(dependant, name)) say(`${where}: caused by ${name}, on which ${dependant.call.callId} does not depend`);
    if (cause.result?.status === 'success') say(`${where}: caused by ${name}, which succeeded`);
    dependant = cause;
  }
  if (dependant.result?.status !== 'success' && dependant.result?.skipped)
    say(`${where}: the chain ends at ${dependant.call.callId}, which was skipped itself`);
}

function waitsFor({ call }: CheckedCall, name: string): boolean {
  return (call.dependsOn?.includes(name) ?? false) || JSON.stringify(call.arguments ?? {}).includes(`"${name}"`);
}
