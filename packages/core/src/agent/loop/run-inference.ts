/**
 * Owns the loop without a framework: it sends requests to the model and answers its calls until there are none. Does not own answering calls (`agent-run.ts`).
 *
 * Invariants
 * 1. Never rejects because of the model, tools, schemas or the session: their failures are in the result. Throws for invalid options.
 * 2. Every call in the conversation is followed by its answer, in call order.
 * 3. At the deadline and on abort it returns at once, whether or not the model respects its signal.
 */
import { checkOptions } from '../../engine/settings/check-options.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { checkRule, listOf, type Fields, type Guess } from '../../engine/settings/check.ts';
import { executeFields } from '../../runtime/service/execute-options.ts';
import { checkTools } from '../../runtime/service/options.ts';
import type { CancelSource } from '../../engine/ports/system.ts';
import type { Schema } from '../../engine/schema/standard-schema.ts';
import { internalsOf } from '../../runtime/service/internals.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import { ToolExecutionService } from '../../runtime/service/tool-execution-service.ts';
import type { RetryFeedback } from '../session/feedback.ts';
import { Session } from '../session/session.ts';
import { schemaRule, type AnyTool } from '../../engine/tool/tool.ts';
import { readOutputFields } from './read-output.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { AgentRun } from './agent-run.ts';
import type { ToolAnswer } from './record-result.ts';
import type { InferenceMessage, InferenceOptions, InferenceOutcome, InferenceResult, InferredOutput, ModelResponse } from './inference.ts';
import type { ModelCall } from './model-call.ts';
import { runFields, type AnyService } from './options.ts';
import { isAborted, whenAborted } from './sleep.ts';

interface Ending<Output> {
  readonly outcome: InferenceOutcome;
  readonly output?: Output;
  readonly error?: { readonly message: string; readonly cause: unknown };
}

/** Runs the loop until the model answers without calls. @throws TypeError | RangeError for an invalid option */
export async function runInference<Output extends Schema = Schema>(
  options: InferenceOptions<Output>,
): Promise<InferenceResult<InferredOutput<Output>>> {
  return new Inference<Output>(options).run();
}

const DEFAULT_TURNS = 16;

const inferenceFields: Fields = {
  ...runFields,
  ...executeFields,
  model: 'function',
  messages: listOf(checkMessage, 'an array of messages'),
  tools: checkTools,
  output: schemaRule,
  readOutput: readOutputFields,
  maxTurns: ['a whole number, 1 or more', 1, Infinity, true],
};

function checkMessage(message: unknown, field: string, guess: Guess): void {
  checkRule('object', message, field);
  checkRule(roles, (message as InferenceMessage).role, `${field}.role`, guess);
}

const roles = ['system', 'user', 'assistant', 'tool'] satisfies readonly InferenceMessage['role'][];

class Inference<Output extends Schema> {
  readonly #options: InferenceOptions<Output>;
  readonly #context: ServiceContext;
  readonly #tools: readonly AnyTool[];
  readonly #session: NonNullable<InferenceOptions['session']>;
  readonly #run: AgentRun;
  readonly #messages: InferenceMessage[];
  readonly #trace: TraceEvent[] = [];
  readonly #deadlineAt: number | undefined;
  readonly #source: CancelSource;
  /** Settles when the current calls are answered. */
  #answering: Promise<void> | undefined;
  #reportedFeedback = 0;
  #turns = 0;
  #calls = 0;
  #text = '';

