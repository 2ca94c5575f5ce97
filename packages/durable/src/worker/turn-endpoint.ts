/** Owns what a worker answers to Restate, without the address that it listens at. */
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { createTurnService, type RestateService } from '../turns/turn-service.ts';
import type { TurnServiceOptions } from '../turns/turn-service-options.ts';
import { Connections } from './connections.ts';
import { checkNodeVersion } from './node-version.ts';
import { createLogTransport, type WorkerLog } from './worker-log.ts';

/** Settings of a worker's endpoint: the turn service, further services and who may send requests. */
export interface TurnEndpointOptions extends TurnServiceOptions {
  /** What else the worker offers to Restate. @default nothing */
  readonly services?: readonly RestateService[];
  /** Public keys of the Restate servers that may ask; with none, anyone who reaches the address may. @default none */
  readonly identityKeys?: readonly string[];
  /** Hears what goes wrong between Restate and this worker. Must not throw. @default nobody */
  readonly onLog?: WorkerLog;
}

/** Answers Restate's requests on an HTTP/2 server of yours. */
export interface TurnEndpoint {
  /** For a server made by `createServer` of `node:http2`. Its paths are `/discover`, `/invoke/…` and `/health`. */
  handler(request: Http2ServerRequest, response: Http2ServerResponse): void;
  /** How many requests of Restate are under way: turns, mostly. */
  underWay(): number;
  /**
   * Has Restate begin nothing here any more, and waits for what is under way; what has not ended by the limit is cut and continues at another worker. Answers
   * whether all ended. Stop listening first, or Restate connects anew.
   */
  drain(limitMs: number): Promise<boolean>;
}

const KEY_BEGINS = 'publickeyv1_';

const checkIdentityKeys = (keys: readonly string[]): void => {
  const wrong = keys.findIndex((key) => !key.startsWith(KEY_BEGINS));
  if (wrong < 0) return;
  throw new RangeError(
    `identityKeys[${wrong}] = ${JSON.stringify(keys[wrong])} is no public key of Restate. Take what its server logs at its start: ${KEY_BEGINS}….`,
  );
};

const ignore = (): void => undefined;

/**
 * Creates the endpoint through which Restate runs turns in this process. Does not listen: see `createTurnWorker`.
 * @throws Error on a Node that is too old. @throws RangeError when an option cannot be used.
 */
export const createTurnEndpoint = (options: TurnEndpointOptions): TurnEndpoint => {
  checkNodeVersion();
  const { services = [], identityKeys = [], onLog = ignore } = options;
  checkIdentityKeys(identityKeys);
  const connections = new Connections();
  const answer = createEndpointHandler({
    services: [createTurnService(options), ...services],
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
