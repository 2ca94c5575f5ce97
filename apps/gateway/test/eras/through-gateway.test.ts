/** A host of each era and a server of each era, over stdio and HTTP, with the gateway between them. */
import { afterAll, beforeAll, describe } from 'vitest';
import type { Era } from '../fixtures/client/raw-client.ts';
import { startGateway, stdioGateway, writeWords, type GatewayInProcess } from '../fixtures/gateway.ts';
import { inFrontOf, programServer, urlServer } from '../fixtures/manifests.ts';
import { referenceProgram } from '../fixtures/programs.ts';
import { startReferenceServer, type ReferenceHttpServer } from '../fixtures/reference/http.ts';
import { connectHost, type SdkHost } from '../fixtures/sdk-hosts.ts';
import { testHostAndServer } from './shared-tests.ts';

const pairs: readonly (readonly [Era, Era])[] = [
  ['legacy', 'legacy'],
  ['legacy', 'modern'],
  ['modern', 'legacy'],
  ['modern', 'modern'],
];

describe.for(pairs)('a %s host and a %s server, over stdio', ([hostEra, serverEra]) => {
  let host: SdkHost;
  beforeAll(async () => {
    const manifest = await writeWords(inFrontOf(programServer(referenceProgram, { ERA: serverEra })));
    host = await connectHost(hostEra, { ...stdioGateway(manifest), environment: { PATH: process.env['PATH'] ?? '' } });
  });
  afterAll(async () => await host[Symbol.asyncDispose]());
  testHostAndServer({ host: () => host });
});

describe.for(pairs)('a %s host and a %s server, over HTTP', ([hostEra, serverEra]) => {
  let server: ReferenceHttpServer;
  let gateway: GatewayInProcess;
  let host: SdkHost;
  beforeAll(async () => {
    server = await startReferenceServer(serverEra);
    gateway = await startGateway(inFrontOf(urlServer(server.url)));
    host = await connectHost(hostEra, { url: gateway.url });
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  testHostAndServer({ host: () => host });
});
