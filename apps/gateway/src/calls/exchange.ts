/**
 * Owns the data of a client's request that a runner needs: found by the id of the call that the service runs.
 */
import type { FaceRequest, JsonObject, RpcError } from '@holdfast/mcp-wire/server';
import type { ProgressRelay } from './progress.ts';

/** What a client has answered to the questions of a server. */
export type InputAnswer = { readonly result: JsonObject } | { readonly refusal: RpcError };

export interface Exchange {
  readonly callId: string;
  readonly request: FaceRequest;
  /** The tool that continues with a call which was interrupted by questions; others start anew. */
  readonly tool: string;
  readonly progress: ProgressRelay | undefined;
  /** By the keys of the server's questions. */
  readonly answers: Readonly<Record<string, InputAnswer>> | undefined;
  /** The same for a server of the modern era, with the state it gave: fields of the params. */
  readonly input: JsonObject | undefined;
  /** Of a request to a server that waits for the answers. Taken up once: a further attempt starts anew. */
  handle: string | undefined;
  /** Handles of the requests that this call has left waiting: of two attempts at once both may. */
  readonly left: string[];
  /** What a server has asked for in vain, of a client of the modern era: it has not declared to be able to. */
  missing: string | undefined;
  /** The last answer of a server, as it came. */
  raw: JsonObject | undefined;
}

const rawAnswers = new WeakSet<object>();

/** Keeps in mind that this is a server's answer as it came. */
export function keepRaw(exchange: Exchange, result: JsonObject): JsonObject {
  exchange.raw = result;
  rawAnswers.add(result);
  return result;
}

export const isRaw = (output: unknown): output is JsonObject => typeof output === 'object' && output !== null && rawAnswers.has(output);

/** The calls under way, by the ids the service knows them by. */
export type Exchanges = Map<string, Exchange>;

export function createExchanges(): Exchanges {
  return new Map();
}
