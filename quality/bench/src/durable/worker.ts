/**
 * A program: one worker, of Holdfast or written by hand, on a free loopback port, which it reports to its parent.
 * Its name decides whether journals of finished turns are kept.
 */
import { once } from 'node:events';
import { createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { createTurnEndpoint } from '@holdfast/durable';
import { byHand } from './by-hand.ts';
import { tools } from './tools.ts';

interface Inputs {
  readonly flights: unknown;
  readonly prices: unknown;
  readonly seats: unknown;
}

const [kind = '', serviceName = '', retention = '0'] = process.argv.slice(2);
const journalRetentionMs = Number(retention);

const makers = {
  'by-hand': () => createEndpointHandler({ services: [byHand(serviceName, journalRetentionMs)] }),
  holdfast: () => {
    const service = new ToolExecutionService({
      tools: [
        defineTool({ name: 'search', run: () => tools.search() }),
        defineTool({ name: 'prices', run: ({ flights }: Inputs) => tools.prices(flights) }),
        defineTool({ name: 'seats', run: ({ flights }: Inputs) => tools.seats(flights) }),
        defineTool({ name: 'itinerary', run: ({ prices, seats }: Inputs) => tools.itinerary(prices, seats) }),
      ],
    });
    const endpoint = createTurnEndpoint({ service, serviceName, journalRetentionMs });
    return (request: Http2ServerRequest, response: Http2ServerResponse) => endpoint.handler(request, response);
  },
} as const;

const make = makers[kind as keyof typeof makers];
const server = createServer(make());
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
process.on('disconnect', () => process.exit(0));
