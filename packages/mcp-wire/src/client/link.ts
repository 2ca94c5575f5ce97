/**
 * What a connection needs of the way to a server.
 *
 * Invariants
 * 1. For every request sent the listener hears either a message that answers it, or `lost`, or `ended`, unless it was abandoned.
 * 2. After `close` has resolved the link holds no timer and no stream.
 */
import type { Era } from '../era.ts';
import type { JsonObject, RpcMessage, RpcRequest } from '../message.ts';

/** Receives what a link reads. */
export interface LinkListener {
  /** `streamOf`: the request on whose own stream the message came. */
  readonly message: (message: JsonObject, streamOf: number | undefined) => void;
  /** The answer of this request will not come; `undefined`: that of one request, nobody knows which. */
  readonly lost: (requestId: number | undefined, error: Error) => void;
  /** The link has ended: no further message comes. */
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
  /** What the messages from now on are: `version` is `undefined` until a legacy server has chosen one. */
  readonly speak: (era: Era, version: string | undefined) => void;
  /** How it went is told to the listener. `headers`: names and values in turn, of this request alone. */
  readonly request: (message: OwnRequest, headers?: readonly string[]) => void;
  /** Resolves when the message has been handed over, over HTTP when the server has taken it. */
  readonly send: (message: Exclude<RpcMessage, RpcRequest>) => Promise<void>;
  /** Nobody waits for this answer any more. */
  readonly abandon: (requestId: number) => void;
  /**
   * Legacy HTTP: hears what the server says outside of requests, as long as the link lives. Resolves when the server has begun or refused to,
   * or takes its time. Absent where there is no such stream.
   */
  readonly listen?: () => Promise<void>;
  /** Ends the link. Resolves when no timer and no stream of it is left. */
  readonly close: () => Promise<void>;
}
