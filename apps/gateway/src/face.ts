/**
 * Owns which room answers which method.
 */
import type { FaceRequest, JsonObject, ServerFace } from '@holdfast/mcp-wire/server';
import type { Relay } from './relay/relay.ts';

/** What of the catalog the face reads. */
interface ToolList {
  list(): readonly { readonly definition: JsonObject }[];
  /** Resolves when every upstream has been listed once, at the latest after the limit. */
  ready?(limitMs: number): Promise<void>;
}

/** What of the calls' room the face uses. */
interface ToolCalls {
  call(request: FaceRequest): Promise<JsonObject>;
}

export interface FaceOptions {
  readonly catalog: ToolList;
  readonly calls: ToolCalls;
  readonly relay: Relay;
}

export function gatewayFace({ calls, relay }: FaceOptions): ServerFace {
  return { describe: relay.describe, handle: (request) => (request.method === 'tools/call' ? calls.call(request) : relay.handle(request)) };
}
