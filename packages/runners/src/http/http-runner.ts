/**
 * Runs a tool as an HTTP request.
 *
 * Invariants
 * 1. Connections are kept and used again; `close` destroys them.
 * 2. The client is loaded at the first call, or by `load`.
 * 3. An aborted call settles when its connection is destroyed. What the server does then is out of reach.
 */
import type { Runner } from '@holdfast/core';
import { lifespan } from '../lifespan.ts';
import type { LoadableRunner } from '../load.ts';
import type * as clientModule from './client.ts';
import type { HttpClient } from './client.ts';
import { buildRequest } from './build-request.ts';
import { type HttpRunnerOptions, httpSettings } from './options.ts';
import { readResponse } from './read-response.ts';
import { send } from './send.ts';

/**
 * Sends one request per call. Another status than success rejects with `HTTP_STATUS` and `status`, `headers` (such as `retry-after`)
 * and `body` (the first 4 kB, parsed when JSON); a network error rejects as it is, with its `code` and `cause`. Further codes:
 * `INVALID_RESPONSE`, `OUTPUT_TOO_LARGE`, `REDIRECT_FORBIDDEN`, `TOO_MANY_REDIRECTS`, `INVALID_ARGUMENT`, `SECRET_MISSING`, `RUNNER_CLOSED`.
 * @throws TypeError when an option is misused
 */
export function httpRunner(options: HttpRunnerOptions): LoadableRunner {
  const settings = httpSettings(options);
  const life = lifespan(`httpRunner (${settings.url})`);
  let client: HttpClient | undefined;
  const loaded = (): Promise<typeof clientModule> => import('./client.ts');
  const clientOf = async (signal: AbortSignal): Promise<HttpClient> => {
    const { httpClient } = await loaded();
    // Nothing may be opened behind `close`.
    signal.throwIfAborted();
    return (client ??= httpClient(settings.connectTimeoutMs));
  };

  const run: Runner<unknown> = (args, context) =>
    life.during(context.signal, async (signal) => {
      const request = buildRequest(settings, args, context);
      try {
        const { agent, during } = await clientOf(signal);
        return await during(async () => readResponse(settings, await send(agent, settings, request, signal)));
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      }
    });
  const close = async (): Promise<void> => {
    await life.close();
    await client?.destroy();
  };
  return Object.assign(run, { kind: 'http' as const, close, load: async () => void (await loaded()) });
}
