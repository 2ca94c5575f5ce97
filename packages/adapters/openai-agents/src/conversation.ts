/**
 * Owns the calls of one conversation: what the model wrote, which calls belong to one answer, and reading and answering them.
 *
 * Invariants
 * 1. A call is run with the arguments that were read first. Unreadable arguments stay marked while the SDK holds them, and are never run.
 * 2. Calls with the same signal between two requests are one turn, so that a turn does not wait for calls that need approval. The signal of a rejected call is not known:
 *    it belongs to the calls that run at the time.
 */
import type { Reliable } from '@holdfast/adapter-kit';
import { ExecutedArguments } from '@holdfast/adapter-kit';
import { readArguments } from '@holdfast/wire';
import type {
  AgentRun,
  AnswerOneOptions,
  ArgumentReader,
  ArgumentRequest,
  ModelCall,
  ReadArguments,
  ToolAnswer,
} from '@holdfast/core/agent';
import type { FunctionTool } from '@openai/agents';
import { Rejections } from './rejections.ts';
import type { ReadTool } from './tools.ts';

/** The calls of one answer of the model. */
interface Turn {
  readonly calls: ReadonlyMap<string, ModelCall>;
  /** The same, frozen. */
  readonly all: readonly ModelCall[];
  readonly read: Map<string, ReadArguments>;
  /** The SDK's batches of calls; calls approved later are in another batch. */
  readonly batches: Map<AbortSignal | undefined, object>;
  /** The batch in which a call succeeded, by call id. */
  readonly done: Map<string, object>;
  /** Arguments that the SDK rejected, by tool name. */
  readonly rejections: Map<string, Rejections>;
}

interface CallOptions {
  /** The signal the SDK passes to all calls of a batch. */
  readonly batch: AbortSignal | undefined;
  readonly signal?: AnswerOneOptions['signal'];
  readonly execute?: AnswerOneOptions['execute'];
}

export class Conversation {
  readonly reliable: Reliable;
  readonly agentRun: AgentRun;
  readonly #tools: ReadonlyMap<string, ReadTool>;
  readonly #reader: ArgumentReader;
  /** Whether some tools are agents, whose calls have to find the conversation. */
  readonly hasAgentTools: boolean;
  readonly executed: ExecutedArguments = new ExecutedArguments();
  #turn: Turn = newTurn([]);

  constructor(reliable: Reliable, agentRun: AgentRun, tools: readonly ReadTool[], reader: ArgumentReader) {
    this.reliable = reliable;
    this.agentRun = agentRun;
    this.#tools = new Map(tools.map((read) => [read.tool.name, read]));
    this.hasAgentTools = tools.some(({ identity }) => identity !== undefined);
    this.#reader = reader;
  }

  hasTool(toolName: string): boolean {
    return this.#tools.has(toolName);
  }

  /** Whether one of the tools is this object itself. */
  hasObject(tool: FunctionTool): boolean {
    return this.#tools.get(tool.name)?.identity === tool;
  }

  /** Starts the turn of the next answer. */
  beginTurn(calls: readonly ModelCall[] = []): void {
    this.#turn = newTurn(calls);
  }

  /** Reads the arguments of a call, once per turn. */
  read({ toolName, callId, arguments: text, truncated = false }: ModelCall): ReadArguments {
    const before = this.#turn.read.get(callId);
    if (before) return before;
    const schema = this.#tools.get(toolName)?.tool.parameters as ArgumentRequest['schema'];
    const effect = this.reliable.service.getToolSettings(toolName)?.effect;
    const read = readSafely(() => this.#reader({ ...unmark(text, truncated), toolName, schema, effect }));
    if (this.#turn.calls.has(callId)) this.#turn.read.set(callId, read);
    return read;
  }

  /** The arguments as JSON the SDK can parse, unless the tool has its own way to fail: the SDK then finds itself what cannot be parsed. */
  readable(call: ModelCall): string {
    const read = this.read(call);
    const text = String(call.arguments);
    if (!read.ok && this.#tools.get(call.toolName)?.definition?.failsItself && !isJson(text)) return text;
    if (!read.ok) return JSON.stringify({ [read.truncated ? cutOff : unreadable]: text });
    return read.repairs.length === 0 && this.#isObject(text) ? text : JSON.stringify(read.value);
  }

  /** Whether a text that was read without repairs is a JSON object as it stands. A reader of the user's own may know other notations. */
  #isObject(text: string): boolean {
    return this.#reader === readArguments ? text.trim() !== '' : objectOf(text) !== undefined;
  }

  /** The rejected arguments of a tool, in the current turn. */
  rejectionsOf(toolName: string): Rejections {
    const { rejections } = this.#turn;
    const known = rejections.get(toolName) ?? new Rejections();
    rejections.set(toolName, known);
    return known;
  }

  /** The id of the only call with these arguments, which the SDK has rejected without saying which call it was. */
  callIdOf(toolName: string, text: string): string {
    const calls = [...this.#turn.calls.values()].filter((call) => call.toolName === toolName && sameJson(this.readable(call), text));
    return calls.length === 1 ? (calls[0]?.callId ?? '') : '';
  }

  /** Never rejects. */
  async answer(given: ModelCall, read: ReadArguments, { batch, signal, execute }: CallOptions): Promise<ToolAnswer> {
    const { calls, all, batches, done } = this.#turn;
    const siblings = this.reliable.withDependencies(calls.has(given.callId) ? all : [given]);
    // The program may offer a tool under another name than it was made with.
    const call = { ...(siblings.find(({ callId }) => callId === given.callId) ?? given), toolName: given.toolName };
    const turn = batches.get(batch) ?? (batch === undefined || batches.has(undefined) ? [...batches.values()].at(-1) : undefined) ?? {};
    batches.set(batch, turn);
    const dependsOn = call.dependsOn?.filter((callId) => (done.get(callId) ?? turn) === turn);
    const sent = siblings.length > 1 ? siblings : undefined;
    const answer = await this.agentRun.answerOne({ ...call, dependsOn }, turn, { signal, execute, read, siblings: sent });
    if (!answer.isError) done.set(given.callId, turn);
    return answer;
  }
}

const unreadable = 'unreadable_arguments';
const cutOff = 'cut_off_arguments';

function unmark(text: unknown, truncated: boolean): Pick<ArgumentRequest, 'raw' | 'truncated'> {
  if (typeof text !== 'string' || !text.includes('_arguments"')) return { raw: text, truncated };
  const { [unreadable]: unread, [cutOff]: cut } = objectOf(text) ?? {};
  return { raw: unread ?? cut ?? text, truncated: truncated || cut !== undefined };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function objectOf(text: unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

const sameJson = (one: string, other: string): boolean => one === other || JSON.stringify(objectOf(one)) === other;

function newTurn(given: readonly ModelCall[]): Turn {
  const calls = new Map(given.map((call) => [call.callId, call]));
  const all = Object.freeze([...calls.values()]);
  return { calls, all, read: new Map(), batches: new Map(), done: new Map(), rejections: new Map() };
}

function readSafely(read: () => ReadArguments): ReadArguments {
  try {
    return read();
  } catch {
    return { ok: false, message: 'The arguments could not be read' };
  }
}
