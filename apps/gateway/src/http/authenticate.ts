/**
 * Owns who has sent a request: a token of the manifest, a login at an authorization server, or an unknown client.
 *
 * Invariants
 * 1. Tokens of the manifest, and tokens that were checked a moment ago, are answered at once.
 * 2. A token that was removed from the manifest is unknown from the reload on.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from '../access/access.ts';
import type { AccessRules } from '../access/access-rules.ts';
import { type LoginEntry, type ResourceMetadata, resourceMetadata } from '../client-auth/resource-metadata.ts';
import { type Verdict, Verifier } from '../client-auth/verifier.ts';
import type { AccessToken } from './options.ts';
import { createTokens, credentialOf, type Tokens } from './tokens.ts';

export interface Sender {
  readonly access: Access;
  readonly refusal?: undefined;
}

export interface SenderRefusal {
  readonly refusal: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

export interface AuthenticatorOptions {
  readonly rules: AccessRules;
  readonly tokens: readonly AccessToken[];
  readonly operatorToken?: string | undefined;
  readonly entry: LoginEntry;
  readonly onFault: (text: string) => void;
}

export class Authenticator {
  readonly #rules: AccessRules;
  readonly #verifier: Verifier;
  readonly #operatorToken: string | undefined;
  #given: readonly AccessToken[] = [];
  #tokens: Tokens;
  #metadata: ResourceMetadata | undefined;
  #areRequired = false;

  constructor({ rules, tokens, operatorToken, entry, onFault }: AuthenticatorOptions) {
    this.#rules = rules;
    this.#verifier = new Verifier({ rules, onFault });
    this.#operatorToken = operatorToken;
    this.#tokens = createTokens([]);
    this.apply(tokens, entry);
  }

  /** Whether every request requires a token. */
  get areRequired(): boolean {
    return this.#areRequired;
  }

  get metadata(): ResourceMetadata | undefined {
    return this.#metadata;
  }

  /** Puts other tokens and issuers in force; returns the names of tokens that are no longer valid, or are another secret now. */
  apply(tokens: readonly AccessToken[], entry: LoginEntry): ReadonlySet<string> {
    const isOpen = tokens.length === 0 && entry.auth === undefined;
    this.#tokens = createTokens(tokens, isOpen ? this.#operatorToken : undefined);
    const ended = this.#given.filter(({ name, secret }) => !tokens.some((token) => token.name === name && token.secret === secret));
    this.#given = tokens;
    this.#areRequired = !isOpen;
    this.#metadata = resourceMetadata(entry);
    this.#verifier.apply(entry);
    return new Set(ended.map(({ name }) => name));
  }

  /** `endpoint`: name of the endpoint in the path. */
  sender(
    headers: IncomingHttpHeaders,
    isModelProxy: boolean,
    endpoint: string | undefined,
  ): Sender | SenderRefusal | Promise<Sender | SenderRefusal> {
    const credential = credentialOf(headers, isModelProxy);
    if (credential === undefined) return this.#areRequired ? this.#noToken(endpoint) : { access: this.#rules.ofName(undefined) };
    const name = this.#tokens.nameOf(credential);
    if (name !== undefined) return { access: this.#rules.ofName(name) };
    if (!this.#areRequired) return { access: this.#rules.ofName(undefined) };
    if (this.#metadata === undefined) return unknownToken;
    const known = this.#verifier.known(credential, endpoint);
    if (known !== undefined) return this.#answer(known, endpoint);
    return this.#verifier.verify(credential, endpoint).then((verdict) => this.#answer(verdict, endpoint));
  }

  #noToken(endpoint: string | undefined): SenderRefusal {
    const challenge = this.#metadata?.challenge(endpoint) ?? 'Bearer realm="holdfast"';
    return refusal(401, 'unauthorized', 'A token is required: Authorization: Bearer …', { 'www-authenticate': challenge });
  }

  #answer(verdict: Verdict, endpoint: string | undefined): Sender | SenderRefusal {
    if (verdict.refusal === undefined) return verdict;
    const { refusal: why, message, scopes } = verdict;
    // A client that gets a 401 drops its token and logs in again.
    if (why === 'unavailable') return refusal(503, 'login_not_checked', `${message}: try again`, { 'retry-after': '5' });
    if (why === 'no_group') return refusal(403, 'no_access', message, {});
    const challenge = this.#metadata?.challenge(endpoint, { code: why, scopes }) ?? '';
    return refusal(why === 'invalid_token' ? 401 : 403, why, message, { 'www-authenticate': challenge });
  }
}

/** Of a gateway without logins. */
const unknownToken = {
  refusal: {
    status: 401,
    code: 'invalid_token',
    message: 'This token is not valid',
    headers: { 'www-authenticate': 'Bearer realm="holdfast", error="invalid_token"' },
  },
} as const satisfies SenderRefusal;

const refusal = (status: number, code: string, message: string, headers: Readonly<Record<string, string>>): SenderRefusal => ({
  refusal: { status, code, message, headers },
});
