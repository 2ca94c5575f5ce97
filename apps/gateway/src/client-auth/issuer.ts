/**
 * Owns what is read from one authorization server: its metadata and its keys.
 *
 * Invariants
 * 1. One request per document at a time; requests for keys that the issuer may not have are spaced out.
 * 2. Keys stay valid while the issuer does not answer.
 */
import { isRecord } from '@holdfast/core/internal/plain';
import type { GatewayIssuer } from '@holdfast/manifest';
import type { JSONWebKeySet } from 'jose';
import { fetchJson } from './fetch-json.ts';

const keysMaxAgeMs = 600_000;
/** Between two requests for keys. */
const cooldownMs = 30_000;

type Now = () => number;

export class Issuer {
  readonly entry: GatewayIssuer;
  readonly #now: Now;
  #metadata: Promise<Readonly<Record<string, unknown>>> | undefined;
  #keys: JSONWebKeySet | undefined;
  #keysAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(entry: GatewayIssuer, now: Now) {
    this.entry = entry;
    this.#now = now;
  }

  /** Rejects if no keys are known and the issuer does not answer. `isStale`: a key is missing in the known ones. */
  async keys(isStale: boolean): Promise<JSONWebKeySet> {
    const now = this.#now();
    const isDue = this.#keys === undefined || isStale || now - this.#keysAt > keysMaxAgeMs;
    if (isDue && (this.#asking !== undefined || this.#keys === undefined || now - this.#askedAt > cooldownMs)) {
      this.#asking ??= this.#readKeys().finally(() => (this.#asking = undefined));
      // Known keys are used while newer ones are on their way, unless one of them is missing.
      const asked = this.#asking;
      if (this.#keys === undefined) await asked;
      else if (isStale) await asked.catch(() => undefined);
      else asked.catch(() => undefined);
    }
    if (this.#keys === undefined) throw new Error(`The keys of ${this.entry.issuer} are not known`);
    return this.#keys;
  }

  async introspectionEndpoint(): Promise<string> {
    return this.entry.introspection?.endpoint ?? (await this.#endpoint('introspection_endpoint'));
  }

  async #readKeys(): Promise<void> {
    this.#askedAt = this.#now();
    const found = await fetchJson(this.entry.jwksUri ?? (await this.#endpoint('jwks_uri')));
    if (!isRecord(found) || !Array.isArray(found['keys'])) throw new Error(`The keys of ${this.entry.issuer} are not a key set`);
    this.#keys = found as unknown as JSONWebKeySet;
    this.#keysAt = this.#now();
  }

  async #endpoint(name: 'jwks_uri' | 'introspection_endpoint'): Promise<string> {
    this.#metadata ??= this.#readMetadata();
    try {
      const url = (await this.#metadata)[name];
      if (typeof url === 'string') return url;
    } catch (error) {
      this.#metadata = undefined;
      throw error;
    }
    throw new Error(`The metadata of ${this.entry.issuer} has no ${name}: set it in gateway.auth`);
  }

  /** RFC 8414, then OpenID Connect. */
  async #readMetadata(): Promise<Readonly<Record<string, unknown>>> {
    const { origin, pathname } = new URL(this.entry.issuer);
    const path = pathname.replace(/\/$/, '');
    const places = [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
    ];
    let failure: unknown;
    for (const place of places) {
      try {
        const found = await fetchJson(place);
        if (isRecord(found) && found['issuer'] === this.entry.issuer) return found;
        failure ??= new Error(`${place} contains the metadata of another issuer`);
      } catch (error) {
        failure ??= error;
        if (isTimeout(error)) break;
      }
    }
    throw failure;
  }
}

/** An issuer that hangs at one address hangs at all of them. */
const isTimeout = (error: unknown): boolean => (error as { readonly cause?: { readonly name?: unknown } }).cause?.name === 'TimeoutError';
