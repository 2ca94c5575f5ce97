/**
 * Owns sealing values, so that a copy of the store is useless without its key.
 *
 * Invariants
 * 1. AES-256-GCM with a fresh nonce for each value.
 * 2. A value opens only under the name that it was sealed with: rows cannot be exchanged.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

export interface Seal {
  /** Names the key, without revealing it. */
  readonly keyId: string;
  readonly seal: (name: string, value: unknown) => string;
  /** Throws if the value was sealed with another key or under another name, or was changed. */
  readonly open: (name: string, sealed: string) => unknown;
}

interface Envelope {
  readonly v: 1;
  readonly kid: string;
  readonly iv: string;
  readonly tag: string;
  readonly ct: string;
}

const algorithm = 'aes-256-gcm';
export const keyBytes = 32;

export function createSeal(key: Buffer): Seal {
  if (key.length !== keyBytes) throw new TypeError(`a sealing key must have ${keyBytes} bytes`);
  const keyId = hash('sha256', Buffer.concat([Buffer.from('holdfast key id'), key]), 'base64url').slice(0, 12);
  return {
    keyId,
    seal(name, value) {
      const iv = randomBytes(12);
      const cipher = createCipheriv(algorithm, key, iv);
      cipher.setAAD(Buffer.from(name));
      const ct = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      const envelope: Envelope = {
        v: 1,
        kid: keyId,
        iv: iv.toString('base64'),
        tag: cipher.getAuthTag().toString('base64'),
        ct: ct.toString('base64'),
      };
      return JSON.stringify(envelope);
    },
    open(name, sealed) {
      const { kid, iv, tag, ct } = JSON.parse(sealed) as Envelope;
      if (kid !== keyId) throw new Error('it was sealed with another key');
      const decipher = createDecipheriv(algorithm, key, Buffer.from(iv, 'base64'), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(name));
      decipher.setAuthTag(Buffer.from(tag, 'base64'));
      return JSON.parse(Buffer.concat([decipher.update(Buffer.from(ct, 'base64')), decipher.final()]).toString('utf8')) as unknown;
    },
  };
}