  constructor(options: InferenceOptions<Output>) {
    checkOptions(inferenceFields, options, 'runInference', ['model', 'messages']);
    const {
      model: _model,
      messages,
      service,
      tools,
      output: _output,
      readOutput: _readOutput,
      maxTurns: _maxTurns,
      timeoutMs,
      signal: _signal,
      ...runOptions
    } = options;
    if (service !== undefined && tools !== undefined)
      throw new TypeError("runInference: 'service' and 'tools' cannot be combined. Pass the tools to the service, or omit 'service'.");
    const used: AnyService = service ?? new ToolExecutionService({ tools: tools ?? [] });
    const { onEvent } = runOptions;
    this.#options = options;
    this.#context = internalsOf(used, 'runInference.service');
    this.#tools = used.tools;
    this.#session = options.session ?? new Session({ system: this.#context.system, redact: this.#context.redact });
    this.#run = new AgentRun({
      ...runOptions,
      service: used,
      session: this.#session,
      onEvent: (event) => {
        this.#trace.push(event);
        return onEvent?.(event);
      },
    });
    this.#messages = [...(messages as readonly InferenceMessage[])];
    this.#deadlineAt = timeoutMs === undefined ? undefined : this.#context.system.now() + timeoutMs;
    this.#source = this.#context.system.createCancelSource();
    this.#reportedFeedback = this.#feedback().length;
  }

  async run(): Promise<InferenceResult<InferredOutput<Output>>> {
    const { system } = this.#context;
    let end: (outcome: 'deadline' | 'cancelled') => void = ignore;
    const ended = new Promise<Ending<InferredOutput<Output>>>((resolve) => {
      end = (outcome) => {
        this.#source.abort(() => this.#options.signal?.reason);
        resolve({ outcome });
      };
    });
    const timer = this.#deadlineAt === undefined ? undefined : system.setTimer(this.#deadlineAt - system.now(), () => end('deadline'));
    const stop = whenAborted(this.#options.signal, () => end('cancelled'));
    if (isAborted(this.#options.signal)) end('cancelled');
    try {
      const ending = isAborted(this.#options.signal) ? await ended : await Promise.race([this.#loop(), ended]);
      // An abort also ends the calls; wait so that the conversation includes their answers.
      await this.#answering;
      return this.#result(ending);
    } catch (error) {
      return this.#result({ outcome: 'model_failed', error: this.#describeFailure(error) });
    } finally {
      if (timer) system.clearTimer(timer);
      stop();
    }
  }

  async #loop(): Promise<Ending<InferredOutput<Output>>> {
    const { maxTurns = DEFAULT_TURNS, output } = this.#options;
    while (this.#turns < maxTurns) {
      if (this.#isOver()) return { outcome: 'deadline' };
      const response = await this.#request();
      if (this.#source.aborted) return { outcome: 'cancelled' };
      if (!response.ok) return { outcome: 'model_failed', error: this.#describeFailure(response.error) };
      const { text, calls, truncated } = response;
      this.#turns += 1;
      this.#text = text;
      if (calls.length > 0) {
        this.#answering = this.#answer(text, calls, truncated);
        await this.#answering;
      } else {
        this.#messages.push({ role: 'assistant', content: text, calls });
        if (truncated) return { outcome: 'truncated' };
        if (!output) return { outcome: 'answered' };
        const read = await this.#run.readOutput(text, output, { ...this.#options.readOutput, signal: this.#source.signal });
        if (read.ok) return { outcome: 'answered', output: read.value };
        this.#messages.push({ role: 'user', content: read.text });
      }
      const { stopped } = this.#run;
      if (stopped) return { outcome: stopped.reason === 'validation_exhausted' ? 'exhausted' : 'stopped' };
    }
    return { outcome: 'max_turns' };
  }

  /** Whether no further request is sent: the time is up, or the caller has cancelled. */
  #isOver(): boolean {
    return this.#source.aborted || (this.#deadlineAt !== undefined && this.#context.system.now() >= this.#deadlineAt);
  }

  async #request(): Promise<
    | { readonly ok: true; readonly text: string; readonly calls: readonly ModelCall[]; readonly truncated: boolean }
    | { readonly ok: false; readonly error: unknown }
  > {
    const feedback = this.#feedback();
    const fresh = feedback.slice(this.#reportedFeedback);
    this.#reportedFeedback = feedback.length;
    try {
      const response = await this.#options.model({
        messages: [...this.#messages],
        tools: this.#run.advertise(this.#tools),
        feedback: fresh,
        signal: this.#source.signal,
      });
      return readResponse(response);
    } catch (error) {
      return { ok: false, error };
    }
  }

  async #answer(text: string, calls: readonly ModelCall[], truncated: boolean): Promise<void> {
    const markedCalls = truncated ? calls.map((call) => ({ ...call, truncated: true })) : calls;
    const timeoutMs = this.#deadlineAt === undefined ? undefined : this.#deadlineAt - this.#context.system.now();
    const answers = await this.#run.answer(markedCalls, { signal: this.#source.signal, timeoutMs: this.#shorterLimit(timeoutMs) });
    this.#calls += answers.length;
    this.#messages.push({ role: 'assistant', content: text, calls: answers.map(asExecuted) });
    for (const { callId, toolName, text: content, isError } of answers)
      this.#messages.push({ role: 'tool', callId, toolName, content, isError });
  }

  /** The shorter of this limit and that of a turn. */
  #shorterLimit(timeoutMs: number | undefined): number | undefined {
    const turnTimeoutMs = this.#options.turn?.timeoutMs ?? this.#context.turnSettings.timeoutMs;
    return timeoutMs === undefined || turnTimeoutMs === null ? timeoutMs : Math.min(timeoutMs, turnTimeoutMs);
  }

  #feedback(): readonly RetryFeedback[] {
    try {
      return this.#session.feedback;
    } catch {
      return [];
    }
  }

  #describeFailure(error: unknown): { readonly message: string; readonly cause: unknown } {
    return { message: this.#context.redact(describeError(error).message), cause: error };
  }

  #result({ outcome, output, error }: Ending<InferredOutput<Output>>): InferenceResult<InferredOutput<Output>> {
    const { stopped } = this.#run;
    return {
      outcome,
      text: this.#text,
      output,
      messages: [...this.#messages],
      turns: this.#turns,
      calls: this.#calls,
      stopped,
      exhausted: stopped?.error,
      error,
      trace: [...this.#trace],
    };
  }
}

function readResponse(response: ModelResponse): {
  readonly ok: true;
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly truncated: boolean;
} {
  if (typeof response !== 'object' || response === null)
    throw new TypeError(`the model must return an object { text, calls }, got ${response === null ? 'null' : typeof response}`);
  const { text, calls, truncated } = response;
  // Calls and text under the names that a provider gives them would be lost without a word.
  const misplaced = Object.keys(response).find((name) => calls === undefined && /^tool_?calls$/iu.test(name));
  if (misplaced !== undefined) throw new TypeError(`the model must return its calls as 'calls', got '${misplaced}'`);
  const others = text === undefined && calls === undefined ? Object.keys(response).filter((name) => !answerFields.includes(name)) : [];
  if (others.length > 0) throw new TypeError(`the model must return { text, calls }, got { ${others.slice(0, 5).join(', ')} }`);
  checkRule('string', text ?? '', "the model's text");
  checkRule(listOf(anyCall, 'an array of calls'), calls ?? [], "the model's calls");
  return {
    ok: true,
    text: typeof text === 'string' ? text : '',
    calls: Array.isArray(calls) ? [...calls] : [],
    truncated: truncated === true,
  };
}

const answerFields: readonly string[] = ['text', 'calls', 'truncated'] satisfies readonly (keyof ModelResponse)[];

/** The model learns what is wrong with a single call from its result. */
const anyCall = (): void => undefined;

/** The call with the arguments as executed, for the conversation. */
function asExecuted({ callId, toolName, arguments: args }: ToolAnswer): ModelCall {
  return { callId, toolName, arguments: args };
}

function ignore(): void {
  // Replaced before it can be called.
}
