/**
 * A collector's OTLP/HTTP endpoint on loopback, strict about the JSON mapping of protobuf: it knows every field and rejects unknown ones, like
 * collectors with strict decoding.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

type Check = (value: unknown, path: string) => void;

function fail(path: string, wanted: string, value: unknown): never {
  throw new Error(`${path}: wanted ${wanted}, got ${JSON.stringify(value)}`);
}

const matching =
  (pattern: RegExp, wanted: string): Check =>
  (value, path) => {
    if (typeof value !== 'string' || !pattern.test(value)) fail(path, wanted, value);
  };
const text: Check = matching(/^/, 'a string');
const hex = (bytes: number): Check => matching(new RegExp(`^(?!0+$)[0-9a-f]{${bytes * 2}}$`), `${bytes} bytes in hex, not all zero`);
const fixed64: Check = (value, path) => {
  if (typeof value !== 'string' || !/^\d+$/.test(value) || BigInt(value) >= 2n ** 64n) fail(path, 'a 64-bit number as a string', value);
};
const int64: Check = matching(/^-?\d+$/, 'a 64-bit number as a string');
const uint32: Check = (value, path) => {
  if (!Number.isInteger(value) || (value as number) < 0) fail(path, 'a whole number', value);
};
const double: Check = (value, path) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) fail(path, 'a number', value);
};
const bool: Check = (value, path) => {
  if (typeof value !== 'boolean') fail(path, 'true or false', value);
};
const listOf =
  (check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value)) fail(path, 'a list', value);
    for (const [index, item] of (value as unknown[]).entries()) check(item, `${path}[${index}]`);
  };
const message =
  (fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(path, 'an object', value);
    for (const name of required) if (!Object.hasOwn(value as object, name)) fail(`${path}.${name}`, 'a value', undefined);
    for (const [name, field] of Object.entries(value as object))
      (fields[name] ?? fail(`${path}.${name}`, 'no such field', field))(field, `${path}.${name}`);
  };
const anyValue: Check = (value, path) => {
  message({ stringValue: text, boolValue: bool, intValue: int64, doubleValue: double, arrayValue: message({ values: listOf(anyValue) }) })(
    value,
    path,
  );
  if (Object.keys(value as object).length !== 1) fail(path, 'exactly one kind of value', value);
};
const attributes = listOf(message({ key: matching(/./, 'a name'), value: anyValue }, ['key', 'value']));
const status: Check = (value, path) => {
  message({ code: uint32, message: text })(value, path);
  if (![0, 1, 2].includes((value as { code: number }).code)) fail(`${path}.code`, '0, 1 or 2', value);
};
const span = message(
  {
    traceId: hex(16),
    spanId: hex(8),
    parentSpanId: hex(8),
    traceState: text,
    flags: uint32,
    name: matching(/./, 'a name'),
    kind: uint32,
    startTimeUnixNano: fixed64,
    endTimeUnixNano: fixed64,
    attributes,
    events: listOf(message({ timeUnixNano: fixed64, name: matching(/./, 'a name'), attributes }, ['timeUnixNano', 'name'])),
    links: listOf(message({ traceId: hex(16), spanId: hex(8), attributes }, ['traceId', 'spanId'])),
    status,
  },
  ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano'],
);
const scopeSpans = message({ scope: message({ name: text, version: text }), spans: listOf(span), schemaUrl: text }, ['spans']);
const resourceSpans = message({ resource: message({ attributes }), scopeSpans: listOf(scopeSpans), schemaUrl: text }, ['scopeSpans']);
const exportRequest = message({ resourceSpans: listOf(resourceSpans) }, ['resourceSpans']);

export interface Collector {
  readonly url: string;
  readonly received: readonly unknown[];
}

export async function startCollector(): Promise<Collector> {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method !== 'POST' || request.url !== '/v1/traces') return answer(404, {});
    if (request.headers['content-type'] !== 'application/json') return answer(415, {});
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        exportRequest(body, 'request');
        received.push(body);
        answer(200, { partialSuccess: {} });
      } catch (error) {
        answer(400, { code: 3, message: String(error) });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, received };
}
