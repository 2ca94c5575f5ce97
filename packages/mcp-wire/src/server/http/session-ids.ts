/**
 * Owns the ids of legacy sessions. An id carries what the handshake agreed, signed, so that another process with the same key can continue the session.
 *
 * Invariants
 * 1. An id is valid only for the caller it was issued to. It is no credential: the caller is authenticated with every request.
 * 2. An id cannot be guessed, and always fits into a header.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../message.ts';
import type { HttpCaller } from './http-options.ts';

/** Longer descriptions of a client are reduced to what the protocol itself defines. */
const maxPayloadChars = 3000;
const knownCapabilities = ['roots', 'sampling', 'elicitation', 'tasks'] as const;
/** Longer headers are not read. */
const maxIdChars = 6000;

export class SessionIds {
  readonly #key: string | Uint8Array;

  constructor(key: string | Uint8Array = randomBytes(32)) {
    this.#key = key;
  }

  /** `version`: the revision that was agreed. */
  issue(version: string, { clientInfo, capabilities }: JsonObject, caller: HttpCaller): string {
    const info = isJsonObject(clientInfo) ? { name: shortText(clientInfo['name']), version: shortText(clientInfo['version']) } : null;
    const declared = isJsonObject(capabilities) ? capabilities : {};
    const payload =
      [JSON.stringify([version, declared, info]), JSON.stringify([version, withoutExtensions(declared), info])].find(
        (text) => text.length <= maxPayloadChars,
      ) ?? JSON.stringify([version, {}, info]);
    const body = `1.${Buffer.from(payload).toString('base64url')}.${randomBytes(16).toString('base64url')}`;
    return `${body}.${this.#sign(body, caller)}`;
  }

  /** Returns the params of the handshake; `undefined` for an id of another key, or of another caller. */
  read(id: string, caller: HttpCaller): JsonObject | undefined {
    const end = id.lastIndexOf('.');
    if (id.length > maxIdChars || end === -1) return undefined;
    const body = id.slice(0, end);
    const [form, payload = '', random = ''] = body.split('.');
    if (form !== '1' || random.length !== 22 || !isSame(id.slice(end + 1), this.#sign(body, caller))) return undefined;
    const [protocolVersion, capabilities, clientInfo] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[];
    return { protocolVersion, capabilities, ...(clientInfo === null ? {} : { clientInfo }) };
  }

  #sign(body: string, { principal, endpoint }: HttpCaller): string {
    const owner = JSON.stringify([principal ?? null, endpoint ?? null]);
    return createHmac('sha256', this.#key).update(`${body}\n${owner}`).digest('base64url');
  }
}

const shortText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 100) : '');

const withoutExtensions = (declared: JsonObject): JsonObject =>
  Object.fromEntries(knownCapabilities.flatMap((name) => (declared[name] === undefined ? [] : [[name, declared[name]]])));

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
