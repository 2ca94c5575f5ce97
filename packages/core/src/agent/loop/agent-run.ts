/**
 * Owns the connection between the loop with a model and the service that runs tools: it takes calls as the model made them and returns the answers that the model
 * reads. All adapters and `runInference` use it.
 *
 *   read → accepted or refused (`prepare-call.ts`) → run (`run-calls.ts`) → counted, recorded, formatted (`record-result.ts`) → backoff
 *
 * Does not own requests to a model, nor the provider's format of an answer.
 *
 * Invariants
 * 1. `answer` returns one answer per call, in call order, and never rejects; `answerOne` never rejects. Failures are part of the answer.
 * 2. A call in a truncated answer, an unreadable one and one that failed too often are never run. Once the run is stopped, no call is run.
 * 3. All events are in the trace and in the session.
 */
import { checkOptions } from '../../engine/settings/check-options.ts';
import { internalFault, type Fault } from '../../engine/call/fault.ts';
import type { ToolResult } from '../../engine/call/result.ts';
import { signalRule, type CancelSignal } from '../../engine/ports/signal.ts';
import type { OutputOf, Schema } from '../../engine/schema/standard-schema.ts';
import { checkRule, listOf, refuse, show, type Fields } from '../../engine/settings/check.ts';
import { crashFault, failedResult } from '../../runtime/service/single-call.ts';
import { executeFields, readOptions } from '../../runtime/service/execute-options.ts';
import { checkKnownTools } from '../../runtime/service/options.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';
import { internalsOf } from '../../runtime/service/internals.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import { uniqueKeys } from '../../runtime/service/tool-call.ts';
import type { RetryPolicyLayer } from '../../engine/settings/validation-retries.ts';
import { checkRetryPolicy } from '../../engine/settings/validation-retries.ts';
import { Session } from '../session/session.ts';
import type { AdvertisedTool, ToolAvailability } from './advertise.ts';
import { advertiseTools, availabilityOf } from './advertise.ts';
import type { CallExecutor } from './call-executors.ts';
import type { RecordedAnswer, ToolAnswer } from './record-result.ts';
import { recordResult } from './record-result.ts';
import { IncrementalTurn } from './incremental-turn.ts';
import type { ModelCall, ReadArguments, ReadModelCall } from './model-call.ts';
import { callIdOf, readModelCall, rejectedCall, unnamed } from './model-call.ts';
import { answerIncrementally } from './incremental-call.ts';
import type { AgentRunOptions, AnySession } from './options.ts';
import { checkRunOptions } from './options.ts';
import type { PreparedCall } from './prepare-call.ts';
import { prepareCall } from './prepare-call.ts';
import type { ReadOutput, ReadOutputOptions } from './read-output.ts';
import { readOutput, readOutputFields } from './read-output.ts';
import { runCalls, turnOf, turnSettingsOf } from './run-calls.ts';
import type { AnswerScope, ModelAnswer, RunState, RunStopped } from './run-state.ts';
import { createRunState, openScope, record } from './run-state.ts';
import { textOf } from './result-text.ts';
import { recordedChanges } from './transcript-repair.ts';
import type { TranscriptRepair } from './transcript-repair.ts';
import { waitFor } from './sleep.ts';
import { isObjectOrFunction } from '../../engine/plain/is-object.ts';

/** Options of `AgentRun.answer`. */
export interface AnswerOptions {
  /** Cancels the calls; the answers are returned at once. */
  readonly signal?: CancelSignal | undefined;
  /** Time limit for all calls of the answer together. @default the limit in the turn settings */
  readonly timeoutMs?: number | undefined;
}

/** Options of `AgentRun.answerOne`. */
export interface AnswerOneOptions extends AnswerOptions {
  /** All calls of the answer that the framework knows. */
  readonly siblings?: readonly ModelCall[] | undefined;
  /** Runs this call in place of the runner of its tool; requires `executors` in the run's options. */
  readonly execute?: CallExecutor | undefined;
  /** The arguments as already read by the framework. @default the run's reader reads them */
  readonly read?: ReadArguments | undefined;
}

