/**
 * Runs a tool as an HTTP request that a function builds from the arguments.
 *
 * Invariants
 * 1. `close` aborts the running calls and leaves the connections.
 * 2. An aborted call settles when its connection is destroyed. The server may continue.
 */
import type { AttemptContext, Runner } from '@holdfast/core';
import { lifespan } from '../lifespan.ts';
import type { LoadableRunner } from '../load.ts';
import type { HttpRequest } from './build-request.ts';
import type { Connections } from './connections.ts';
import { type ReadSettings, readResponse } from './read-response.ts';
import { type SendSettings, send } from './send.ts';

export interface RequestRunnerParts {
  /** Name of the runner in the error of a call after `close`. */
  readonly owner: string;
  readonly settings: SendSettings & ReadSettings;
  readonly connections: Connections;
  readonly build: (args: unknown, context: AttemptContext) => HttpRequest;
}

export function requestRunner({ owner, settings, connections, build }: RequestRunnerParts): LoadableRunner {
  const life = lifespan(owner);
  const run: Runner<unknown> = (args, context) =>
    life.during(context.signal, async (signal) => {
      const request = build(args, context);
      try {
        const client = await connections.enter(life, signal);
        return await client.during(async () => readResponse(settings, await send(client, settings, request, signal)));
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      }
    });
  const close = async (): Promise<void> => {
    await life.close();
    await connections.leave(life);
  };
  return Object.assign(run, { kind: 'http' as const, close, load: connections.load });
}
