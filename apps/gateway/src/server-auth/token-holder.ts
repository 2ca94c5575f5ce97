/**
 * Owns the token of one login in this process: its use in requests, when it is renewed, and what a refusal of the server means.
 *
 * Invariants
 * 1. At most one renewal is in progress. Requests share it.
 * 2. While a token can be used, no request waits for its renewal, and a failed renewal fails none.
 * 3. After a failed renewal the next one waits, longer each time. A missing login is looked up each time.
 * 4. A token that replaces a refused one and is refused as well is not replaced again for a while.
 */
import type { AuthorizationRefusal, RequestAuthorizer } from '@holdfast/mcp-wire/client';
import type { JWK } from 'jose';
import { authError, isAuthError, type NeededLogin } from './auth-error.ts';
import { readChallenge } from './challenge.ts';
import { dpopProof } from './dpop.ts';
import type { Reason, Token, TokenSupply } from './token.ts';

/** Why a login is missing. */
export interface MissingLogin {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

interface Failure {
  readonly error: Error;
  readonly until: number;
  readonly pauseMs: number;
  /** The version of the token that the server does not accept. */
  readonly refused: string | undefined;
}

export interface TokenHolderOptions {
  readonly supply: TokenSupply;
  /** The login, if it is that of a person. */
  readonly login?: NeededLogin | undefined;
  /** @default Date.now */
  readonly now?: (() => number) | undefined;
  readonly onChange?: (() => void) | undefined;
}

/** A token that ends within this time is not used: the request has to arrive. */
const minLifeMs = 3_000;
const recheckMs = 5_000;
const firstPauseMs = 500;
const maxPauseMs = 30_000;
const refusedPauseMs = 60_000;

export class TokenHolder implements RequestAuthorizer {
  readonly #supply: TokenSupply;
  readonly #login: NeededLogin | undefined;
  readonly #now: () => number;
  readonly #onChange: () => void;
  #token: Token | undefined;
  #renewing: Promise<Token> | undefined;
  /** Tokens that replaced a refused one. */
  #replacement: string | undefined;
  #failure: Failure | undefined;
  #checkedAt = 0;
  #nonce: string | undefined;
  #missing: MissingLogin | undefined;

  constructor({ supply, login, now = Date.now, onChange = () => {} }: TokenHolderOptions) {
    this.#supply = supply;
    this.#login = login;
    this.#now = now;
    this.#onChange = onChange;
  }

  /** Why there is no login; `undefined` while there is one, and before the first request. */
  get missingLogin(): MissingLogin | undefined {
    return this.#missing;
  }

  readonly headers: RequestAuthorizer['headers'] = (request) => {
    const token = this.#token;
    const now = this.#now();
    if (token === undefined || now > token.expiresAt - minLifeMs)
      return this.#renew(token === undefined ? { kind: 'missing' } : { kind: 'expiring' }).then((renewed) =>
        this.#headersOf(renewed, request),
      );
    if (now >= token.renewAt) this.#renewInBackground();
    else if (now - this.#checkedAt > recheckMs) this.#recheck(token);
    return this.#headersOf(token, request);
  };

  readonly answered: NonNullable<RequestAuthorizer['answered']> = (headers) => {
    const nonce = headers['dpop-nonce'];
    if (typeof nonce === 'string') this.#nonce = nonce;
  };

  readonly refused: RequestAuthorizer['refused'] = async (refusal) => {
    const header = refusal.headers['www-authenticate'];
    const challenge = readChallenge(header);
    const used = this.#usedIn(refusal);
    if (refusal.status === 403 && challenge?.error !== 'insufficient_scope') return false;
    if (this.#token?.type === 'dpop' && challenge?.error === 'use_dpop_nonce') return this.#nonce !== undefined;
    // Another request has replaced it in the meantime.
    if (used !== this.#token?.accessToken) return true;
    if (refusal.status === 401 || challenge === undefined) return this.#replace({ kind: 'refused', header });
    await this.#renew({ kind: 'scopes', challenge });
    return true;
  };

  /** The access token of a request that was refused. */
  #usedIn({ sent }: AuthorizationRefusal): string | undefined {
    const at = sent.indexOf('authorization');
    return sent[at + 1]?.split(' ')[1];
  }

  /** Whether there is another token for the request. */
  async #replace(reason: Reason): Promise<boolean> {
    const refused = this.#token;
    if (refused === undefined || refused.version !== this.#replacement) {
      this.#replacement = (await this.#renew(reason)).version;
      return true;
    }
    this.#token = undefined;
    if (this.#supply.currentVersion === undefined) {
      this.#replacement = undefined;
      return false;
    }
    const error = authError('LOGIN_REQUIRED', 'The server refuses its new token as well: log in again.');
    this.#fail(error, refusedPauseMs, refused.version);
    throw error;
  }

  #renew(reason: Reason): Promise<Token> {
    this.#renewing ??= this.#ask(reason).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  /** Whether the last failure still stands. A login in the meantime ends it. */
  async #isPaused({ until, refused }: Failure): Promise<boolean> {
    if (this.#now() >= until) return false;
    return refused === undefined || (await this.#supply.currentVersion?.()) === refused;
  }

  async #ask(reason: Reason): Promise<Token> {
    const failed = this.#failure;
    if (failed !== undefined && (await this.#isPaused(failed))) throw failed.error;
    try {
      const token = await this.#supply.renew(this.#token, reason);
      this.#token = token;
      this.#checkedAt = this.#now();
      this.#failure = undefined;
      this.#setMissing(undefined);
      return token;
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      const isLost = isAuthError(error, 'LOGIN_REQUIRED');
      if (isLost && reason.kind !== 'scopes') this.#token = undefined;
      this.#fail(failure, isLost || reason.kind === 'scopes' ? 0 : Math.min((this.#failure?.pauseMs ?? firstPauseMs / 2) * 2, maxPauseMs));
      throw failure;
    }
  }

  #fail(error: Error, pauseMs: number, refused?: string): void {
    this.#failure = pauseMs === 0 ? undefined : { error, until: this.#now() + pauseMs, pauseMs, refused };
    if (!isAuthError(error, 'LOGIN_REQUIRED')) return;
    error.login = this.#login;
    this.#setMissing({ reason: error.message, since: this.#now() });
  }

  #setMissing(missing: MissingLogin | undefined): void {
    if (missing?.reason === this.#missing?.reason) return;
    this.#missing = missing;
    this.#onChange();
  }

  #renewInBackground(): void {
    if (this.#renewing === undefined) this.#renew({ kind: 'expiring' }).catch(() => {});
  }

  /** Whether someone has logged in or out elsewhere. The next request uses the outcome. */
  #recheck(token: Token): void {
    this.#checkedAt = this.#now();
    this.#supply.currentVersion?.().then(
      (version) => {
        if (version !== token.version && this.#token === token) this.#token = undefined;
      },
      () => {},
    );
  }

  #headersOf(token: Token, { method, url }: Parameters<RequestAuthorizer['headers']>[0]): readonly string[] | Promise<readonly string[]> {
    const { accessToken, type, dpopKey } = token;
    if (type === 'bearer') return ['authorization', `Bearer ${accessToken}`];
    return dpopProof(dpopKey as JWK, { method, url, accessToken, nonce: this.#nonce }).then((proof) => [
      'authorization',
      `DPoP ${accessToken}`,
      'dpop',
      proof,
    ]);
  }
}
