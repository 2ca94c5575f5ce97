/**
 * Owns the type of a client's access: who it is, what it may do, and what belongs to it.
 *
 * Invariant: an access without an owner belongs to a gateway that does not keep its clients apart, or to the user who runs it over stdio.
 */
import type { GatewayRole } from '@holdfast/manifest';
import type { CallLimiter } from './call-limiter.ts';

export interface Access {
  /** Name of the client; `undefined` for a client that has sent no token. */
  readonly principal: string | undefined;
  /** Turns, tasks, stored results and connections belong to an owner. `undefined`: they belong to everybody. */
  readonly owner: string | undefined;
  readonly roles: ReadonlySet<GatewayRole>;
  /** Whether the offered tool of this name exists for the client. */
  readonly allows: (tool: string) => boolean;
  /** Whether no tool is excluded. */
  readonly allowsAll: boolean;
  readonly limiters: readonly CallLimiter[];
  /** Returns the access token of the client, as input for a token exchange and nothing else. */
  readonly subjectToken?: (() => string | undefined) | undefined;
}

const everyRole: ReadonlySet<GatewayRole> = new Set(['call', 'read', 'operate']);
const withoutActing: ReadonlySet<GatewayRole> = new Set(['call', 'read']);

/** For the only client of a gateway, and for clients of one without tokens: those without a name may not act. */
export const undividedAccess = (principal: string | undefined): Access => ({
  principal,
  owner: undefined,
  roles: principal === undefined ? withoutActing : everyRole,
  allows: () => true,
  allowsAll: true,
  limiters: [],
});

const local: Access = undividedAccess(undefined);

/** The access of a client of an MCP transport; over stdio, it is the user's own. */
export const accessOf = (client: { readonly access?: unknown } | undefined): Access => (client?.access as Access | undefined) ?? local;

/** Whether it may see what belongs to others. */
export const seesAll = ({ owner, roles }: Access): boolean => owner === undefined || roles.has('read') || roles.has('operate');
