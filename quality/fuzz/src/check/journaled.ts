/** Owns the guarantees about turns whose processes die: complete, on time, and nothing is repeated whose result is known or that must not be repeated. */
import type { ToolResult, ToolSettings, TraceEvent } from '@holdfast/core';
import { profiles } from '@holdfast/core';
import { resolveSettings } from '@holdfast/core/internal';
import type { JournaledPlay } from '../play/journaled.ts';
import type { Work } from '../play/observation.ts';
import { awake } from '../play/observation.ts';
import { planted } from '../scene/secrets.ts';
import { group, TOLERANCE_MS, isFree, isProbe, round, describeWork } from './case.ts';
import { checkTakenOver } from './taken-over.ts';

/** How long after its deadline a turn may return, beyond the time in which no process worked on it. */
const GRACE_MS = 50;

export function checkJournaled(play: JournaledPlay): readonly string[] {
  const { turn, result, works, problems } = play;
  const found: string[] = [...problems];
  const report = (what: string): void => void found.push(`over a journal, ${turn.turnId}: ${what}`);
  if (!result) return found;
  if (result.problems) report(`the plan was refused: ${result.problems.join('; ')}`);
  checkWhole(play, report);
  checkTimes(play, report);
  checkReadAgain(play, report);
  checkTakenOver(play, report);
  for (const [name, count] of Object.entries(play.held)) report(`${name}: ${count} slots are held forever`);
  for (const work of play.madeAgain) report(`${describeWork(work)}: made again, though the journal knows how it ended`);
  for (const [callId, own] of group(works, (work) => work.callId)) {
    checkCall(play, own, report);
    const reported = result.results.find((one) => one.callId === callId)?.attempts;
    const numbers = new Set(own.filter(({ beganAt }) => beganAt <= play.returnedAt + TOLERANCE_MS).map(({ attempt }) => attempt));
    // An attempt that was journaled but never started leaves no other trace.
    if (reported !== undefined && reported > numbers.size && play.diedAt.length === 0)
      report(`${callId}: the result says ${reported} attempts, its tools know ${numbers.size}`);
  }
  const retries = [...group(works, ({ callId, toolName }) => `${callId} ${toolName}`).values()].reduce(
    (sum, own) => sum + new Set(own.filter((work) => !isRetryFree(result.trace, work)).map(({ attempt }) => attempt)).size - 1,
    0,
  );
  if (profiles[play.scene.profile].tool.waitForRecovery) return found;
  const { maxRetries } = { ...profiles[play.scene.profile].turn, ...turn.settings };
  if (maxRetries !== null && retries > maxRetries) report(`${retries} retries, but ${maxRetries} are allowed`);
  return found;
}

/** Whether it returned to the gate to wait there, according to the record. */
function isRetryFree(trace: readonly TraceEvent[], { callId, attempt }: Work): boolean {
  const events = trace.flatMap((event, order) => ('call_id' in event && event.call_id === callId ? [{ event, order }] : []));
  const began = events.find(({ event }) => event.event_type === 'AttemptStarted' && event.attempt === attempt);
  return began !== undefined && isFree({ events: events as Parameters<typeof isFree>[0]['events'] }, began);
}

type Fail = (what: string) => void;

function checkWhole({ turn, result }: JournaledPlay, fail: Fail): void {
  if (!result) return;
  const wanted = turn.calls.map(({ callId }) => callId).join(', ');
  const given = result.results.map(({ callId }) => callId).join(', ');
  if (wanted !== given) fail(`results for ${given}, but ${wanted} were requested`);
  if (result.trace.some(({ seq }, index) => seq !== index + 1)) fail('the record has a gap');
  for (const { callId } of turn.calls) {
    const ends = result.trace.filter((event) => event.event_type === 'CallCompleted' && event.call_id === callId).length;
    if (ends !== 1) fail(`${callId} is completed ${ends} times`);
  }
  if (result.trace.filter(({ event_type }) => event_type === 'TurnCompleted').length !== 1) fail('not completed once');
  const text = JSON.stringify(result.trace);
  for (const secret of planted) if (text.includes(secret)) fail(`the secret ${secret} is in the trace`);
}

