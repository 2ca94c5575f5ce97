/** Owns how the gateway is asked: the token, JSON, and what went wrong as a value. Never throws but for an abort. */
import { gone, type Problem, problemOf } from './problem.ts';
import { tokenOf } from './session-token.ts';

export type Answer<T> = { readonly data: T; readonly problem?: undefined } | { readonly data?: undefined; readonly problem: Problem };

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export const headersOf = (): Record<string, string> => {
  const token = tokenOf();
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
};

export async function request<T>(path: string, { method = 'GET', body, signal }: RequestOptions = {}): Promise<Answer<T>> {
  const response = await send(path, {
    method,
    headers: { accept: 'application/json', ...headersOf(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response === undefined) return { problem: gone };
  const told = await read(response, signal);
  if (!response.ok) return { problem: problemOf(response.status, told.value) };
  if (!told.read) return { problem: brokenAnswer(response.status) };
  return { data: told.value as T };
}

/** Nobody answering is an ordinary state of a page that outlives its gateway. */
async function send(path: string, init: RequestInit): Promise<Response | undefined> {
  try {
    return await fetch(path, { ...init, cache: 'no-store', credentials: 'omit' });
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause;
    return undefined;
  }
}

async function read(response: Response, signal: AbortSignal | undefined): Promise<{ readonly read: boolean; readonly value?: unknown }> {
  if (response.status === 204) return { read: true };
  try {
    return { read: true, value: await response.json() };
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    return { read: false };
  }
}

const brokenAnswer = (status: number): Problem => ({
  kind: 'broken',
  status,
  title: 'The answer cannot be read',
  detail: 'It is no JSON. Is this address behind a proxy that answers for the gateway?',
});
