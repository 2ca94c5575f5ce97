/** Hosts and the reference server of the same era without a gateway: the reference for a gateway between them. */
import { afterAll, beforeAll, describe } from 'vitest';
import { referenceProgram } from '../fixtures/programs.ts';
import { startReferenceServer, type ReferenceHttpServer } from '../fixtures/reference/http.ts';
import { connectHost, type SdkHost } from '../fixtures/sdk-hosts.ts';
import type { Era } from '../fixtures/client/raw-client.ts';
import { testHostAndServer } from './shared-tests.ts';

const eras: readonly Era[] = ['legacy', 'modern'];

describe.for(eras)('%s over stdio', (era) => {
  let host: SdkHost;
  beforeAll(async () => {
    host = await connectHost(era, { ...referenceProgram, environment: { ERA: era, PATH: process.env['PATH'] ?? '' } });
  });
  afterAll(async () => await host[Symbol.asyncDispose]());
  testHostAndServer({ host: () => host });
});

describe.for(eras)('%s over HTTP', (era) => {
  let server: ReferenceHttpServer;
  let host: SdkHost;
  beforeAll(async () => {
    server = await startReferenceServer(era);
    host = await connectHost(era, { url: server.url });
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  testHostAndServer({ host: () => host });
});