const listOfCalls = listOf('object', 'an array of calls');

/** The ids of lists that cannot change, which frameworks pass with each call of an answer. */
const idsOfFrozen = new WeakMap<readonly ModelCall[], readonly string[]>();

const repairFields: Fields = { format: 'string', profile: 'string', changes: listOf('object', 'an array of changes') };

const answerOneFields: Fields = {
  ...executeFields,
  siblings: (value, field, guess) => {
    if (!idsOfFrozen.has(value as readonly ModelCall[])) checkRule(listOfCalls, value, field, guess);
  },
  execute: 'function',
  read: 'object',
};

function ignore(): void {
  // A failure to record is no reason to stop.
}

/** One run of an agent: answers the calls of a model, keeps track of failures, and signals when the loop should end. */
export class AgentRun {
  /** Session that records the events and feedback of the run: the one given in the options, or one created for the run. */
  readonly session: AnySession;
  readonly #context: ServiceContext;
  readonly #state: RunState;
  readonly #turns = new WeakMap<object, IncrementalTurn>();

  /** @throws TypeError | RangeError that names the option, its value and the fix */
  constructor(options: AgentRunOptions) {
    checkRunOptions(options);
    this.#context = internalsOf(options.service, 'AgentRun.service');
    this.session = options.session ?? new Session({ system: this.#context.system, redact: this.#context.redact });
    this.#state = createRunState(options, this.#context, this.session);
  }

  /** Why the loop should end; undefined while it should continue. Once it is set, no call is run. */
  get stopped(): RunStopped | undefined {
    return this.#state.stopped;
  }

  /** Clears the stop, all attempts and all repetitions, for a planner that continues in a different way. */
  resume(): void {
    const state = this.#state;
    state.stopped = undefined;
    state.refusals = 0;
    state.streaks.clear();
    state.repeats.clear();
    state.nearRepeats.clear();
    state.closedTools.clear();
  }

  /** Answers all calls of one response of the model: one answer per call, in call order. Waits for the backoff of failed attempts first. */
  async answer(calls: readonly ModelCall[], options: AnswerOptions = {}): Promise<readonly ToolAnswer[]> {
    const read = readAll(calls);
    if (read.length === 0) return [];
    const { problem, timeoutMs, signal } = readOptions(options, "answer's options");
    if (problem !== undefined) return read.map((call) => this.#answerInvalid(call, problem));
    try {
      const startedAt = this.#context.system.now();
      const scope = openScope(this.#state, this.#newAnswer(startedAt, timeoutMs), startedAt);
      const prepared = read.map((call) => prepareCall(this.#state, call));
      const keys = uniqueKeys(read.map(({ callId }) => callId));
      const results = await runCalls(
        this.#context,
        prepared.map((call, index) => ({ key: keys[index] ?? '', call, dependsOn: call.read.dependsOn })),
        { ...turnOf(this.#state, scope, startedAt), signal },
      );
      const recorded = this.#recordResults(scope, prepared, results);
      await this.#backOff(scope.answer, longestOf(recorded), signal);
      return recorded.map(({ answer }) => answer);
    } catch (error) {
      return read.map((call) => this.#answerCrash(call, error));
    }
  }

  /**
   * Answers one call, for frameworks that pass calls one by one. Calls with the same `turn` (an object that identifies the model's answer, such as its message
   * or the list of messages) share a deadline and a concurrency limit, and may depend on each other. If a framework uses the same object for several answers, a
   * new answer begins with a repeated call id, with `siblings` that are all new, or, without `siblings`, after a pause of 100 ms.
   */
  async answerOne(call: ModelCall, turn: object, options: AnswerOneOptions = {}): Promise<ToolAnswer> {
    let read = readModelCall(call, 0);
    const { problem, ...own } = readOptions(options, "answerOne's options", answerOneFields);
    if (problem !== undefined) return this.#answerInvalid(read, problem);
    if (!isObjectOrFunction(turn)) return this.#answerInvalid(read, `answerOne's turn must be an object of its answer, got ${show(turn)}`);
    let incremental: IncrementalTurn | undefined;
    try {
      const callId = callIdOf(call);
      incremental = this.#incrementalTurnFor(turn, callId, own);
      incremental.grouping.begin(callId);
      const position = incremental.nextPosition();
      if (callId === undefined) read = readModelCall(call, position);
      const { signal, execute, read: known } = own;
      const { answer, delayMs } = await answerIncrementally(this.#state, incremental, read, { signal, execute, known });
      if (delayMs > 0) await this.#backOff(incremental.answer, delayMs, signal);
      return answer;
    } catch (error) {
      return this.#answerCrash(read, error);
    } finally {
      incremental?.grouping.end();
    }
  }

  /** Reads a structured output: failures are handled like those of tool arguments (docs/specification.md#s2). Waits for the backoff first. Rejects only for an invalid option. */
  async readOutput<S extends Schema>(
    value: unknown,
    schema: S,
    given: ReadOutputOptions & Pick<AnswerOptions, 'signal'> = {},
  ): Promise<ReadOutput<OutputOf<S>>> {
    checkOptions({ ...readOutputFields, signal: signalRule }, given, "readOutput's options");
    const { signal, ...options } = given;
    const { output, delayMs } = await readOutput(this.#state, value, schema, options);
    await waitFor(this.#context.system, delayMs, signal);
    return output;
  }

  /** Declares that no more calls of this turn follow: calls that wait for a missing one are answered. A further call begins a new turn. */
  endTurn(turn: object): void {
    if (!isObjectOrFunction(turn)) refuse('endTurn: turn', turn, 'the object that answerOne was given for the turn', '');
    this.#turns.get(turn)?.close();
    this.#turns.delete(turn);
  }

  /** Returns the tools as they should be offered now: those with an open circuit are annotated or left out. The same list when every tool is available. */
  advertise<T extends AdvertisedTool>(tools: readonly T[]): readonly T[] {
    return advertiseTools(this.#context, tools, this.#state.options.openCircuits ?? 'annotate');
  }

  /** Returns whether a tool can be called now, and what the model should know about it. */
  availability(toolName: string): ToolAvailability {
    checkRule('string', toolName, 'availability: toolName');
    return availabilityOf(this.#context, toolName);
  }

  /** Changes the validation retries of all tools or of one, from the next decision on (docs/specification.md#s2). @throws TypeError | RangeError for an invalid policy */
  setRetryPolicy(policy: RetryPolicyLayer | undefined, toolName?: string): void {
    if (policy !== undefined) checkRetryPolicy(policy, 'setRetryPolicy');
    if (toolName !== undefined) checkRule('string', toolName, 'setRetryPolicy: toolName');
    if (toolName !== undefined) checkKnownTools([toolName], this.#context.toolNames(), 'setRetryPolicy');
    if (toolName === undefined) this.#state.globalPolicy = policy;
    else if (policy) this.#state.toolPolicies.set(toolName, policy);
    else this.#state.toolPolicies.delete(toolName);
  }

  /** Records in the trace and the session that a transcript was repaired before it was sent. Records nothing without changes. @throws TypeError for a repair that cannot be read */
  recordRepair(repair: TranscriptRepair): void {
    checkOptions(repairFields, repair, 'recordRepair', ['format', 'changes']);
    const { format, profile, changes } = repair;
    callSafely(() => {
      if (changes.length === 0) return;
      record(this.#state, undefined, {
        event_type: 'TranscriptRepaired',
        format,
        ...(profile === undefined ? {} : { profile }),
        changes: recordedChanges(changes, this.#context),
        message: `${changes.length} ${changes.length === 1 ? 'change' : 'changes'} to the transcript`,
      });
    }, ignore);
  }

  #newAnswer(startedAt: number, timeoutMs: number | undefined): ModelAnswer {
    const limit = timeoutMs ?? turnSettingsOf(this.#state).timeoutMs;
    return { refused: 0, refusedTools: new Set(), deadlineAt: limit === null ? undefined : startedAt + limit };
  }

  /** The turn of a call: the current one of this object, or a new one for a new answer of the model. */
  #incrementalTurnFor(turn: object, callId: string | undefined, { timeoutMs, siblings }: AnswerOneOptions): IncrementalTurn {
    const siblingIds = siblings && idsOf(siblings);
    const known = isObjectOrFunction(turn) ? this.#turns.get(turn) : undefined;
    const incremental = known?.grouping.includes(callId, siblingIds) ? known : this.#newIncrementalTurn(timeoutMs);
    if (isObjectOrFunction(turn)) this.#turns.set(turn, incremental);
    if (siblingIds) incremental.grouping.announce(siblingIds);
    return incremental;
  }

  #newIncrementalTurn(timeoutMs: number | undefined): IncrementalTurn {
    const { system } = this.#context;
    return new IncrementalTurn(system, this.#newAnswer(system.now(), timeoutMs), turnSettingsOf(this.#state).concurrency);
  }

  /** Failures first, so that the effect of a success does not depend on the order of the calls. */
  #recordResults(scope: AnswerScope, prepared: readonly PreparedCall[], results: readonly ToolResult[]): readonly RecordedAnswer[] {
    const recorded = new Map<PreparedCall, RecordedAnswer>();
    for (const failing of [true, false]) {
      for (const [index, call] of prepared.entries()) {
        const result = results[index] ?? failedResult(call.read, crashFault(new Error('no result'), this.#context.redact));
        if ((result.status !== 'success') === failing) recorded.set(call, recordResult(this.#state, scope, call, result));
      }
    }
    return prepared.flatMap((call) => recorded.get(call) ?? []);
  }

  /** Waits, unless the wait would exceed the deadline of the turn. */
  async #backOff({ deadlineAt }: ModelAnswer, delayMs: number, signal: CancelSignal | undefined): Promise<void> {
    const { system } = this.#context;
    if (delayMs > 0 && (deadlineAt === undefined || system.now() + delayMs < deadlineAt)) await waitFor(system, delayMs, signal);
  }

  #answerCrash(call: ReadModelCall, error: unknown): ToolAnswer {
    return this.#answerFault(call, crashFault(error, this.#context.redact));
  }

  #answerInvalid(call: ReadModelCall, problem: string): ToolAnswer {
    return this.#answerFault(call, internalFault('INVALID_CALL', this.#context.redact(problem)));
  }

  #answerFault({ toolName, callId, raw }: ReadModelCall, fault: Fault): ToolAnswer {
    const result = failedResult({ toolName, callId }, fault);
    return { callId, toolName, result, text: textOf(result), isError: true, arguments: raw, repairs: [] };
  }
}

/** Not `Math.max(...)`, which overflows the stack for very many calls. */
function longestOf(recorded: readonly RecordedAnswer[]): number {
  return recorded.reduce((longest, { delayMs }) => Math.max(longest, delayMs), 0);
}

/** The ids of calls, as `readAll` reads them. */
function idsOf(calls: readonly ModelCall[]): readonly string[] {
  const known = idsOfFrozen.get(calls);
  if (known) return known;
  const ids = readIds(calls);
  if (Object.isFrozen(calls)) idsOfFrozen.set(calls, ids);
  return ids;
}

function readIds(calls: readonly ModelCall[]): readonly string[] {
  try {
    const ids: string[] = [];
    for (let position = 0; position < calls.length; position++) ids.push(callIdOf(calls[position]) ?? unnamed(position));
    return ids;
  } catch {
    return readAll(calls).map(({ callId }) => callId);
  }
}

/** Reads every call separately, so that an unreadable one does not affect the others. */
function readAll(calls: readonly ModelCall[]): readonly ReadModelCall[] {
  try {
    // A model that made no calls may have no list of them. Anything else is a mistake that must not lose calls.
    if (!Array.isArray(calls))
      return calls === undefined || calls === null ? [] : [rejectedCall(unnamed(0), '', `The calls must be an array, got ${show(calls)}`)];
    return Array.from({ length: calls.length }, (_, position) => {
      try {
        return readModelCall(calls[position], position);
      } catch {
        return readModelCall(undefined, position);
      }
    });
  } catch {
    return [];
  }
}
