/** Owns what is said of a call besides its trace: who asked, and with what. */
import type { Era, JsonObject } from '@holdfast/mcp-wire/server';

/** Told before the call is run. */
export interface CallAnnouncement {
  /** As the trace has it: no two calls that run at once share one. */
  readonly callId: string;
  /** As the client named it. */
  readonly tool: string;
  /** The upstream the tool belongs to. */
  readonly server?: string | undefined;
  /** The name of the token, never the token. */
  readonly principal?: string | undefined;
  /** The client's name for itself. */
  readonly client?: string | undefined;
  readonly era?: Era | undefined;
  /** Only read when the call has ended, and only hashed. */
  readonly args?: JsonObject | undefined;
}

/** Whoever runs calls tells about them here. */
export type Announce = (call: CallAnnouncement) => void;
