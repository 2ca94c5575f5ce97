/**
 * Owns the data of a client's request that a runner needs, by the id of the service's call.
 */
import type { ClientRequest, JsonObject } from '@holdfast/mcp-wire/server';
import type { InputAnswer } from '../relay/questions.ts';
import type { ProgressRelay } from './progress.ts';
import { shrinkToFit } from './shrink-result.ts';
import { sizeWithin } from './wire-size.ts';

export interface Exchange {
  readonly callId: string;
  readonly request: ClientRequest;
  /** The tool that continues a call after its questions were answered; other tools start from the beginning. */
  readonly tool: string;
  readonly progress: ProgressRelay | undefined;
  /** Answers by the keys of the server's questions. */
  readonly answers: Readonly<Record<string, InputAnswer>> | undefined;
  /** The answers for a server of the modern era, with its state: fields of the params. */
  readonly input: JsonObject | undefined;
  /** Handle of a suspended request to a server that waits for the answers. Used once: a further attempt starts from the beginning. */
  handle: string | undefined;
  /** Handles of the requests that this call has suspended: two concurrent attempts may suspend one each. */
  readonly left: string[];
  /** A capability that a server has asked for and that the client of the modern era has not declared. */
  missing: string | undefined;
  /** The last result of a server, unchanged. */
  raw: JsonObject | undefined;
}

/** The results of servers by what the engine gets of them. */
const wholes = new WeakMap<object, JsonObject>();

/** The engine gets a larger result in short: it reads, copies and traces what it gets. */
const engineBytes = 262_144;

/** Keeps the unchanged result of a server. Returns what the engine gets: the same, or a short form of a large one. */
export function keepRaw(exchange: Exchange, result: JsonObject): JsonObject {
  exchange.raw = result;
  const isWhole = result['resultType'] === 'input_required' || sizeWithin(result, engineBytes) <= engineBytes;
  const given = isWhole ? result : (shrinkToFit(result, engineBytes, '… [truncated]') ?? { content: [] });
  wholes.set(given, result);
  return given;
}

/** Returns the unchanged result of a server for an output that was returned by `keepRaw`. */
export const wholeOf = (output: unknown): JsonObject | undefined =>
  typeof output === 'object' && output !== null ? wholes.get(output) : undefined;

/** The running calls, by the service's call ids. */
export type Exchanges = Map<string, Exchange>;

export function createExchanges(): Exchanges {
  return new Map();
}
