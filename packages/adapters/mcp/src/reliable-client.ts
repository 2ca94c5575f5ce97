/**
 * Owns the client in front of the client: the same object to anyone who uses it, with other answers to `callTool` and `listTools`.
 *
 * Invariants
 * 1. `callTool` answers with a result. It rejects only for what is no failure: the caller has cancelled, or the host has something to do (`-32042`).
 * 2. The client itself is not changed.
 */
import type { AnyTool, ToolExecutionService } from '@holdfast/core';
import type { AgentRun, AnySession, ModelCall, RunStopped } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import { TurnCollector } from '@holdfast/adapter-kit';
import type { CallParams, CallRest, McpClient } from './mcp-client.ts';
import { listTools, orCancelled, readRest, send } from './mcp-client.ts';
import { throwIfError, isForTheHost, resultOf } from './results.ts';
import type { ReliableClientOptions } from './toolset.ts';
import { Toolset } from './toolset.ts';

/** The client, and what Holdfast knows. */
export type ReliableClient<Client extends McpClient> = Client & { readonly reliable: Reliability<Client> };

/** What Holdfast adds to a client, under `reliable`. */
export interface Reliability<Client extends McpClient> {
  /** Runs the calls. Another one takes over when the server changes its tools; circuits go along. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
  /** Begins a conversation: a client that remembers what the model was told. */
  startRun(options?: { readonly session?: AnySession | undefined }): ReliableClient<Client>;
  /** Of a conversation: what answers its calls. */
  readonly agentRun: AgentRun | undefined;
  /** Of a conversation: why the loop should end, if it should. */
  readonly stopped: RunStopped | undefined;
}

/**
 * Returns a client like the given one, whose `callTool` runs under Holdfast and whose `listTools` takes open circuits into account. The given client
 * is not changed.
 * @throws TypeError | RangeError naming the option, its value and how to fix it.
 */
export function reliableClient<Client extends McpClient>(client: Client, options: ReliableClientOptions = {}): ReliableClient<Client> {
  return proxyClient(client, new Calls(client, new Toolset(client, options), undefined));
}

function proxyClient<Client extends McpClient>(client: Client, calls: Calls): ReliableClient<Client> {
  const reliable: Reliability<Client> = {
    get service() {
      return calls.toolset.reliable.service;
    },
    startRun: ({ session } = {}) => proxyClient(client, new Calls(client, calls.toolset, { session })),
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
  };
  const bound = new Map<unknown, unknown>();
  return new Proxy(client, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name];
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      // Private fields are the client's own: its methods run on it.
      if (!bound.has(value)) bound.set(value, value.bind(target));
      return bound.get(value);
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  }) as ReliableClient<Client>;
}

class Calls {
  readonly toolset: Toolset;
  readonly conversation: { readonly session: AnySession | undefined } | undefined;
  readonly #client: McpClient;
  readonly #together = new TurnCollector();
  #run: { readonly of: Reliable; readonly agentRun: AgentRun } | undefined;
  #calls = 0;

  constructor(client: McpClient, toolset: Toolset, conversation: Calls['conversation']) {
    this.#client = client;
    this.toolset = toolset;
    this.conversation = conversation;
  }

  /** A conversation has one, until the tools change; without a conversation nothing is remembered but circuits. */
  agentRun(): AgentRun {
    const { reliable } = this.toolset;
    if (!this.conversation) return reliable.startRun();
    if (this.#run?.of !== reliable) {
      const { session = this.#run?.agentRun.session } = this.conversation;
      this.#run = { of: reliable, agentRun: reliable.startRun(session) };
    }
    return this.#run.agentRun;
  }

  async call(params: CallParams, rest: CallRest): Promise<unknown> {
    const { name, arguments: args } = Object(params) as CallParams;
    const call: ModelCall = { toolName: name, callId: `call-${++this.#calls}`, arguments: args };
    const turn = this.conversation ? await this.#together.turnOf(call) : [call];
    const signal = rest.options?.signal;
    await orCancelled(this.toolset.prepare(name, args), signal);
    const siblings = this.toolset.reliable.withDependencies(turn);
    let forTheHost: { readonly error: unknown } | undefined;
    const answer = await this.agentRun().answerOne(siblings[turn.indexOf(call)] ?? call, turn, {
      signal,
      siblings,
      execute: async (parsed, context) => {
        try {
          return throwIfError(await send(this.#client, { ...params, arguments: parsed }, rest, context));
        } catch (error) {
          if (!isForTheHost(error)) throw error;
          forTheHost = { error };
          return {};
        }
      },
    });
    if (forTheHost) throw forTheHost.error;
    if (answer.isError && signal?.aborted) throw signal.reason;
    return resultOf(answer);
  }

  /** The server's list, in which tools with an open circuit are told as such. */
  async list(args: readonly unknown[]): Promise<unknown> {
    const listed = await listTools(this.#client, ...args);
    await this.toolset.learn(listed.tools);
    const tools = this.agentRun().advertise(listed.tools);
    return tools === listed.tools ? listed : { ...listed, tools };
  }
}
