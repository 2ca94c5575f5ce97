/**
 * Owns reading an OpenAPI document: one tree in which every reference points inside.
 *
 * Invariants
 * 1. Nothing is fetched, and no file outside the document's folder is read, not even through symbolic links.
 * 2. Size, depth and number of nodes are limited.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecord } from '@holdfast/core/internal/plain';
import { codeOf, messageOf, runnerError } from '../runner-error.ts';
import { survey } from './survey.ts';

export type Plain = Readonly<Record<string, unknown>>;

export interface OpenapiDocument {
  readonly root: Plain;
  /** Schemas of 3.0 have their own keywords. */
  readonly version: '3.0' | '3.1';
}

export async function readDocument(spec: string, maxBytes: number): Promise<OpenapiDocument> {
  const { default: RefParser } = await import('@apidevtools/json-schema-ref-parser');
  const path = resolve(spec);
  const files = fileReader(path, maxBytes);
  const options = { resolve: { http: false, file: { order: 1, read: files.read } } } as const;
  const throwUnusable = (error: unknown): never => unusable(spec, files.refusal() ?? plainMessage(messageOf(error)));
  const parsed: unknown = await new RefParser().parse(path, options).catch(throwUnusable);
  if (!isRecord(parsed)) return unusable(spec, 'it is not an object');
  const version = versionOf(spec, parsed);
  const { flaw, outside } = survey(parsed);
  if (flaw !== undefined) return unusable(spec, flaw);
  if (outside.length === 0) return { root: parsed, version };
  const remote = outside.find((reference) => /^(?!file:)[a-z][a-z0-9+.-]+:/i.test(reference));
  if (remote !== undefined) return unusable(spec, `it refers to ${remote}, but references may only point to files in its folder`);
  const bundled: unknown = await new RefParser().bundle(path, parsed, options).catch(throwUnusable);
  const second = survey(bundled);
  return second.flaw === undefined && isRecord(bundled) ? { root: bundled, version } : unusable(spec, second.flaw ?? 'it is not an object');
}

function versionOf(spec: string, root: Plain): OpenapiDocument['version'] {
  const { openapi, swagger } = root;
  if (typeof openapi === 'string' && /^3\.0(?:\.|$)/.test(openapi)) return '3.0';
  if (typeof openapi === 'string' && /^3\.[12](?:\.|$)/.test(openapi)) return '3.1';
  if (swagger !== undefined) return unusable(spec, `it is Swagger ${JSON.stringify(swagger)}: convert it to OpenAPI 3`);
  return unusable(
    spec,
    openapi === undefined ? "it has no 'openapi'" : `its version is ${JSON.stringify(openapi)}, but only 3.0 and 3.1 are supported`,
  );
}

interface FileReader {
  readonly read: (file: { readonly url: string }) => Promise<Buffer>;
  /** Why a file was not read: the parser hides the error. */
  readonly refusal: () => string | undefined;
}

/** Reads files of the document's folder, up to a total number of bytes. */
function fileReader(document: string, maxBytes: number): FileReader {
  let left = maxBytes;
  let refusal: string | undefined;
  const refuse = (reason: string): never => {
    refusal ??= reason;
    throw new TypeError(reason);
  };
  const read = async (path: string): Promise<Buffer> => {
    const folder = await realpath(dirname(document));
    const real = await realpath(path);
    if (path !== document && !real.startsWith(folder + sep)) return refuse(`${path} is not in the document's folder`);
    const { size } = await stat(real);
    left -= size;
    return left < 0 ? refuse(`it has more than ${maxBytes} bytes`) : readFile(real);
  };
  return {
    refusal: () => refusal,
    read: async ({ url }) => {
      const path = resolve(pathOf(url));
      // The message must not reveal whether a file outside exists.
      if (!path.startsWith(dirname(document) + sep)) return refuse(`${path} is not in the document's folder`);
      return read(path).catch((error: unknown) => refuse(codeOf(error) === 'ENOENT' ? `there is no file ${path}` : messageOf(error)));
    },
  };
}

function pathOf(url: string): string {
  if (url.startsWith('file:')) return fileURLToPath(url);
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/** The parser reads every file as a schema. */
const plainMessage = (message: string): string => (message.endsWith('is not a valid JSON Schema') ? 'it is not an object' : message);

/** @throws always */
function unusable(spec: string, reason: string): never {
  throw runnerError('OPENAPI_DOCUMENT', `${spec} is not a usable OpenAPI document: ${reason}`);
}
