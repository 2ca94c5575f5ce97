/** Owns the data about calls that is not in their trace: the client and the arguments. */
import type { Era } from '@holdfast/mcp-wire/server';

/** The client that sent the request. */
interface Caller {
  /** Name of the token, never the token itself. */
  readonly principal?: string | undefined;
  /** The name that the client reports. */
  readonly client?: string | undefined;
  readonly era?: Era | undefined;
}

/** Announces a call that belongs to no turn, before it runs. */
export interface CallAnnouncement extends Caller {
  /** Id of the call in the trace. Unique among running calls. */
  readonly callId: string;
  /** Name of the tool that the client sent. */
  readonly toolName: string;
  /** The upstream the tool belongs to. */
  readonly server?: string | undefined;
  /** Read only after the call has ended, and only hashed. */
  readonly arguments?: unknown;
}

/** Announces a turn before it runs; applies to all of its calls. */
export interface TurnAnnouncement extends Caller {
  readonly turnId: string;
}

/** Called by everything that runs calls, before it runs them. */
export type Announce = (announcement: CallAnnouncement | TurnAnnouncement) => void;
