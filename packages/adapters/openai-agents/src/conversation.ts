/**
 * Owns what is known of the calls of one conversation: what the model wrote, which calls are of one answer, and how they are read and answered.
 *
 * Invariants
 * 1. What was read of a call is what is run. What cannot be read stays marked as that, wherever the SDK keeps it meanwhile, and is never run.
 * 2. Calls that come with one signal between two requests are one turn: a turn does not wait for people who approve the rest of it.
 */
import type { Reliable } from '@holdfast/adapter-kit';
import { ExecutedArguments } from '@holdfast/adapter-kit';
import type {
  AgentRun,
  AnswerOneOptions,
  ArgumentReader,
  ArgumentRequest,
  ModelCall,
  ReadArguments,
  ToolAnswer,
} from '@holdfast/core/agent';
import type { ReadTool } from './tools.ts';

/** One answer of the model. */
interface Turn {
  readonly calls: ReadonlyMap<string, ModelCall>;
  readonly read: Map<string, ReadArguments>;
  /** The SDK's own batches of calls; an approval later begins another. */
  readonly batches: Map<AbortSignal | undefined, object>;
  /** By call id: the batch in which it succeeded. */
  readonly done: Map<string, object>;
}

interface CallOptions {
  /** The signal that the SDK gives to all calls of a batch. */
  readonly batch: AbortSignal | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly execute?: AnswerOneOptions['execute'];
}

export class Conversation {
  readonly reliable: Reliable;
  readonly agentRun: AgentRun;
  readonly #tools: ReadonlyMap<string, ReadTool>;
  readonly #reader: ArgumentReader;
  readonly executed: ExecutedArguments = new ExecutedArguments();
  #turn: Turn = newTurn([]);

  constructor(reliable: Reliable, agentRun: AgentRun, tools: readonly ReadTool[], reader: ArgumentReader) {
    this.reliable = reliable;
    this.agentRun = agentRun;
    this.#tools = new Map(tools.map((read) => [read.tool.name, read]));
    this.#reader = reader;
  }

  knows(toolName: string): boolean {
    return this.#tools.has(toolName);
  }

  /** What comes from now on is of another answer. */
  beginTurn(calls: readonly ModelCall[] = []): void {
    this.#turn = newTurn(calls);
  }

  /** What the arguments of a call mean. */
  read({ toolName, callId, arguments: text, truncated = false }: ModelCall): ReadArguments {
    const before = this.#turn.read.get(callId);
    if (before) return before;
    const schema = this.#tools.get(toolName)?.tool.parameters as ArgumentRequest['schema'];
    const effect = this.reliable.service.getToolSettings(toolName)?.effect;
    const read = readSafely(() => this.#reader({ ...unmark(text, truncated), toolName, schema, effect }));
    if (this.#turn.calls.has(callId)) this.#turn.read.set(callId, read);
    return read;
  }

  /** Arguments that the SDK can read, in place of what the model wrote. */
  readable(call: ModelCall): string {
    const read = this.read(call);
    const text = String(call.arguments);
    return read.ok ? textOf(read, text) : JSON.stringify({ [read.truncated ? cutOff : unreadable]: text });
  }

  /** Never rejects. */
  async answer(given: ModelCall, read: ReadArguments, { batch, signal, execute }: CallOptions): Promise<ToolAnswer> {
    const { calls, batches, done } = this.#turn;
    const siblings = this.reliable.withDependencies(calls.has(given.callId) ? [...calls.values()] : [given]);
    const call = siblings.find(({ callId }) => callId === given.callId) ?? given;
    const turn = batches.get(batch) ?? {};
    batches.set(batch, turn);
    const dependsOn = call.dependsOn?.filter((callId) => (done.get(callId) ?? turn) === turn);
    const told = siblings.length > 1 ? siblings : undefined;
    const answer = await this.agentRun.answerOne({ ...call, dependsOn }, turn, { signal, execute, read, siblings: told });
    if (!answer.isError) done.set(given.callId, turn);
    return answer;
  }
}

/** The text of arguments as they are run. */
export function textOf({ value, repairs }: ReadArguments & { readonly ok: true }, text: string): string {
  return repairs.length === 0 && objectOf(text) ? text : JSON.stringify(value);
}

const unreadable = 'unreadable_arguments';
const cutOff = 'cut_off_arguments';

function unmark(text: unknown, truncated: boolean): Pick<ArgumentRequest, 'raw' | 'truncated'> {
  const { [unreadable]: unread, [cutOff]: cut } = objectOf(text) ?? {};
  return { raw: unread ?? cut ?? text, truncated: truncated || cut !== undefined };
}

function objectOf(text: unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

const newTurn = (calls: readonly ModelCall[]): Turn => ({
  calls: new Map(calls.map((call) => [call.callId, call])),
  read: new Map(),
  batches: new Map(),
  done: new Map(),
});

function readSafely(read: () => ReadArguments): ReadArguments {
  try {
    return read();
  } catch {
    return { ok: false, message: 'The arguments could not be read' };
  }
}
