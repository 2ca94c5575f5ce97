/** Owns the headers that requests of tools get from outside: those of the trace that an attempt belongs to. */
import { AsyncLocalStorage } from 'node:async_hooks';

const outgoing = new AsyncLocalStorage<Readonly<Record<string, string>>>();

/**
 * Runs the work so that its requests have these headers: HTTP tools send them, unless the tool sets the header itself, and MCP servers get them in `_meta`.
 * For `traceparent` and `tracestate`.
 */
export const withOutgoingHeaders = <Result>(headers: Readonly<Record<string, string>>, work: () => Result): Result =>
  outgoing.run(headers, work);

/** The headers for a request that is sent now. */
export const outgoingHeaders = (): Readonly<Record<string, string>> => outgoing.getStore() ?? none;

const none: Readonly<Record<string, string>> = {};
