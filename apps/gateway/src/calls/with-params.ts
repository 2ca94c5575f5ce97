/** Owns a request of a client with other params. */
import type { ClientRequest, JsonObject } from '@holdfast/mcp-wire/server';

/** Its methods belong to the given request. */
export const withParams = (given: ClientRequest, params: JsonObject): ClientRequest => ({
  id: given.id,
  method: given.method,
  params,
  client: given.client,
  signal: given.signal,
  logLevel: given.logLevel,
  wantsProgress: given.wantsProgress,
  reportProgress: (progress) => given.reportProgress(progress),
  notify: (method, notified) => given.notify(method, notified),
  ask: (method, asked, signal) => given.ask(method, asked, signal),
});
