/**
 * Owns logins to servers that people do in a browser at this gateway: which there are, who may log in for whom, and the way back.
 *
 * Invariants
 * 1. A client logs in for itself alone. For the gateway it needs the role `operate`; on a gateway without tokens, the link that a client was given will do.
 * 2. A login is completed in the browser in which it was begun, once.
 * 3. A client sees its own logins. Those of others exist only for clients that see all.
 */
import { randomBytes } from 'node:crypto';
import type { GatewayToken, Manifest, McpServerEntry } from '@holdfast/manifest';
import { type Access, seesAll } from '../access/access.ts';
import { ownerOf } from '../access/owner.ts';
import type { BegunLogin, EndedLogin, LoginRequest, ServerLogin, ServerLoginList } from '../contract.ts';
import { authError, type NeededLogin } from '../server-auth/auth-error.ts';
import { isStateOfBrowser } from '../server-auth/login.ts';
import type { RequiredLogin, ServerAuth, StoredLogin } from '../server-auth/server-auth.ts';
import { type BrowserRoot, browserRoot, callbackUri, clientDocument, clientDocumentUrl, isCallback, loginPage } from './browser-address.ts';
import { cookieOf, expiredCookie, newCookie } from './cookies.ts';
import { donePage, failedPage } from './pages.ts';

export interface ServerLoginsOptions {
  readonly auth: Pick<ServerAuth, 'stored' | 'required' | 'begin' | 'complete' | 'logout'>;
  readonly current: () => Manifest;
  /** Whether clients are kept apart. */
  readonly keepsApart: () => boolean;
  /** Whether the client of a token of the manifest may call tools. */
  readonly mayCall: (token: string) => boolean;
  /** The address that the gateway listens on for HTTP. */
  readonly address: () => string | undefined;
  /** Whether the page of logins is served. */
  readonly hasPage: boolean;
  /** Whether a client was given this link for a login of the gateway at a server. */
  readonly isLink: (link: string, server: string) => boolean;
  /** Called after a login. */
  readonly onDone?: (() => void) | undefined;
  readonly redact: (text: string) => string;
}

/** A login that has begun, and what the browser keeps. */
export interface BegunInBrowser {
  readonly begun: BegunLogin;
  readonly cookie: string;
}

/** Why a login is not begun or ended. */
export interface LoginRefusal {
  readonly kind: 'unknown' | 'forbidden' | 'other_origin' | 'not_here';
  readonly message: string;
}

export type Outcome<Value> = { readonly value: Value; readonly refusal?: undefined } | { readonly refusal: LoginRefusal };

type Named = readonly [name: string, entry: McpServerEntry];

export class ServerLogins {
  readonly #options: ServerLoginsOptions;

  constructor(options: ServerLoginsOptions) {
    this.#options = options;
  }

  /** Whether there is a server with logins of people. */
  isNeeded(): boolean {
    return this.#servers().length > 0;
  }

