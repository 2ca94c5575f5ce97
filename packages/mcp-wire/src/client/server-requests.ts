/**
 * Owns the answers to requests of a legacy server.
 *
 * Invariants
 * 1. Every request is answered once, unless the server takes it back.
 * 2. A question is open until it is answered, taken back or forgotten; answers to it after that are not sent.
 * 3. What a listener throws reaches the server without details, unless it is an `RpcError`.
 */
import { type JsonObject, type RequestId, type RpcFailure, type RpcResult, isRpcError, rpcCodes } from '../message.ts';

/** More at once are refused. */
const mostAtOnce = 256;

type Answering = (method: string, params: JsonObject) => Promise<JsonObject>;

export interface ServerRequests {
  /** Calls `settled` when the question is open no more. */
  readonly answer: (id: RequestId, method: string, params: JsonObject, by: Answering | undefined, settled?: () => void) => void;
  /** Nobody wants the answer any more. */
  readonly withdraw: (id: unknown) => void;
}

export function serverRequests(send: (message: RpcResult | RpcFailure) => Promise<void>): ServerRequests {
  const open = new Map<RequestId, { readonly settled: (() => void) | undefined }>();
  const reply = (message: RpcResult | RpcFailure): void => {
    // A server that is gone needs no answer.
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
      if (open.size >= mostAtOnce) {
        settled?.();
        return refuse(id, rpcCodes.internalError, 'Too many requests at once');
      }
      const question = { settled };
      open.set(id, question);
      const isOpen = (): boolean => open.get(id) === question && close(id);
      void askedOf(by, method, params).then(
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

/** A listener that throws at once rejects like any other. */
async function askedOf(by: Answering, method: string, params: JsonObject): Promise<JsonObject> {
  return by(method, params);
}