/** The journal alone leads to the same end, with the same events. */
function checkReadAgain({ result, readAgain }: JournaledPlay, fail: Fail): void {
  if (!result || !readAgain) return;
  const [first, again] = [result, readAgain].map(({ results, outcome, trace }) => [outcome, ...results.map(endOf), ...toComparable(trace)]);
  const index = first?.findIndex((text, at) => text !== again?.[at]) ?? -1;
  if (index >= 0) fail(`has ${first?.[index]}; read again, the journal leads to ${again?.[index]}`);
}

/** Events up to the turn's end. */
function toComparable(trace: readonly TraceEvent[]): readonly string[] {
  const end = trace.findIndex(({ event_type }) => event_type === 'TurnCompleted');
  return trace
    .slice(0, end + 1)
    .map((event) => `${event.event_type} ${'call_id' in event ? (event.call_id ?? '') : ''} ${round(event.elapsed_ms)}`);
}

function endOf({ callId, status, output, error, attempts, servedBy }: ToolResult): string {
  return JSON.stringify([callId, status, output, error?.code, error?.message, attempts, servedBy]);
}

function checkTimes({ scene, turn, works, returnedAt, deadlineSetAt, deaths, diedAt, sleeps }: JournaledPlay, fail: Fail): void {
  const { timeoutMs } = { ...profiles[scene.profile].turn, ...turn.settings };
  const cancelledAt = awake(sleeps, (turn.cancelAtMs ?? Number.POSITIVE_INFINITY) + 0.25);
  const endsBy = Math.min(deadlineSetAt + (timeoutMs ?? Number.POSITIVE_INFINITY), cancelledAt);
  const away = diedAt.length * deaths.takeOverMs;
  if (returnedAt > awake(sleeps, awake(sleeps, endsBy) + away + GRACE_MS))
    fail(`returned at ${round(returnedAt)}, expected by ${round(endsBy)}`);
  for (const work of works)
    if (work.beganAt > endsBy + TOLERANCE_MS) fail(`${describeWork(work)}: after the turn's end at ${round(endsBy)}`);
}

function checkCall({ scene, turn, diedAt, result }: JournaledPlay, works: readonly Work[], fail: Fail): void {
  const call = turn.calls.find(({ callId }) => callId === works[0]?.callId);
  const settingsOf = (toolName: string): ToolSettings => {
    const own = resolveSettings(profiles[scene.profile].tool, scene.tools.find(({ name }) => name === toolName)?.policy);
    return toolName === call?.toolName && call.policy ? resolveSettings(own, call.policy) : own;
  };
  for (const [toolName, own] of group(works, (work) => work.toolName)) {
    const { retry, effect, waitForRecovery } = settingsOf(toolName);
    const numbers = new Set(own.map(({ attempt }) => attempt));
    const events = (result?.trace ?? []).flatMap((event) => ('call_id' in event && event.call_id === call?.callId ? [{ event }] : []));
    const probes = waitForRecovery ? own.filter((work) => isProbe({ events }, work)).length : 0;
    if (numbers.size - probes > retry.maxAttempts)
      fail(`${describeWork(own[0] as Work)}: ${numbers.size} attempts, but ${retry.maxAttempts} are allowed`);
    if (effect !== 'unsafe') continue;
    if (numbers.size < own.length) fail(`${describeWork(own[0] as Work)}: an attempt of an unsafe tool is made again`);
    for (const work of own) {
      const died = diedAt.find((at) => at > work.beganAt + TOLERANCE_MS && at < work.endedAt - TOLERANCE_MS);
      const again = died !== undefined && works.find((other) => other.order > work.order && other.beganAt > died);
      if (again) fail(`${describeWork(again)}: though the process died while the unsafe ${describeWork(work)} was running`);
    }
  }
  if (new Set(works.map(({ idempotencyKey }) => idempotencyKey)).size > 1)
    fail(`${describeWork(works[0] as Work)}: several idempotency keys for one call`);
}
