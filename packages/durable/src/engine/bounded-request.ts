/**
 * Owns one HTTP request to the engine with a time limit. Does not judge the response. A failed request is an error with the code
 * `ENGINE_UNAVAILABLE`.
 */
import { engineUnavailable } from './engine-unavailable.ts';

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface EngineAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** User and password before a host, up to the last @. */
const SECRETS = /\/\/[^/?#\s"']*@/g;

/** Removes users and passwords from the addresses in a string. */
export const withoutSecrets = (text: string): string => text.replaceAll(SECRETS, '//');

/** `fetch` refuses an address with a password, and repeats it in the message. */
const causeOf = (url: string, error: unknown): unknown =>
  withoutSecrets(url) === url ? error : new Error(withoutSecrets(error instanceof Error ? error.message : String(error)));

export const boundedRequest = async (request: EngineRequest): Promise<EngineAnswer> => {
  const { method, url, timeoutMs, signal } = request;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, {
      method,
      headers: {
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        accept: 'application/json',
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    const place = `Restate at ${withoutSecrets(url)}`;
    if (limit.aborted) throw engineUnavailable('timeout', `${place} did not answer within ${timeoutMs} ms.`, error);
    throw engineUnavailable('unreachable', `${place} cannot be reached.`, causeOf(url, error));
  }
};
