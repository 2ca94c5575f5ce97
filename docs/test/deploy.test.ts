/** What a fleet is deployed from: the files fit together, and to what the tests run. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem, parseManifest } from '@holdfast/manifest';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from './pages.ts';

const folder = join(root, 'deploy');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

interface Service {
  readonly image?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly command?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: object;
  readonly volumes: object;
}

const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const services = Object.entries(compose.services);
const balancer = read('haproxy.cfg');
const { manifest, problems } = parseManifest(read('holdfast.yaml'), { file: 'deploy/holdfast.yaml', purpose: 'run' });
const text = JSON.stringify(manifest);

describe('compose.yaml', () => {
  test.each(services)('%s: image, networks, volumes and dependencies are there', (_name, service) => {
    expect(service.image).toMatch(/^[a-z/]+:\d+\.\d+(\.\d+)?$/);
    for (const network of service.networks ?? []) expect(compose.networks).toHaveProperty(network);
    for (const dependency of Object.keys(service.depends_on ?? {})) expect(compose.services).toHaveProperty([dependency]);
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      expect(source.startsWith('./') ? existsSync(join(folder, source)) : Object.hasOwn(compose.volumes, source), volume).toBe(true);
    }
  });

  test('only the gateway is reached from outside, on loopback', () => {
    expect(services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))).toEqual([['gateway', '127.0.0.1:7340:7340']]);
  });

  test('the engine is the one that the tests run', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'packages/durable/package.json'), 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const nodes = services.filter(([name]) => name.startsWith('restate'));
    expect(nodes.map(([, { image }]) => image)).toEqual(
      nodes.map(() => `restatedev/restate:${devDependencies['@restatedev/restate-server']}`),
    );
    expect(nodes.filter(([, { environment }]) => environment?.['RESTATE_AUTO_PROVISION'] === 'true')).toHaveLength(1);
    expect(new Set(nodes.map(([, { environment }]) => environment?.['RESTATE_ADVERTISED_ADDRESS'])).size).toBe(3);
    const others = nodes.map(([, { environment }]) => environment?.['RESTATE_METADATA_CLIENT__ADDRESSES']);
    expect(JSON.parse(others[0] ?? '')).toEqual(nodes.map(([, { environment }]) => environment?.['RESTATE_ADVERTISED_ADDRESS']));
  });
});

describe('holdfast.yaml', () => {
  test('is a manifest', () => {
    expect(problems.filter(({ severity }) => severity === 'error').map((problem) => formatProblem(problem))).toEqual([]);
  });

  test('has one circuit per tool for the whole fleet', () => {
    expect(manifest?.sharedCircuits).toBe('postgres');
  });

  test('names one address for all workers, and the balancer listens there', () => {
    for (const url of ['http://balancer:9080', 'http://balancer:8080', 'http://balancer:9070']) {
      expect(text).toContain(url);
      expect(balancer).toContain(`bind :${url.split(':').at(-1)}`);
    }
  });
});

test('the balancer speaks HTTP/2 with engine and workers, and asks the workers for their health', () => {
  expect(balancer).toMatch(/frontend turns\n {2}bind :9080 proto h2/);
  expect(balancer).toMatch(/backend workers\n {2}default-server proto h2 check/);
  expect(balancer).toContain('uri /readyz');
});
