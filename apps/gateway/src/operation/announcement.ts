/** Owns what is said of calls besides their trace: who asked, and with what. */
import type { Era } from '@holdfast/mcp-wire/server';

/** Who asked. */
interface Caller {
  /** The name of the token, never the token. */
  readonly principal?: string | undefined;
  /** The client's name for itself. */
  readonly client?: string | undefined;
  readonly era?: Era | undefined;
}

/** Told before a call is run that belongs to no turn. */
export interface CallAnnouncement extends Caller {
  /** As the trace has it: no two calls that run at once may share one. */
  readonly callId: string;
  /** As the client named it. */
  readonly toolName: string;
  /** The upstream the tool belongs to. */
  readonly server?: string | undefined;
  /** Only read when the call has ended, and only hashed. */
  readonly arguments?: unknown;
}

/** Told before a turn is run: it holds for all calls of it. */
export interface TurnAnnouncement extends Caller {
  readonly turnId: string;
}

/** Anyone who runs calls tells about them here. */
export type Announce = (announcement: CallAnnouncement | TurnAnnouncement) => void;
