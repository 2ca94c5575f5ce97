/**
 * Owns finding a tool by its name, for MCP clients and for the Turn API alike.
 *
 * Invariants
 * 1. A tool is unknown once all servers have listed their tools; one whose name belongs to a server that is still starting waits for that server.
 * 2. A tool that is listed earlier does not wait for the other servers.
 * 3. Nothing is said about tools that do not exist for the client, and their names wait for nothing.
 */
import { Pauses } from '@holdfast/mcp-wire/client';
import { suggest, truncate } from '@holdfast/core/internal/plain';
import { isLoginCode, type NeededLogin } from '../server-auth/auth-error.ts';
import type { Catalog } from './catalog.ts';

/** The part of the catalog that knows which tools may still arrive. */
export type ComingTools = Partial<Pick<Catalog, 'ready' | 'subscribe' | 'unlisted' | 'refresh' | 'withheld'>>;

/** Where a name is looked up. */
export interface ToolDirectory {
  readonly has: (name: string) => boolean;
  readonly names: () => readonly string[];
  /** @default the tools are known from the start */
  readonly coming?: ComingTools | undefined;
}

/** Which tools exist for a client. */
export type Allows = (tool: string) => boolean;

/** Why a tool was not found. */
export interface MissingTool {
  readonly name: string;
  /** `UNKNOWN_TOOL`, or why its server has never listed its tools: `MCP_SERVER_DOWN`, or the code of a missing or refused login. */
  readonly code: string;
  /** What the lock file or the server says about it. @default no tool has this name */
  readonly reason?: string | undefined;
  /** The login that is missing, if it is one. */
  readonly login?: NeededLogin | undefined;
  /** A known name that is similar. */
  readonly suggestion?: string | undefined;
}

/** Returns `undefined` once the tool exists for the client, or why it does not. Waits as long as a listing may take, at most. Never rejects. */
export async function findMissing(name: string, directory: ToolDirectory, allows: Allows): Promise<MissingTool | undefined> {
  const { has, coming } = directory;
  if (allows(name) && has(name)) return undefined;
  // Similar names are searched among thousands: of many clients, one at a time.
  const pauses = Pauses.ofTurn();
  if (pauses.isDue) await pauses.pause();
  if (!allows(name)) return unknownTool(name, directory, allows);
  if (coming !== undefined) await waitForTool(name, has, coming);
  if (has(name)) return undefined;
  const { reason, code, login } = coming?.unlisted?.(name) ?? {};
  if (reason === undefined) return unknownTool(name, directory, allows);
  // The server may not have the tool: its list is not known.
  const suggestion = suggest(name, directory.names().filter(allows));
  return { name, code: code !== undefined && isLoginCode(code) ? code : 'MCP_SERVER_DOWN', reason, login, suggestion };
}

export function unknownTool(name: string, { names, coming }: ToolDirectory, allows: Allows): MissingTool {
  const reason = allows(name) ? coming?.withheld?.(name) : undefined;
  return { name, code: 'UNKNOWN_TOOL', reason, suggestion: reason === undefined ? suggest(name, names().filter(allows)) : undefined };
}

export function missingText({ name, reason, suggestion }: MissingTool): string {
  if (reason === undefined) return `Unknown tool: ${shortName(name)}${suggestion === undefined ? '' : `. Did you mean '${suggestion}'?`}`;
  return suggestion === undefined ? reason : `${reason} If the name is wrong: did you mean '${suggestion}'?`;
}

/** Names may have any length. */
export const shortName = (name: string): string => truncate(name, 100);

async function waitForTool(name: string, has: (name: string) => boolean, coming: ComingTools): Promise<void> {
  let unsubscribe: (() => void) | undefined;
  const arrived = new Promise<void>((resolve) => {
    unsubscribe = coming.subscribe?.(() => {
      if (has(name)) resolve();
    });
  });
  try {
    await Promise.race([coming.ready?.(), arrived]);
    if (has(name)) return;
    const unlisted = coming.unlisted?.(name);
    if (unlisted === undefined) return;
    if (unlisted.reason === undefined) await Promise.race([unlisted.asked, arrived]);
    // The login may exist by now.
    else if (isLoginCode(unlisted.code)) await Promise.race([coming.refresh?.(unlisted.server), arrived]);
  } finally {
    unsubscribe?.();
  }
}