  /** The logins that a client may see. */
  async list(access: Access): Promise<ServerLoginList> {
    const items = await Promise.all(this.#servers().map((server) => this.#loginsOf(server, access)));
    const { root, problem } = this.#root();
    return { logins: items.flat(), ...(root === undefined ? { problem } : { login_address: `${root}/logins` }) };
  }

  /** Clients of a server that have no login of their own there. */
  async missing(name: string, entry: McpServerEntry): Promise<readonly string[]> {
    if (!isOfPeople(entry) || !this.#hasOwnLogins(entry)) return [];
    const stored = await this.#options.auth.stored(name, entry);
    const owners = this.#owners(name, entry, stored).filter((owner) => owner !== '');
    return owners
      .filter((owner) => !isUsable(stored.find(({ principal }) => principal === owner)))
      .map((owner) => this.#nameOf(name, owner));
  }

  /** `origin`: the origin of the page that asks; absent if no page does. */
  async begin(access: Access, server: string, wish: LoginRequest, origin: string | undefined): Promise<Outcome<BegunInBrowser>> {
    const entry = this.#entry(server);
    if (entry === undefined) return unknownServer(server);
    const { root, problem } = this.#root();
    if (root === undefined) return { refusal: { kind: 'not_here', message: problem } };
    if (origin !== undefined && origin !== new URL(root).origin)
      return {
        refusal: {
          kind: 'other_origin',
          message: `A login needs the dashboard at ${root}/logins, because the browser returns to that address.`,
        },
      };
    const principal = this.#principalFor(access, server, entry, wish);
    if (principal === undefined) return mayNot(wish.for);
    const browser = randomBytes(32).toString('base64url');
    const clientDocument = clientDocumentUrl(root, server);
    const { url, state, issuer, scopes } = await this.#options.auth.begin(server, entry, principal, {
      redirectUri: callbackUri(root, server),
      browser,
      clientDocument,
    });
    return { value: { begun: { url, issuer, scopes }, cookie: newCookie(state, browser, root) } };
  }

  /** Ends a login; `principal`: `''` for the gateway's own. */
  async end(access: Access, server: string, principal: string): Promise<Outcome<EndedLogin>> {
    const entry = this.#entry(server);
    if (entry === undefined) return unknownServer(server);
    if (!mayEnd(access, principal === '' ? '' : ownerOf(principal))) return mayNot(principal === '' ? 'gateway' : 'caller');
    const { wasKnown, isRevoked } = await this.#options.auth.logout(server, entry, principal);
    this.#options.onDone?.();
    return { value: { was_known: wasKnown, is_revoked: isRevoked } };
  }

  /** Answers requests that come without a token: the way back of a browser, and client metadata documents. `target`: path and query. */
  async fetch(request: Request, target: string): Promise<Response> {
    const { root } = this.#root();
    const path = target.split('?', 1)[0] ?? '';
    const document = root === undefined ? undefined : clientDocument(path, root, (name) => this.#entry(name) !== undefined);
    if (document !== undefined) return Response.json(document, { headers: { 'cache-control': 'max-age=300' } });
    if (root === undefined || request.method !== 'GET' || !isCallback(path)) return failedPage('There is nothing here.', 404);
    const callback = new URL(`${root}${target}`);
    const state = callback.searchParams.get('state') ?? '';
    const browser = cookieOf(request.headers.get('cookie'), state, root);
    const headers = { 'set-cookie': expiredCookie(state, root) };
    try {
      if (!isStateOfBrowser(state)) throw authError('AUTHORIZATION_FAILED', ofTerminal);
      // Without the cookie as well, the attempt ends: its answer has been seen elsewhere.
      const { owner } = await this.#options.auth.complete(callback, (name) => this.#entry(name), browser ?? '');
      this.#options.onDone?.();
      return donePage(owner.server, headers, this.#options.hasPage ? `${root}/logins` : undefined);
    } catch (error) {
      return failedPage(this.#options.redact(error instanceof Error ? error.message : String(error)), 400, headers);
    }
  }

  /** The page for a login that a client needs; `undefined` if the client may not log in there, or not in a browser. */
  pageFor(access: Access, { server, principal }: NeededLogin, linkOf: () => string): string | undefined {
    const { root } = this.#root();
    if (root === undefined || !this.#options.hasPage || this.#entry(server) === undefined) return undefined;
    if (principal !== '') return principal === access.owner && access.roles.has('call') ? loginPage(root, server) : undefined;
    if (isNameless(access)) return loginPage(root, server, linkOf());
    return access.roles.has('operate') ? loginPage(root, server) : undefined;
  }

  #root(): BrowserRoot {
    return browserRoot(this.#options.current().gateway, this.#options.address());
  }

  #servers(): readonly Named[] {
    return Object.entries(this.#options.current().mcpServers).filter(([, entry]) => isOfPeople(entry));
  }

  #entry(name: string): McpServerEntry | undefined {
    return this.#servers().find(([each]) => each === name)?.[1];
  }

  #hasOwnLogins({ isolation }: McpServerEntry): boolean {
    return isolation !== 'shared' && this.#options.keepsApart();
  }

  /** Whose login it becomes; `undefined` if the client may not. */
  #principalFor(access: Access, server: string, entry: McpServerEntry, { for: whose, link }: LoginRequest): string | undefined {
    if (whose === 'caller') return this.#hasOwnLogins(entry) && access.roles.has('call') ? access.owner : undefined;
    const hasLink = isNameless(access) && link !== undefined && this.#options.isLink(link, server);
    return access.roles.has('operate') || hasLink ? '' : undefined;
  }

  async #loginsOf([name, entry]: Named, access: Access): Promise<readonly ServerLogin[]> {
    const { auth, redact } = this.#options;
    const stored = await auth.stored(name, entry);
    const required = this.#required(name);
    const seen = this.#owners(name, entry, stored).filter((owner) => owner === '' || owner === access.owner || seesAll(access));
    return seen.map((owner) => {
      const login = stored.find(({ principal }) => principal === owner);
      const missing = required.find(({ principal, since }) => principal === owner && since >= (login?.obtainedAt ?? 0));
      const isThere = missing === undefined && isUsable(login);
      return {
        server: name,
        ...(owner === '' ? {} : { principal: this.#nameOf(name, owner) }),
        state: isThere ? 'logged_in' : 'login_required',
        ...(missing === undefined ? {} : { reason: redact(missing.reason) }),
        // The account of the gateway is not shown to a client that only calls.
        ...(login === undefined || (owner === '' && !seesAll(access)) ? {} : detailsOf(login)),
        may_log_in: owner === '' ? access.roles.has('operate') : owner === access.owner && access.roles.has('call'),
        may_log_out: login !== undefined && mayEnd(access, owner),
      };
    });
  }

  /** The gateway, the clients of the manifest, and those that have a login or need one. */
  #owners(server: string, entry: McpServerEntry, stored: readonly StoredLogin[]): readonly string[] {
    const clients = this.#hasOwnLogins(entry)
      ? this.#tokens().flatMap(({ name }) => (this.#options.mayCall(name) ? [ownerOf(name)] : []))
      : [];
    return [...new Set(['', ...clients, ...[...stored, ...this.#required(server)].map(({ principal }) => principal)])];
  }

  #required(server: string): readonly RequiredLogin[] {
    return this.#options.auth.required().filter((login) => login.server === server);
  }

  #tokens(): readonly GatewayToken[] {
    return this.#options.current().gateway.tokens;
  }

  #nameOf(server: string, owner: string): string {
    const token = this.#tokens().find(({ name }) => ownerOf(name) === owner);
    return token?.name ?? this.#required(server).find(({ principal }) => principal === owner)?.name ?? owner;
  }
}

const isOfPeople = (entry: McpServerEntry): boolean => 'url' in entry && entry.auth?.type === 'oauth';

/** A client of a gateway without tokens: there is one user, whose clients have no names. */
const isNameless = ({ principal, owner }: Access): boolean => principal === undefined && owner === undefined;

const mayEnd = ({ roles, owner }: Access, whose: string): boolean =>
  roles.has('operate') || (whose !== '' && whose === owner && roles.has('call'));

const isUsable = (login: StoredLogin | undefined): boolean =>
  login !== undefined && (login.isRenewable || login.expiresAt === undefined || login.expiresAt > Date.now());

const detailsOf = ({ issuer, account, scopes, obtainedAt, expiresAt, isRenewable }: StoredLogin): Partial<ServerLogin> => ({
  issuer,
  ...(account === undefined ? {} : { account }),
  scopes,
  obtained_at: new Date(obtainedAt).toISOString(),
  ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
  is_renewable: isRenewable,
});

const ofTerminal =
  'This login was not begun on the page of logins. If it was begun by `holdfast login`, paste the address of this page into the terminal.';

const unknownServer = (server: string): { readonly refusal: LoginRefusal } => ({
  refusal: { kind: 'unknown', message: `There is no server '${server}' with auth: oauth` },
});

const mayNot = (whose: LoginRequest['for']): { readonly refusal: LoginRefusal } => ({
  refusal: {
    kind: 'forbidden',
    message:
      whose === 'gateway'
        ? "The login of the gateway requires the role 'operate'"
        : 'This server has no login of its own for this client (isolation: per_principal, and the role call)',
  },
});
