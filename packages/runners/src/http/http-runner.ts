/**
 * Runs a tool as an HTTP request built from templates.
 *
 * Invariants
 * 1. Connections are kept alive and reused; `close` destroys them.
 * 2. The client is loaded at the first call, or by `load`.
 */
import type { LoadableRunner } from '../load.ts';
import { buildRequest } from './build-request.ts';
import { connections } from './connections.ts';
import { type HttpRunnerOptions, httpSettings } from './options.ts';
import { requestRunner } from './request-runner.ts';

/**
 * Sends one request per call. A status that is not success rejects with `HTTP_STATUS` and `status`, `headers` (such as `retry-after`)
 * and `body` (the first 4 kB, parsed if JSON). A network error rejects unchanged, with its `code` and `cause`. Further codes:
 * `INVALID_RESPONSE`, `OUTPUT_TOO_LARGE`, `REDIRECT_FORBIDDEN`, `ADDRESS_FORBIDDEN`, `TOO_MANY_REDIRECTS`, `INVALID_ARGUMENT`, `SECRET_MISSING`,
 * `RUNNER_CLOSED`.
 * @throws TypeError for an invalid option
 */
export function httpRunner(options: HttpRunnerOptions): LoadableRunner {
  const settings = httpSettings(options);
  return requestRunner({
    owner: `httpRunner (${settings.url})`,
    settings,
    connections: connections(settings),
    build: (args, context) => buildRequest(settings, args, context),
  });
}
