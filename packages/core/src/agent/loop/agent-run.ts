/**
 * Owns the seam between a loop that talks to a model and the service that runs tools: calls as the model made them go in, what the model reads comes out.
 * Every adapter uses it, and so does `runInference`.
 *
 *   read → let through or turned down (`prepare.ts`) → run (`run-calls.ts`) → counted, told, worded (`conclude.ts`) → backoff
 *
 * Does not own talking to a model, nor what an answer looks like in a provider's format.
 *
 * Invariants
 * 1. `answer` gives one answer per call, in call order, and never rejects; `answerOne` never rejects. What goes wrong is said in the answer.
 * 2. A call of a truncated answer, one that cannot be read, and one that failed too often is never run. Once the run is stopped nothing is.
 * 3. Everything that happens is in the trace and in the session.
 */
import type { ToolResult } from '../../engine/call/result.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { OutputOf, Schema } from '../../engine/schema/standard-schema.ts';
import { crashFault, failedResult } from '../../runtime/service/single-call.ts';
import { callSafely } from '../../runtime/service/call-safely.ts';
import { internalsOf } from '../../runtime/service/internals.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import { uniqueKeys } from '../../runtime/service/tool-call.ts';
import type { RetryPolicyLayer } from '../session/retry-policy.ts';
import { checkRetryPolicy } from '../session/retry-policy.ts';
import { Session } from '../session/session.ts';
import type { AdvertisedTool, ToolAvailability } from './advertise.ts';
import { advertiseTools, availabilityOf } from './advertise.ts';
import type { CallExecutor } from './call-executors.ts';
import type { Conclusion, ToolAnswer } from './record-result.ts';
import { concludeSafely } from './record-result.ts';
import { GatheredTurn } from './incremental-turn.ts';
import type { ModelCall, ReadArguments, ReadModelCall } from './model-call.ts';
import { givenId, readModelCall } from './model-call.ts';
import { answerGathered } from './incremental-call.ts';
import type { AgentRunOptions, AnySession } from './options.ts';
import { checkRunOptions } from './options.ts';
import type { PreparedCall } from './prepare-call.ts';
import { prepareCall } from './prepare-call.ts';
import type { ReadOutput, ReadOutputOptions } from './read-output.ts';
import { readOutput } from './read-output.ts';
import { runCalls, turnOf, turnSettingsOf } from './run-calls.ts';
import type { AnswerScope, ModelAnswer, RunState, RunStopped } from './run-state.ts';
import { createRunState, openScope, record } from './run-state.ts';
import { textOf } from './result-text.ts';
import { toldChanges } from './transcript-repair.ts';
import type { TranscriptRepair } from './transcript-repair.ts';
import { waitFor } from './sleep.ts';
import { isObjectOrFunction } from '../../engine/plain/is-object.ts';

/** Options of `AgentRun.answer`. */
export interface AnswerOptions {
  /** Cancels the calls; answered at once. */
  readonly signal?: CancelSignal | undefined;
  /** All calls of the answer together may take this long. @default the turn settings' */
  readonly timeoutMs?: number | undefined;
}

/** Options of `AgentRun.answerOne`. */
export interface AnswerOneOptions extends AnswerOptions {
  /** All calls of the answer, as far as the framework tells them. */
  readonly siblings?: readonly ModelCall[] | undefined;
  /** Runs this call, in place of its tool's own runner; needs `executors` in the run's options. */
  readonly execute?: CallExecutor | undefined;
  /** What the framework has read of the arguments. @default the run's reader reads them */
  readonly read?: ReadArguments | undefined;
}

function ignore(): void {
  // What cannot be told is no reason to stop.
}

/** One run of an agent: answers what a model calls, remembers what failed, and says when the loop should end. */
export class AgentRun {
  /** Session that records the events and feedback of the run: the one given in the options, or one created for the run. */
  readonly session: AnySession;
  readonly #kit: ServiceContext;
  readonly #state: RunState;
  readonly #turns = new WeakMap<object, GatheredTurn>();

