/**
 * Owns sending a request to a client with a time limit.
 *
 * Invariant: rejects with an `RpcError`, or with the reason of the signal.
 */
import { isRpcError, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { withDeadline } from '../plain/with-deadline.ts';

export interface Askable {
  ask?(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
}

export async function askClient(
  client: Askable,
  method: string,
  params: JsonObject,
  limitMs: number,
  signal?: AbortSignal,
): Promise<JsonObject> {
  try {
    return await withDeadline(limitMs, signal, async (inner) => {
      if (client.ask === undefined) throw rpcError(rpcCodes.methodNotFound, 'its connection does not allow requests');
      return client.ask(method, params, inner);
    });
  } catch (error) {
    if (isRpcError(error) || signal?.aborted === true) throw error;
    const { message } = error as { readonly message?: unknown };
    throw rpcError(rpcCodes.internalError, `The client did not answer ${method}: ${String(message)}`);
  }
}
