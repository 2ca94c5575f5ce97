/**
 * Owns the answers to requests of a legacy server.
 *
 * Invariants
 * 1. Every request is answered once, unless the server cancels it.
 * 2. A question is open until it is answered, cancelled or forgotten; later answers are not sent.
 * 3. An error of a listener is sent to the server without details, unless it is an `RpcError`.
 */
import { type JsonObject, type RequestId, type RpcFailure, type RpcResult, isRpcError, rpcCodes } from '../message.ts';

/** Maximum number of open requests; further ones are refused. */
const maxOpen = 256;

type Answering = (method: string, params: JsonObject) => Promise<JsonObject>;

export interface ServerRequests {
  /** Calls `settled` when the question is no longer open. */
  readonly answer: (id: RequestId, method: string, params: JsonObject, by: Answering | undefined, settled?: () => void) => void;
  /** The answer is no longer needed. */
  readonly withdraw: (id: unknown) => void;
}

export function serverRequests(send: (message: RpcResult | RpcFailure) => Promise<void>): ServerRequests {
  const open = new Map<RequestId, { readonly settled: (() => void) | undefined }>();
  const reply = (message: RpcResult | RpcFailure): void => {
    // A disconnected server needs no answer.
    send(message).catch(() => {});
  };
  const refuse = (id: RequestId, code: number, message: string, data?: unknown): void =>
    reply({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });

  const close = (id: RequestId): boolean => {
    const question = open.get(id);
    question?.settled?.();
    return open.delete(id);
  };

  return {
    answer(id, method, params, by, settled) {
      if (method === 'ping') return reply({ jsonrpc: '2.0', id, result: {} });
      if (by === undefined) return refuse(id, rpcCodes.methodNotFound, `Method not found: ${method}`);
      close(id);
      if (open.size >= maxOpen) {
        settled?.();
        return refuse(id, rpcCodes.internalError, 'Too many concurrent requests');
      }
      const question = { settled };
      open.set(id, question);
      const isOpen = (): boolean => open.get(id) === question && close(id);
      void callListener(by, method, params).then(
        (result) => {
          if (isOpen()) reply({ jsonrpc: '2.0', id, result });
        },
        (error: unknown) => {
          if (!isOpen()) return;
          if (isRpcError(error)) refuse(id, error.code, error.message, error.data);
          else refuse(id, rpcCodes.internalError, 'Internal error');
        },
      );
    },
    withdraw: (id) => void close(id as RequestId),
  };
}

/** Converts a synchronous error of the listener to a rejection. */
async function callListener(by: Answering, method: string, params: JsonObject): Promise<JsonObject> {
  return by(method, params);
}
