/** Sends requests to the gateway with the token, and returns JSON or a problem. Throws only if aborted. */
import { gone, type Problem, problemOf } from './problem.ts';
import { tokenOf } from './session-token.ts';

export type Answer<T> = { readonly data: T; readonly problem?: undefined } | { readonly data?: undefined; readonly problem: Problem };

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Whether the browser keeps the cookies of the response. @default false */
  readonly takesCookies?: boolean;
}

export const headersOf = (): Record<string, string> => {
  const token = tokenOf();
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
};

export async function request<T>(
  path: string,
  { method = 'GET', body, signal, takesCookies = false }: RequestOptions = {},
): Promise<Answer<T>> {
  const response = await send(path, {
    method,
    credentials: takesCookies ? 'same-origin' : 'omit',
    headers: { accept: 'application/json', ...headersOf(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response === undefined) return { problem: gone };
  const parsed = await readJson(response, signal);
  if (!response.ok) return { problem: problemOf(response.status, parsed.value) };
  if (!parsed.ok) return { problem: unreadableResponse(response.status) };
  return { data: parsed.value as T };
}

/** No response is a normal state, since the page outlives gateway restarts. */
async function send(path: string, init: RequestInit): Promise<Response | undefined> {
  try {
    return await fetch(path, { ...init, cache: 'no-store' });
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause;
    return undefined;
  }
}

async function readJson(response: Response, signal: AbortSignal | undefined): Promise<{ readonly ok: boolean; readonly value?: unknown }> {
  if (response.status === 204) return { ok: true };
  try {
    return { ok: true, value: await response.json() };
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    return { ok: false };
  }
}

const unreadableResponse = (status: number): Problem => ({
  kind: 'broken',
  status,
  title: 'The response cannot be read',
  detail: 'It is not JSON. Is there a proxy in front of the gateway that responds instead?',
});