  /** @throws TypeError | RangeError naming the option, its value and the fix. */
  constructor(options: AgentRunOptions) {
    checkRunOptions(options);
    this.#kit = internalsOf(options.service, 'AgentRun');
    this.session = options.session ?? new Session({ system: this.#kit.system, redact: this.#kit.redact });
    this.#state = createRunState(options, this.#kit, this.session);
  }

  /** Why the loop should end, if it should. From then on no call is run. */
  get stopped(): RunStopped | undefined {
    return this.#state.stopped;
  }

  /** Forgets what stopped the run, all attempts and all repetitions: for a planner that goes on in another way. */
  resume(): void {
    const state = this.#state;
    state.stopped = undefined;
    state.refusals = 0;
    state.streaks.clear();
    state.repeats.clear();
    state.nearRepeats.clear();
    state.repetitions.clear();
    state.closedTools.clear();
  }

  /** Answers all calls of one answer of the model: one answer per call, in call order. Waits the backoff of failed attempts before it answers. */
  async answer(calls: readonly ModelCall[], options: AnswerOptions = {}): Promise<readonly ToolAnswer[]> {
    const read = readAll(calls);
    if (read.length === 0) return [];
    try {
      const startedAt = this.#kit.system.now();
      const scope = openScope(this.#state, this.#newAnswer(startedAt, readTimeout(options)), startedAt);
      const prepared = read.map((call) => prepareCall(this.#state, call));
      const keys = uniqueKeys(read.map(({ callId }) => callId));
      const results = await runCalls(
        this.#kit,
        prepared.map((call, index) => ({ key: keys[index] ?? '', call, dependsOn: call.read.dependsOn })),
        { ...turnOf(this.#state, scope, startedAt), signal: options.signal },
      );
      const conclusions = this.#conclude(scope, prepared, results);
      await this.#backOff(scope.answer, longestOf(conclusions), options.signal);
      return conclusions.map(({ answer }) => answer);
    } catch (error) {
      return read.map((call) => this.#crashed(call, error));
    }
  }

  /**
   * Answers one call, for frameworks that hand over calls one by one. Calls with the same `turn` (an object that stands for the model's answer: its message,
   * the list of messages) share a deadline and a limit of calls at once, and may wait for each other. Where a framework uses the same object for several
   * answers, a new one begins with an id that has come before, with `siblings` that are all new, or, without `siblings`, after a pause of 100 ms.
   */
  async answerOne(call: ModelCall, turn: object, options: AnswerOneOptions = {}): Promise<ToolAnswer> {
    let read = readModelCall(call, 0);
    let gathered: GatheredTurn | undefined;
    try {
      const callId = givenId(call);
      gathered = this.#gather(turn, callId, options);
      gathered.members.begin(callId);
      read = readModelCall(call, gathered.arrive());
      const { signal, execute, read: known } = options;
      const { answer, delayMs } = await answerGathered(this.#state, gathered, read, { signal, execute, known });
      await this.#backOff(gathered.answer, delayMs, options.signal);
      return answer;
    } catch (error) {
      return this.#crashed(read, error);
    } finally {
      gathered?.members.end();
    }
  }

  /** Reads a structured output: failures follow the same path as those of tools (docs/specification.md#s2). Waits the backoff before it answers. Rejects for `validationRetries` that are none, and for nothing else. */
  async readOutput<S extends Schema>(
    given: unknown,
    schema: S,
    { signal, ...options }: ReadOutputOptions & Pick<AnswerOptions, 'signal'> = {},
  ): Promise<ReadOutput<OutputOf<S>>> {
    if (options.validationRetries) checkRetryPolicy(options.validationRetries, 'readOutput.validationRetries');
    const { output, delayMs } = await readOutput(this.#state, given, schema, options);
    await waitFor(this.#kit.system, delayMs, signal);
    return output;
  }

  /** Says that no more calls of this turn come: anyone who waits for one that has not come is answered. A call that comes all the same begins a turn of its own. */
  endTurn(turn: object): void {
    if (!isObjectOrFunction(turn)) return;
    this.#turns.get(turn)?.close();
    this.#turns.delete(turn);
  }

  /** The tools as they should be offered now: those with an open circuit annotated or left out. The same list where nothing has to be said. */
  advertise<T extends AdvertisedTool>(tools: readonly T[]): readonly T[] {
    return advertiseTools(this.#kit, tools, this.#state.options.openCircuits ?? 'annotate');
  }

  /** Whether a tool can be called now, and what a model should know about it. */
  availability(toolName: string): ToolAvailability {
    return availabilityOf(this.#kit, toolName);
  }

  /** Changes the validation retries of every tool, or of one; the next decision sees it (docs/specification.md#s2). @throws TypeError | RangeError */
  setRetryPolicy(policy: RetryPolicyLayer | undefined, toolName?: string): void {
    if (policy) checkRetryPolicy(policy, 'setRetryPolicy');
    if (toolName === undefined) this.#state.globalPolicy = policy;
    else if (policy) this.#state.toolPolicies.set(toolName, policy);
    else this.#state.toolPolicies.delete(toolName);
  }

  /** Tells the trace and the session that a transcript had to be repaired before it was sent. Nothing is told where nothing was changed. Never throws. */
  recordRepair({ format, profile, changes }: TranscriptRepair): void {
    callSafely(() => {
      if (changes.length === 0) return;
      record(this.#state, undefined, {
        event_type: 'TranscriptRepaired',
        format,
        ...(profile === undefined ? {} : { profile }),
        changes: toldChanges(changes, this.#kit),
        message: `${changes.length} ${changes.length === 1 ? 'change' : 'changes'} to the transcript`,
      });
    }, ignore);
  }

  #newAnswer(startedAt: number, timeoutMs: number | undefined): ModelAnswer {
    const limit = timeoutMs ?? turnSettingsOf(this.#state).timeoutMs;
    return { refused: 0, refusedTools: new Set(), deadlineAt: limit === null ? undefined : startedAt + limit };
  }

  /** The turn of a call: the one of this object, where it is still the same answer of the model. */
  #gather(turn: object, callId: string | undefined, { timeoutMs, siblings }: AnswerOneOptions): GatheredTurn {
    const told = siblings && readAll(siblings).map((sibling) => sibling.callId);
    const known = isObjectOrFunction(turn) ? this.#turns.get(turn) : undefined;
    const gathered = known?.members.includes(callId, told) ? known : this.#newGathered(readTimeout({ timeoutMs }));
    if (isObjectOrFunction(turn)) this.#turns.set(turn, gathered);
    if (told) gathered.members.announce(told);
    return gathered;
  }

  #newGathered(timeoutMs: number | undefined): GatheredTurn {
    const { system } = this.#kit;
    return new GatheredTurn(system, this.#newAnswer(system.now(), timeoutMs), turnSettingsOf(this.#state).concurrency);
  }

  /** Failures first: what a success forgets does not depend on the order of the calls. */
  #conclude(scope: AnswerScope, prepared: readonly PreparedCall[], results: readonly ToolResult[]): readonly Conclusion[] {
    const conclusions = new Map<PreparedCall, Conclusion>();
    for (const failing of [true, false]) {
      for (const [index, call] of prepared.entries()) {
        const result = results[index] ?? failedResult(call.read, crashFault(new Error('no result'), this.#kit.redact));
        if ((result.status !== 'success') === failing) conclusions.set(call, concludeSafely(this.#state, scope, call, result));
      }
    }
    return prepared.flatMap((call) => conclusions.get(call) ?? []);
  }

  /** A wait that the turn has no time for is not begun. */
  async #backOff({ deadlineAt }: ModelAnswer, delayMs: number, signal: CancelSignal | undefined): Promise<void> {
    const { system } = this.#kit;
    if (delayMs > 0 && (deadlineAt === undefined || system.now() + delayMs < deadlineAt)) await waitFor(system, delayMs, signal);
  }

  #crashed({ toolName, callId, raw }: ReadModelCall, error: unknown): ToolAnswer {
    const result = failedResult({ toolName, callId }, crashFault(error, this.#kit.redact));
    return { callId, toolName, result, text: textOf(result), isError: true, arguments: raw, repairs: [] };
  }
}

/** A spread of them all overflows the stack for a flood of calls. */
function longestOf(conclusions: readonly Conclusion[]): number {
  return conclusions.reduce((longest, { delayMs }) => Math.max(longest, delayMs), 0);
}

function readTimeout({ timeoutMs }: { readonly timeoutMs?: number | undefined }): number | undefined {
  return typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : undefined;
}

/** Reads every call by itself: one that cannot be read takes no other with it. */
function readAll(calls: readonly ModelCall[]): readonly ReadModelCall[] {
  try {
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
