/** Owns the connections to the providers, and the fetch over them. */
import type { Fetch } from '@holdfast/wire';
import { Agent, type RequestInit as UndiciInit, fetch as undiciFetch } from 'undici';

export interface UpstreamLimits {
  readonly connectTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

export interface ModelUpstream {
  readonly fetch: Fetch;
  readonly close: () => Promise<void>;
}

export function modelUpstream({ connectTimeoutMs, answerTimeoutMs, idleTimeoutMs }: UpstreamLimits): ModelUpstream {
  const dispatcher = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: answerTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });
  return {
    // The same fetch has two types: that of the library, and that of the platform, which includes it.
    fetch: (input, init) => undiciFetch(input as string, { ...init, dispatcher } as unknown as UndiciInit) as unknown as Promise<Response>,
    close: () => dispatcher.destroy(),
  };
}
