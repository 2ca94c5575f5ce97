/**
 * Owns for whom a request to a server is made, and which connection of an isolated server it belongs to.
 *
 * Invariant: two clients that are kept apart never have the same connection.
 */
import type { ConnectedClient } from '@holdfast/mcp-wire/server';
import type { McpServerEntry } from '@holdfast/manifest';
import { accessOf } from './access.ts';

export interface OnBehalf {
  readonly principal: string | undefined;
  readonly owner: string | undefined;
  /** Id of the session; `undefined` for clients without one, such as those of the Turn API. */
  readonly session: string | undefined;
  /** Returns the access token of the client, as input for a token exchange and nothing else. */
  readonly subjectToken?: (() => string | undefined) | undefined;
}

export function onBehalfOf(client: ConnectedClient): OnBehalf {
  const { owner, subjectToken } = accessOf(client);
  return { principal: client.principal, owner, subjectToken, session: client.era === 'legacy' && client.id !== '' ? client.id : undefined };
}

/** A call without an MCP client: while clients are kept apart, the id of its turn, or its own, begins with the owner. */
export function onBehalfOfIds(turnId: string, callId: string, keepsApart: boolean): OnBehalf {
  const owner = keepsApart ? (ownerOfId(turnId) ?? ownerOfId(callId)) : undefined;
  return { principal: owner, owner, session: undefined };
}

const ownerOfId = (id: string): string | undefined => {
  const end = id.indexOf('/');
  return end === -1 ? undefined : id.slice(0, end);
};

/** The connection of a server that belongs to a client; `undefined`: the one that all share. */
export function connectionKey({ isolation }: Pick<McpServerEntry, 'isolation'>, who: OnBehalf): string | undefined {
  if (isolation === 'shared') return undefined;
  const ofOwner = `owner ${who.owner ?? ''}`;
  return isolation === 'per_session' && who.session !== undefined ? `session ${who.session}` : ofOwner;
}
