/**
 * Owns what the manifest grants: the access of its tokens, of logins, and of the endpoints.
 *
 * Invariants
 * 1. Clients are kept apart as soon as there can be two of them.
 * 2. A limit counts on across a reload that does not change it.
 * 3. A tool that is denied anywhere is denied.
 */
import { isDeepStrictEqual } from 'node:util';
import { type GatewayAccess, type GatewayCallLimits, type GatewayEntry, type GatewayRole, isOffered } from '@holdfast/manifest';
import { type Access, undividedAccess } from './access.ts';
import { CallLimiter } from './call-limiter.ts';
import { ownerOf } from './owner.ts';

/** A client that has logged in at an issuer. */
export interface Login {
  /** Issuer and subject. */
  readonly principal: string;
  /** What the entry of the issuer grants. */
  readonly granted: GatewayAccess;
  /** Names of groups in the token; `undefined`: the entry of the issuer applies. */
  readonly groups: readonly string[] | undefined;
  readonly subjectToken: () => string | undefined;
}

interface KnownLimiter {
  readonly limits: GatewayCallLimits;
  readonly limiter: CallLimiter;
}

const defaultRoles: readonly GatewayRole[] = ['call'];
/** Limiters of logins; the oldest are dropped. */
const maxLimiters = 10_000;

/** Whether a manifest allows several clients: then turns, sessions and the connections of isolated servers are kept apart. */
export function keepsClientsApart({ tokens, auth }: Pick<GatewayEntry, 'tokens' | 'auth'>): boolean {
  return tokens.length > 1 || (auth?.issuers.length ?? 0) > 0;
}

export class AccessRules {
  #entry: Pick<GatewayEntry, 'tokens' | 'groups' | 'auth' | 'endpoints'>;
  #limiters = new Map<string, KnownLimiter>();
  #narrowed = new WeakMap<Access, Map<string, Access>>();
  #ofTokens: ReadonlyMap<string, Access>;
  readonly #ofUndivided = new Map<string | undefined, Access>();

  constructor(entry: AccessRules['entry']) {
    this.#entry = entry;
    this.#ofTokens = this.#tokens();
  }

  get entry(): Pick<GatewayEntry, 'tokens' | 'groups' | 'auth' | 'endpoints'> {
    return this.#entry;
  }

  /** Puts a changed manifest in force. */
  apply(entry: AccessRules['entry']): void {
    this.#entry = entry;
    this.#narrowed = new WeakMap();
    this.#ofTokens = this.#tokens();
  }

  /** Whether there can be several clients. */
  get keepsApart(): boolean {
    return keepsClientsApart(this.#entry);
  }

  /** The access of a token of the manifest, or of a client without one. */
  ofName(principal: string | undefined): Access {
    const known = (principal === undefined ? undefined : this.#ofTokens.get(principal)) ?? this.#ofUndivided.get(principal);
    if (known !== undefined) return known;
    const access = undividedAccess(principal);
    this.#ofUndivided.set(principal, access);
    return access;
  }

  /** `undefined`: none of its groups is known here. */
  ofLogin({ principal, granted, groups, subjectToken }: Login): Access | undefined {
    const known = groups?.filter((name) => Object.hasOwn(this.#entry.groups, name));
    if (known?.length === 0) return undefined;
    const { roles, ...own } = known === undefined ? granted : { roles: undefined };
    const access = this.#access(
      principal,
      known === undefined ? { ...own, roles: roles ?? defaultRoles } : { deny: granted.deny ?? [] },
      known ?? [],
    );
    return { ...access, subjectToken };
  }

  /** The part of an access that an endpoint offers; `undefined`: there is no such endpoint. */
  atEndpoint(access: Access, name: string): Access | undefined {
    const endpoint = Object.hasOwn(this.#entry.endpoints, name) ? this.#entry.endpoints[name] : undefined;
    if (endpoint === undefined) return undefined;
    const known = this.#narrowed.get(access) ?? new Map<string, Access>();
    this.#narrowed.set(access, known);
    let narrowed = known.get(name);
    if (narrowed === undefined) {
      const allows = globsOf(endpoint);
      narrowed = { ...access, allowsAll: false, allows: (tool) => allows(tool) && access.allows(tool) };
      known.set(name, narrowed);
    }
    return narrowed;
  }

  #tokens(): ReadonlyMap<string, Access> {
    const { tokens } = this.#entry;
    return new Map(
      tokens.map(({ name, env: _env, groups = [], ...own }) => {
        const roles =
          own.roles ?? (groups.length > 0 ? undefined : this.keepsApart ? defaultRoles : (['call', 'read', 'operate'] as const));
        return [name, this.#access(name, { ...own, ...(roles === undefined ? {} : { roles }) }, groups)];
      }),
    );
  }

  #access(principal: string, own: GatewayAccess, groupNames: readonly string[]): Access {
    const groups = groupNames.flatMap((name) => this.#entry.groups[name] ?? []);
    const grants = own.tools === undefined && groups.length > 0 ? groups : [own, ...groups];
    const denied = [own, ...groups].flatMap(({ deny = [] }) => deny);
    const allowing = grants.map(({ tools = ['*'] }) => globsOf({ tools, deny: denied }));
    const roles = own.roles ?? groups.flatMap((group) => group.roles ?? defaultRoles);
    const limiters = [
      this.#limiterOf(`client ${principal}`, `The client ${principal}`, own.limits),
      ...groupNames.map((name) => this.#limiterOf(`group ${name}`, `The group ${name}`, this.#entry.groups[name]?.limits)),
    ];
    return {
      principal,
      owner: this.keepsApart ? ownerOf(principal) : undefined,
      roles: new Set(roles),
      allows: (tool) => allowing.some((allows) => allows(tool)),
      allowsAll: denied.length === 0 && grants.some(({ tools }) => tools === undefined || tools.includes('*')),
      limiters: limiters.filter((limiter) => limiter !== undefined),
    };
  }

  #limiterOf(key: string, who: string, limits: GatewayCallLimits | undefined): CallLimiter | undefined {
    if (limits === undefined) return undefined;
    const known = this.#limiters.get(key);
    if (known !== undefined && isDeepStrictEqual(known.limits, limits)) return known.limiter;
    const limiter = new CallLimiter(who, limits);
    this.#limiters.set(key, { limits, limiter });
    const [oldest] = this.#limiters.keys();
    if (this.#limiters.size > maxLimiters && oldest !== undefined) this.#limiters.delete(oldest);
    return limiter;
  }
}

const globsOf =
  ({ tools = ['*'], deny = [] }: Pick<GatewayAccess, 'tools' | 'deny'>) =>
  (tool: string): boolean =>
    isOffered(tool, { include: tools, exclude: deny });
