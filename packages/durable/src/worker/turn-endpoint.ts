/** Owns the endpoint of a worker for Restate. Does not own the server that listens. */
import { checkOptions, listOf, refuse, type Fields } from '@holdfast/core/internal/plain';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { createTurnService, type RestateService } from '../turns/turn-service.ts';
import { turnServiceFields, type TurnServiceOptions } from '../turns/turn-service-options.ts';
import { Connections } from './connections.ts';
import { checkNodeVersion } from './node-version.ts';
import { createLogTransport, type WorkerLog } from './worker-log.ts';

/** Settings of a worker's endpoint: the turn service, further services and the keys of callers. */
export interface TurnEndpointOptions extends TurnServiceOptions {
  /** Further services of the worker. @default none */
  readonly services?: readonly RestateService[];
  /** Public keys of the Restate servers that may send requests; with none, every client that reaches the address may. @default none */
  readonly identityKeys?: readonly string[];
  /** Receives log entries about Restate and this worker. Must not throw. @default none */
  readonly onLog?: WorkerLog;
}

/** Handles Restate's requests on your HTTP/2 server. */
export interface TurnEndpoint {
  /** For a server of `createServer` of `node:http2`. Its paths are `/discover`, `/invoke/…` and `/health`. */
  handler(request: Http2ServerRequest, response: Http2ServerResponse): void;
  /** Number of running requests of Restate: mostly turns. */
  underWay(): number;
  /**
   * Tells Restate to start no further request here and waits for the running ones. After the limit they are cut and continue on another worker. Resolves to
   * whether all ended. Stop listening first, or Restate reconnects.
   */
  drain(limitMs: number): Promise<boolean>;
}

const KEY_BEGINS = 'publickeyv1_';

/** The fields of the options, for the functions that pass them on. */
export const turnEndpointFields: Fields = {
  ...turnServiceFields,
  services: listOf('object', 'an array of services for Restate'),
  identityKeys: listOf((key, field) => {
    if (typeof key !== 'string' || !key.startsWith(KEY_BEGINS))
      refuse(field, key, `a public key of Restate, as its server logs at its start: ${KEY_BEGINS}…`, 'string');
  }, 'an array of public keys'),
  onLog: 'function',
};

const ignore = (): void => undefined;

/**
 * Creates the endpoint through which Restate runs turns in this process. Does not listen: see `createTurnWorker`.
 * @throws Error if Node is too old. @throws TypeError | RangeError for an invalid option.
 */
export const createTurnEndpoint = (options: TurnEndpointOptions): TurnEndpoint => {
  checkNodeVersion();
  checkOptions(turnEndpointFields, options, 'createTurnEndpoint', ['service']);
  const { services = [], identityKeys = [], onLog = ignore, ...own } = options;
  const connections = new Connections();
  const answer = createEndpointHandler({
    services: [createTurnService(own), ...services],
    logger: createLogTransport(onLog),
    ...(identityKeys.length === 0 ? {} : { identityKeys: [...identityKeys] }),
  });
  return {
    handler: (request, response) => {
      connections.enter(request);
      answer(request, response);
    },
    underWay: () => connections.underWay,
    drain: (limitMs) => connections.drain(limitMs),
  };
};
