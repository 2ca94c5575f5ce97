/**
 * Owns wrapping a client: a proxy with the same interface that overrides `callTool` and `listTools`.
 *
 * Invariants
 * 1. `callTool` resolves with a result. It rejects only if the caller has cancelled, if the host has to act (`-32042`), or if the program has closed the client.
 * 2. The client itself is not modified.
 */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AgentRun, AnySession, ModelCall, RunStopped } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import { checkStartOptions, TurnCollector } from '@holdfast/adapter-kit';
import type { CallParams, CallRest, McpClient } from './mcp-client.ts';
import { listTools, untilCancelled, readRest, send } from './mcp-client.ts';
import { isHostError, ownResultOf, resultOf, throwIfError } from './results.ts';
import type { ReliableClientOptions } from './toolset.ts';
import { Toolset } from './toolset.ts';

/** The client, extended by Holdfast. */
export type ReliableClient<Client extends McpClient> = Client & { readonly reliable: ClientReliability<Client> };

/** What Holdfast adds to a client, under `reliable`. */
export interface ClientReliability<Client extends McpClient> {
  /** The service that runs the calls. It is replaced when the server changes its tools; circuit state is kept. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Starts a conversation: returns a client with its own agent run. */
  startRun(options?: { readonly session?: AnySession | undefined }): ReliableClient<Client>;
  /** The agent run of a conversation; `undefined` for the shared client. */
  readonly agentRun: AgentRun | undefined;
  /** Why the loop of a conversation should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
}

/**
 * Returns a client like the given one, whose `callTool` runs under Holdfast and whose `listTools` takes open circuits into account. The given client
 * is not changed.
 * @throws TypeError | RangeError that names the invalid option, its value and how to fix it.
 */
export function reliableClient<Client extends McpClient>(client: Client, options: ReliableClientOptions = {}): ReliableClient<Client> {
  return proxyClient(client, new Calls(client, new Toolset(client, options), undefined));
}

function proxyClient<Client extends McpClient>(client: Client, calls: Calls): ReliableClient<Client> {
  const reliable: ClientReliability<Client> = {
    get service() {
      return calls.toolset.reliable.service;
    },
    startRun: (options = {}) => {
      checkStartOptions(options);
      return proxyClient(client, new Calls(client, calls.toolset, { session: options.session }));
    },
    get agentRun() {
      return calls.conversation && calls.agentRun();
    },
    get stopped() {
      return this.agentRun?.stopped;
    },
  };
  const own: Readonly<Record<PropertyKey, unknown>> = {
    reliable,
    callTool: (params: CallParams, ...rest: readonly unknown[]) => calls.call(params, readRest(client, rest)),
    listTools: (...args: readonly unknown[]) => calls.list(args),
    ...connectionOf(client, calls.toolset),
  };
  const bound = new Map<unknown, unknown>();
  return new Proxy(client, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name];
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'constructor' || isAssigned(target, name)) return value;
      // Methods may use private fields, so they must run on the client itself.
      if (!bound.has(value)) bound.set(value, value.bind(target));
      return bound.get(value);
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  }) as ReliableClient<Client>;
}

/** Whether a property is not a method but a function that the program has assigned, such as `onclose`. */
const isAssigned = (target: object, name: PropertyKey): boolean =>
  Object.hasOwn(target, name) && !Reflect.has(Object.getPrototypeOf(target) as object, name);

/** The methods by which a program opens and closes the connection, if the client has them. */
function connectionOf(client: McpClient, toolset: Toolset): Readonly<Record<string, unknown>> {
  const noted = (name: 'close' | 'connect'): Readonly<Record<string, unknown>> =>
    typeof client[name] === 'function'
      ? {
          [name]: (...args: never[]): unknown => {
            toolset.isClosed = name === 'close';
            return client[name]?.(...args);
          },
        }
      : {};
  return { ...noted('connect'), ...noted('close') };
}

/** The session of a run that nothing can read: one call of the shared client. */
const unread: AnySession = { correlationId: '', feedback: [], append: (body) => ({ event: body as never, reducerErrors: [] }) };

class Calls {
  readonly toolset: Toolset;
  readonly conversation: { readonly session: AnySession | undefined } | undefined;
  readonly #client: McpClient;
  readonly #collector = new TurnCollector();
  #run: { readonly of: Reliable; readonly agentRun: AgentRun } | undefined;
  #calls = 0;

  constructor(client: McpClient, toolset: Toolset, conversation: Calls['conversation']) {
    this.#client = client;
    this.toolset = toolset;
    this.conversation = conversation;
  }

  /** A conversation keeps its run until the tools change; the shared client uses a new run per call. */
  agentRun(): AgentRun {
    const { reliable } = this.toolset;
    if (!this.conversation) return reliable.startRun(unread);
    if (this.#run?.of !== reliable) {
      const { session = this.#run?.agentRun.session } = this.conversation;
      this.#run = { of: reliable, agentRun: reliable.startRun(session) };
    }
    return this.#run.agentRun;
  }

  async call(params: CallParams, rest: CallRest): Promise<unknown> {
    const { name, arguments: args } = Object(params) as CallParams;
    const call: ModelCall = { toolName: name, callId: `call-${++this.#calls}`, arguments: args };
    const turn = this.conversation ? await this.#collector.turnOf(call) : [call];
    const signal = rest.options?.signal;
    await untilCancelled(this.toolset.prepare(name, args), signal);
    const siblings = this.toolset.reliable.withDependencies(turn);
    let hostError: { readonly error: unknown } | undefined;
    let sent: Promise<unknown> = Promise.resolve();
    let abortError: { readonly error: unknown } | undefined;
    const answer = await this.agentRun().answerOne(siblings[turn.indexOf(call)] ?? call, turn, {
      signal,
      siblings,
      execute: async (parsed, context) => {
        try {
          const watchesProgress = this.toolset.watchesProgress(context.toolName);
          return throwIfError(await (sent = send(this.#client, { ...params, arguments: parsed }, rest, context, watchesProgress)));
        } catch (error) {
          if (signal?.aborted) abortError = { error };
          // A client that the program has closed does not recover.
          if (!isHostError(error) && !this.toolset.isClosed) throw error;
          hostError = { error };
          return {};
        }
      },
    });
    if (hostError) throw hostError.error;
    if (answer.isError && signal?.aborted) {
      // The SDK has an error of its own for a request that is cancelled after it was sent.
      await Promise.race([sent.catch(() => undefined), new Promise((resolve) => setTimeout(resolve))]);
      throw abortError ? abortError.error : signal.reason;
    }
    const { effect } = this.toolset.reliable.service.getToolSettings(name) ?? {};
    return (this.conversation ? undefined : ownResultOf(answer, effect)) ?? resultOf(answer);
  }

  /** The server's list, in which tools with an open circuit are marked. */
  async list(args: readonly unknown[]): Promise<unknown> {
    const listed = await listTools(this.#client, ...args);
    await this.toolset.update(listed.tools);
    const tools = this.agentRun().advertise(listed.tools);
    return tools === listed.tools ? listed : { ...listed, tools };
  }
}
