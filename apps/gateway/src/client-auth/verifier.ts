/**
 * Owns whether an access token of an authorization server is valid here, and whose it is.
 *
 * Invariants
 * 1. Only configured issuers are asked: an address in a token is never requested.
 * 2. A token is valid only for the audience of this gateway, before it expires, with an algorithm of the manifest.
 * 3. What is remembered is bounded in number and time; invalid tokens do not displace valid ones.
 * 4. An issuer that hangs delays only requests with its own tokens.
 */
import { hash } from 'node:crypto';
import { isRecord } from '@holdfast/core/internal/plain';
import type { GatewayEntry } from '@holdfast/manifest';
import type { Access } from '../access/access.ts';
import type { AccessRules } from '../access/access-rules.ts';
import { audiencesOf, type Claims, groupsOf, missingScopes, principalOf } from './claims.ts';
import { introspect } from './introspect.ts';
import { Issuer } from './issuer.ts';
import { verifySignature } from './verify-signature.ts';

export type Verdict =
  | { readonly access: Access; readonly refusal?: undefined }
  | {
      readonly refusal: 'invalid_token' | 'insufficient_scope' | 'no_group' | 'unavailable';
      readonly message: string;
      readonly scopes: readonly string[];
    };

export interface VerifierOptions {
  readonly rules: AccessRules;
  /** Called with a sentence when an issuer cannot be asked. */
  readonly onFault: (text: string) => void;
  /** Monotonic milliseconds, and the date. */
  readonly now?: () => number;
  readonly today?: () => number;
}

interface Known {
  readonly claims: Claims;
  readonly issuer: Issuer;
  readonly access: Access | undefined;
  readonly until: number;
}

interface Rejected {
  readonly verdict: Verdict;
  readonly until: number;
}

const maxKnown = 10_000;
const maxRejected = 1_000;
const keepMs = 60_000;
const keepRejectedMs = 5_000;
/** Tokens that are checked at the same time. */
const maxChecks = 200;

export class Verifier {
  readonly #options: VerifierOptions;
  readonly #now: () => number;
  readonly #today: () => number;
  readonly #known = new Map<string, Known>();
  readonly #rejected = new Map<string, Rejected>();
  readonly #checking = new Map<string, Promise<Verdict | Known>>();
  #issuers: readonly Issuer[] = [];
  #root = '';

  constructor(options: VerifierOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#today = options.today ?? (() => Date.now());
  }

  /** Keeps the keys of issuers whose entry has not changed. */
  apply({ auth, publicUrl = '' }: Pick<GatewayEntry, 'auth' | 'publicUrl'>): void {
    const before = new Map(this.#issuers.map((issuer) => [JSON.stringify(issuer.entry), issuer]));
    this.#issuers = (auth?.issuers ?? []).map((entry) => before.get(JSON.stringify(entry)) ?? new Issuer(entry, this.#now));
    this.#root = publicUrl.replace(/\/+$/, '');
    this.#known.clear();
    this.#rejected.clear();
  }

  /** The verdict about a token that was checked before; `undefined` if it has to be checked. */
  known(token: string, endpoint: string | undefined): Verdict | undefined {
    const key = hash('sha256', token);
    const now = this.#now();
    const known = this.#known.get(key);
    if (known !== undefined && known.until > now) return this.#verdictOf(known, endpoint);
    this.#known.delete(key);
    const rejected = this.#rejected.get(key);
    return rejected !== undefined && rejected.until > now ? rejected.verdict : undefined;
  }

  /** Never rejects. */
  async verify(token: string, endpoint: string | undefined): Promise<Verdict> {
    const key = hash('sha256', token);
    let checking = this.#checking.get(key);
    if (checking === undefined) {
      if (this.#checking.size >= maxChecks) return unavailable('Too many tokens are being checked');
      checking = this.#check(token, key).finally(() => this.#checking.delete(key));
      this.#checking.set(key, checking);
    }
    const found = await checking;
    return 'issuer' in found ? this.#verdictOf(found, endpoint) : found;
  }

  async #check(token: string, key: string): Promise<Verdict | Known> {
    try {
      const found = await this.#claimsOf(token);
      if (found === undefined) return this.#reject(key, invalid('The token was not issued for this gateway, or is not valid'));
      const known = this.#knownOf(token, found.issuer, found.claims);
      if (known === undefined) return this.#reject(key, invalid('The token has expired, or does not name its subject'));
      remember(this.#known, key, known, maxKnown);
      return known;
    } catch (error) {
      const text = `A login cannot be checked: ${String((error as Error).message)}`;
      this.#options.onFault(text);
      return unavailable('The authorization server does not answer');
    }
  }

  #reject(key: string, verdict: Verdict): Verdict {
    remember(this.#rejected, key, { verdict, until: this.#now() + keepRejectedMs }, maxRejected);
    return verdict;
  }

  async #claimsOf(token: string): Promise<{ readonly issuer: Issuer; readonly claims: Claims } | undefined> {
    const named = issuerNamedIn(token);
    const candidates = this.#issuers.filter(({ entry }) =>
      named === undefined ? entry.introspection !== undefined : entry.issuer === named,
    );
    for (const issuer of candidates) {
      const claims = issuer.entry.introspection === undefined ? await verifySignature(token, issuer) : await introspect(token, issuer);
      if (claims !== undefined) return { issuer, claims };
    }
    return undefined;
  }

  #knownOf(token: string, issuer: Issuer, claims: Claims): Known | undefined {
    const { exp } = claims;
    const principal = principalOf(claims, issuer.entry);
    const leftMs = typeof exp === 'number' ? exp * 1000 - this.#today() : 0;
    if (principal === undefined || leftMs <= 0) return undefined;
    const { roles, tools, deny, limits } = issuer.entry;
    const granted = Object.fromEntries(Object.entries({ roles, tools, deny, limits }).filter(([, value]) => value !== undefined));
    const access = this.#options.rules.ofLogin({
      principal,
      granted,
      groups: groupsOf(claims, issuer.entry),
      subjectToken: () => token,
    });
    return { claims, issuer, access, until: this.#now() + Math.min(leftMs, keepMs) };
  }

  #verdictOf({ claims, issuer: { entry }, access }: Known, endpoint: string | undefined): Verdict {
    const resource = `${this.#root}/mcp`;
    const accepted = entry.audience ?? [this.#root, resource, ...(endpoint === undefined ? [] : [`${resource}/${endpoint}`])];
    if (!audiencesOf(claims).some((audience) => accepted.includes(audience)))
      return invalid(`The token is for another audience: request one for the resource ${resource}`);
    const missing = missingScopes(claims, entry.scopes);
    if (missing.length > 0)
      return { refusal: 'insufficient_scope', message: `The token lacks the scope ${missing.join(' ')}`, scopes: entry.scopes };
    return access === undefined
      ? { refusal: 'no_group', message: 'The token has none of the groups that have access here (gateway.groups)', scopes: [] }
      : { access };
  }
}

/** The issuer that a signed token names, unverified. `undefined`: it is opaque. */
function issuerNamedIn(token: string): string | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isRecord(claims) && typeof claims['iss'] === 'string' ? claims['iss'] : undefined;
  } catch {
    return undefined;
  }
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}

const invalid = (message: string): Verdict => ({ refusal: 'invalid_token', message, scopes: [] });
const unavailable = (message: string): Verdict => ({ refusal: 'unavailable', message, scopes: [] });
