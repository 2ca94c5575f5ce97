/**
 * Owns the interface of a link: what a connection needs from a transport to a server.
 *
 * Invariants
 * 1. For every request, the listener gets a message that answers it, or `lost`, or `ended`, unless it was abandoned.
 * 2. After `close` has resolved, the link has no timer and no stream.
 */
import type { Era } from '../era.ts';
import type { JsonObject, RpcMessage, RpcRequest } from '../message.ts';

/** Receives what a link reads. */
export interface LinkListener {
  /** `streamOf`: the request on whose stream the message was received. */
  readonly message: (message: JsonObject, streamOf: number | undefined) => void;
  /** There will be no answer to this request; `undefined` if it is not known to which request. */
  readonly lost: (requestId: number | undefined, error: Error) => void;
  /** The link has ended: there are no further messages. */
  readonly ended: () => void;
}

/** A request of this side: its id is a number. */
export interface OwnRequest extends RpcRequest {
  /** Unique among the requests of the link. */
  readonly id: number;
}

/** Carries messages to one server and back, over one transport. */
export interface MessageLink {
  /** Whether a request has a stream of its own, which can be closed and carries nothing else. */
  readonly hasStreams: boolean;
  /** Called once, before anything is sent. */
  readonly start: (listener: LinkListener) => void;
  /** Sets era and version of further messages; `version` is `undefined` until a legacy server has chosen one. */
  readonly setVersion: (era: Era, version: string | undefined) => void;
  /** Sends a request; its outcome goes to the listener. `headers`: alternating names and values for this request. */
  readonly request: (message: OwnRequest, headers?: readonly string[]) => void;
  /** Resolves when the message has been written, over HTTP when the server has accepted it. */
  readonly send: (message: Exclude<RpcMessage, RpcRequest>) => Promise<void>;
  /** The answer to this request is no longer needed. */
  readonly abandon: (requestId: number) => void;
  /**
   * Legacy HTTP: receives messages of the server outside of requests until the link is closed. Resolves when the stream is open or refused,
   * or after a time limit. Absent if the transport has no such stream.
   */
  readonly listen?: () => Promise<void>;
  /** The start of what the server has written that is no message. Absent if the transport carries nothing else. */
  readonly stray?: () => string;
  /** Closes the link. Resolves when it has no timer and no stream left. */
  readonly close: () => Promise<void>;
}
