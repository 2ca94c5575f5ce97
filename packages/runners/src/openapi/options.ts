/** Owns the options of `openapiTools` and their checks. */
import type { AddressRule } from '../http/address-rules.ts';
import { checkHost } from '../http/hosts.ts';
import type { ResolveHost } from '../http/lookup.ts';
import { checkedHeaders, connectionSettings } from '../http/options.ts';
import { count, flag, misuse, onlyFields, optionalFunction, text, texts } from '../options/fields.ts';
import type { TextOrSecret } from '../options/secret.ts';

/** A problem of the document: an operation cannot become a tool, or will not work. */
export interface OpenapiProblem {
  /** Id of the operation. Absent for the document. */
  readonly operation?: string;
  /** The problem and its consequence, in one sentence. */
  readonly message: string;
}

/** The API that the tools call, and how. */
export interface OpenapiOptions {
  /** The document, JSON or YAML: OpenAPI 3.0 or 3.1. References may point only to files in its folder. */
  readonly spec: string;
  /** Name of the API in messages. @default the file's name */
  readonly name?: string;
  /** Address of the API. Its query, if it has one, is sent with each request. @default the first server of the document */
  readonly baseUrl?: string;
  /** Headers of each request, such as `{ authorization: { env: 'TOKEN', prefix: 'Bearer ' } }`. They are no longer arguments of operations. @default {} */
  readonly headers?: Readonly<Record<string, TextOrSecret>>;
  /** Hosts that may be requested, including redirects. @default the host of the base URL */
  readonly allowedHosts?: readonly string[];
  /** To which addresses a host name may resolve; see `httpRunner`. @default 'network' */
  readonly addresses?: AddressRule;
  /** Resolves a name to addresses. @default the system's resolver */
  readonly resolveHost?: ResolveHost;
  /** Redirects that a request follows. @default 5 */
  readonly maxRedirects?: number;
  /** A larger response (after decompression) rejects with `OUTPUT_TOO_LARGE`. @default 10485760 */
  readonly maxResponseBytes?: number;
  /** Header that carries the idempotency key, the same for every attempt of a call; not sent with GET, HEAD and OPTIONS. @default 'Idempotency-Key' */
  readonly idempotencyHeader?: string | false;
  /** @default 10000 */
  readonly connectTimeoutMs?: number;
  /** Whether tools get the schema of the successful JSON response as `output`. @default false */
  readonly outputSchemas?: boolean;
  /** Size of the document with all files it refers to. @default 33554432 */
  readonly maxSpecBytes?: number;
  /** Whether an operation becomes a tool, by its id. @default all */
  readonly isWanted?: (operation: string) => boolean;
  /** Further operations are left out. @default 2000 */
  readonly maxOperations?: number;
  /** Called for each problem of the document. @default none */
  readonly onProblem?: (problem: OpenapiProblem) => void;
}

export type OpenapiSettings = Required<Omit<OpenapiOptions, 'baseUrl' | 'allowedHosts' | 'resolveHost'>> & {
  readonly baseUrl: URL | undefined;
  readonly allowedHosts: readonly string[] | undefined;
  readonly resolveHost: ResolveHost | undefined;
};

const known = [
  'spec',
  'name',
  'baseUrl',
  'headers',
  'allowedHosts',
  'addresses',
  'resolveHost',
  'maxRedirects',
  'maxResponseBytes',
  'idempotencyHeader',
  'connectTimeoutMs',
  'outputSchemas',
  'maxSpecBytes',
  'maxOperations',
  'isWanted',
  'onProblem',
];

export function openapiSettings(options: OpenapiOptions): OpenapiSettings {
  const owner = 'openapiTools';
  onlyFields(owner, options, known);
  const spec = text(`${owner}: spec`, options.spec, 'give the path of a file');
  const allowedHosts = options.allowedHosts === undefined ? undefined : texts(`${owner}: allowedHosts`, options.allowedHosts, []);
  allowedHosts?.forEach((allowed, index) => checkHost(`${owner}: allowedHosts[${index}]`, allowed));
  return {
    spec,
    name: options.name === undefined ? (spec.split(/[/\\]/).at(-1) ?? spec) : text(`${owner}: name`, options.name),
    baseUrl: options.baseUrl === undefined ? undefined : baseUrl(`${owner}: baseUrl`, options.baseUrl),
    headers: checkedHeaders(`${owner}: headers`, options.headers),
    allowedHosts,
    ...connectionSettings(owner, options),
    outputSchemas: flag(`${owner}: outputSchemas`, options.outputSchemas, false),
    maxSpecBytes: count(`${owner}: maxSpecBytes`, options.maxSpecBytes, 32 * 1024 * 1024, 1),
    maxOperations: count(`${owner}: maxOperations`, options.maxOperations, 2000, 1),
    isWanted: optionalFunction(`${owner}: isWanted`, options.isWanted) ?? (() => true),
    onProblem: optionalFunction(`${owner}: onProblem`, options.onProblem) ?? (() => {}),
  };
}

function baseUrl(field: string, value: unknown): URL {
  const hint = 'give an http or https URL without user or password';
  const source = text(field, value, hint);
  const url = URL.canParse(source) ? new URL(source) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw misuse(field, url === undefined ? source : `${url.protocol}//${url.host}`, hint);
  return url;
}
