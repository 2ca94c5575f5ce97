/**
 * Owns what is known about one access token, and the interface of the ways to get one.
 */
import type { TokenEndpointResponse } from 'oauth4webapi';
import { type Challenge, scopesOf } from './challenge.ts';

export interface Token {
  readonly accessToken: string;
  readonly type: 'bearer' | 'dpop';
  /** The key that it is bound to. */
  readonly dpopKey?: unknown;
  /** Scopes of the request. */
  readonly requested: readonly string[];
  /** Milliseconds since 1970; `Infinity` if it is not known. */
  readonly expiresAt: number;
  /** From then on it is renewed, though it can still be used. */
  readonly renewAt: number;
  /** Differs from that of every other token of the same login. */
  readonly version: string;
}

/** Why a token is asked for. */
export type Reason =
  | { readonly kind: 'missing' }
  /** It ends soon, or has ended. */
  | { readonly kind: 'expiring' }
  /** The server has refused it. */
  | { readonly kind: 'refused'; readonly header: string | string[] | undefined }
  /** The server wants scopes that it does not have. */
  | { readonly kind: 'scopes'; readonly challenge: Challenge };

/** One way to get tokens of one login. */
export interface TokenSupply {
  /** Resolves to a token other than `old`. Rejects with an `AuthError`. */
  readonly renew: (old: Token | undefined, reason: Reason) => Promise<Token>;
  /** Resolves to the version of the token that other processes use now; `undefined` if there is none. Absent if the token belongs to this process alone. */
  readonly currentVersion?: () => Promise<string | undefined>;
}

/** The part of its life after which a token is renewed, at random within this range, so that processes do not do it all at once. */
const renewFrom = 0.75;
const renewUntil = 0.85;

/** The fields of an answer of the token endpoint that are kept. */
export function lifetimeOf(answer: TokenEndpointResponse, now: number): Pick<Token, 'expiresAt' | 'renewAt'> {
  const { expires_in: seconds } = answer;
  return seconds === undefined ? { expiresAt: Infinity, renewAt: Infinity } : lifetime(now, now + seconds * 1_000);
}

export function lifetime(obtainedAt: number, expiresAt: number): Pick<Token, 'expiresAt' | 'renewAt'> {
  const part = renewFrom + Math.random() * (renewUntil - renewFrom);
  return { expiresAt, renewAt: obtainedAt + (expiresAt - obtainedAt) * part };
}

export const grantedScopes = ({ scope }: TokenEndpointResponse): readonly string[] | undefined =>
  scope === undefined ? undefined : scopesOf(scope);

export const unionOf = (one: readonly string[], other: readonly string[]): readonly string[] => [...new Set([...one, ...other])];
