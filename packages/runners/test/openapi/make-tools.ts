import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type OpenapiOptions, type OpenapiProblem, type OpenapiTool, openapiTools } from '../../src/index.ts';

let count = 0;
let folder: Promise<string> | undefined;

/** A folder for the files of a test. */
export const testFolder = (): Promise<string> => (folder ??= mkdtemp(join(tmpdir(), 'holdfast-openapi-')));

export async function removeTestFolder(): Promise<void> {
  if (folder) await rm(await folder, { recursive: true, force: true });
}

export interface Made {
  readonly tools: readonly OpenapiTool[];
  readonly problems: readonly OpenapiProblem[];
}
export type Files = Readonly<Record<string, unknown>>;

/** Writes `api.yaml` (or other files) into a new folder and reads it. */
export async function makeTools(document: unknown, files: Files = {}, options: Partial<OpenapiOptions> = {}): Promise<Made> {
  const own = join(await testFolder(), `api-${++count}`);
  for (const [name, content] of Object.entries({ 'api.yaml': document, ...files })) {
    const path = join(own, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  const problems: OpenapiProblem[] = [];
  const tools = await openapiTools({ spec: join(own, 'api.yaml'), onProblem: (problem) => problems.push(problem), ...options });
  return { tools, problems };
}
export const responses = { 200: { description: 'ok' } };
export const head = { openapi: '3.1.0', info: { title: 't', version: '1' }, servers: [{ url: 'http://127.0.0.1:1/api' }] };
export const get = (operation: object): object => ({ ...head, paths: { '/x': { get: { operationId: 'x', responses, ...operation } } } });
export const body = (schema: unknown): object => ({ requestBody: { required: true, content: { 'application/json': { schema } } } });
export const inputOf = ({ tools }: Made): Readonly<Record<string, unknown>> => tools[0]?.input ?? {};
