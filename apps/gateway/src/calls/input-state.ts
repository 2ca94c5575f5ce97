/**
 * Owns the `requestState` that clients carry from one round of questions to the next.
 *
 * Invariants
 * 1. A server's state is sent to the client unchanged, unless it comes from another tool than the called one or looks like the gateway's: then it is wrapped.
 * 2. State from clients is not trusted: it can only lead to a tool that they could call themselves.
 */
import { rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { isHandle } from './suspended.ts';

export interface InputState {
  /** The tool that asked. */
  readonly tool: string;
  /** Handle of a suspended request. */
  readonly handle?: string;
  /** State of the server, unchanged. */
  readonly state?: string;
}

const routePrefix = 'holdfast-route:';

export function encodeState(state: InputState, called: string): string | undefined {
  const { tool, handle } = state;
  if (tool === called && handle !== undefined) return handle;
  if (tool === called && (state.state === undefined || !isOurs(state.state))) return state.state;
  return routePrefix + Buffer.from(JSON.stringify(state)).toString('base64url');
}

const isOurs = (text: string): boolean => isHandle(text) || text.startsWith(routePrefix);

/** @throws RpcError for an invalid state with a prefix of the gateway */
export function decodeState(requestState: string, called: string): InputState {
  if (isHandle(requestState)) return { tool: called, handle: requestState };
  if (!requestState.startsWith(routePrefix)) return { tool: called, state: requestState };
  let state: unknown;
  try {
    state = JSON.parse(Buffer.from(requestState.slice(routePrefix.length), 'base64url').toString());
  } catch {
    throw unknownState();
  }
  const { tool, handle, state: own } = (state ?? {}) as Partial<Record<keyof InputState, unknown>>;
  if (typeof tool !== 'string' || !isTextOrNothing(handle) || !isTextOrNothing(own)) throw unknownState();
  return { tool, ...(handle === undefined ? {} : { handle }), ...(own === undefined ? {} : { state: own }) };
}

const isTextOrNothing = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';

function unknownState(): Error {
  return rpcError(rpcCodes.invalidParams, 'The requestState was not issued by this gateway');
}
