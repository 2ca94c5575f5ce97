/**
 * The required sets of the conformance suite for both revisions, at a gateway in front of the reference server, over each transport and in each era: it passes
 * every check that the server alone passes. Exceptions because of the server's era are listed with reasons in `expected-failures.ts`.
 */
import { describe, expect, test } from 'vitest';
import { startGateway, type GatewayInProcess } from '../fixtures/gateway.ts';
import { inFrontOf, programServer, urlServer } from '../fixtures/manifests.ts';
import { referenceProgram } from '../fixtures/programs.ts';
import { startReferenceServer } from '../fixtures/reference/http.ts';
import { expectedFailures } from './expected-failures.ts';
import { judgeServer, missing, type CheckOutcome, type Revision } from './server-suite.ts';

const revisions: readonly Revision[] = ['2025-11-25', '2026-07-28'];
const upstreamEras = ['legacy', 'modern'] as const;

/** The server alone is checked once per revision. */
const alone = new Map<Revision, Promise<readonly CheckOutcome[]>>();
async function yardstick(revision: Revision): Promise<readonly CheckOutcome[]> {
  const judge = async (): Promise<readonly CheckOutcome[]> => {
    await using server = await startReferenceServer('both');
    return await judgeServer(server.url, revision);
  };
  const known = alone.get(revision) ?? judge();
  alone.set(revision, known);
  return await known;
}

/** All checks that the server alone passes must pass, except the expected failures, which must fail. */
async function expectAsGood(gateway: GatewayInProcess, revision: Revision, expected: readonly string[]): Promise<void> {
  const [wanted, seen] = [await yardstick(revision), await judgeServer(gateway.url, revision)];
  const lacks = missing(wanted, seen);
  expect(lacks.filter((lack) => !expected.some((check) => lack.startsWith(check)))).toEqual([]);
  expect(lacks).toHaveLength(expected.length);
}

describe.for(upstreamEras)('in front of a %s server', (era) => {
  test.concurrent.for(revisions)('over stdio: %s', { timeout: 120_000 }, async (revision) => {
    await using gateway = await startGateway(inFrontOf(programServer(referenceProgram, { ERA: era })));
    await expectAsGood(gateway, revision, expectedFailures(revision, era));
  });

  test.concurrent.for(revisions)('over HTTP: %s', { timeout: 120_000 }, async (revision) => {
    await using server = await startReferenceServer(era);
    await using gateway = await startGateway(inFrontOf(urlServer(server.url)));
    await expectAsGood(gateway, revision, expectedFailures(revision, era));
  });
});

test.concurrent.for(revisions)('in front of a server that speaks both eras, over HTTP: %s', { timeout: 120_000 }, async (revision) => {
  await using server = await startReferenceServer('both');
  await using gateway = await startGateway(inFrontOf(urlServer(server.url)));
  await expectAsGood(gateway, revision, expectedFailures(revision, 'modern'));
});
