/** Owns a worker: an endpoint that listens, registers with Restate and shuts down gracefully. */
import { checkOptions, delay, type Fields } from '@holdfast/core/internal/plain';
import { addressRule, headersRule } from '../engine/address-rule.ts';
import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { registerDeployment } from '../engine/register-deployment.ts';
import { createTurnEndpoint, turnEndpointFields, type TurnEndpointOptions } from './turn-endpoint.ts';

/** Where a worker listens for Restate. */
export interface ListenAddress {
  /** Restate must reach it. Every client that reaches it can run tools: see `identityKeys`. @default '127.0.0.1' */
  readonly host?: string;
  /** Port to listen on. @default 0: any free port */
  readonly port?: number;
}

/** How a worker registers itself with Restate when it starts. */
export interface WorkerRegistration {
  /** Restate's admin address, such as `http://127.0.0.1:9070`. */
  readonly adminUrl: string;
  /** Where Restate reaches the workers: the address of their load balancer. @default this worker's address */
  readonly url?: string;
  /** Sent to the admin address. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Settings of a worker: its endpoint, where it listens and how it registers and stops. */
export interface TurnWorkerOptions extends TurnEndpointOptions {
  /** Where this worker listens. @default a free port of 127.0.0.1 */
  readonly listen?: ListenAddress;
  /** Registers the workers' address with Restate. Once per address is enough. @default not registered */
  readonly register?: WorkerRegistration;
  /** How long `close` waits for running turns. @default 30000 */
  readonly drainMs?: number;
}

/** A process that listens for Restate and runs its turns. */
export interface TurnWorker {
  /** The address of this worker. */
  readonly url: string;
  /** The port that this worker listens on. */
  readonly port: number;
  /** Returns the number of running requests of Restate: mostly turns. */
  underWay(): number;
  /** Starts nothing new, waits for running turns and leaves the rest to other workers. Resolves to whether all ended. The service stays open. */
  close(): Promise<boolean>;
}

const formatAddress = ({ address, family, port }: AddressInfo): string => `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

const listen = async (server: Http2Server, { host = '127.0.0.1', port = 0 }: ListenAddress): Promise<AddressInfo> => {
  server.listen(port, host);
  await once(server, 'listening');
  // oxlint-disable-next-line no-unsafe-type-assertion -- it listens on a port, not on a path
  return server.address() as AddressInfo;
};

const workerFields: Fields = {
  ...turnEndpointFields,
  listen: { host: 'string', port: ['a port', 0, 65_535, true] },
  register: (value, field) => checkOptions({ adminUrl: addressRule, url: addressRule, headers: headersRule }, value, field, ['adminUrl']),
  drainMs: delay,
};

/** Starts a worker. Rejects if it cannot listen, and with the code `ENGINE_UNAVAILABLE` if Restate does not accept it. */
export const createTurnWorker = async (options: TurnWorkerOptions): Promise<TurnWorker> => {
  checkOptions(workerFields, options, 'createTurnWorker', ['service']);
  const { listen: place = {}, register, drainMs = 30_000, ...own } = options;
  const endpoint = createTurnEndpoint(own);
  const server = createServer((request, response) => endpoint.handler(request, response));
  const address = await listen(server, place);
  const url = formatAddress(address);
  let closed: Promise<boolean> | undefined;
  const close = (): Promise<boolean> => {
    server.close();
    return endpoint.drain(drainMs);
  };
  if (register !== undefined) {
    await registerDeployment({ url, ...register }).catch(async (error: unknown) => {
      await close();
      throw error;
    });
  }
  return { url, port: address.port, underWay: () => endpoint.underWay(), close: () => (closed ??= close()) };
};
