/** Options of `openapiTools` and their check. */
import type { AddressRule } from '../http/address-rules.ts';
import { checkHost } from '../http/hosts.ts';
import type { ResolveHost } from '../http/lookup.ts';
import { checkedHeaders, connectionSettings } from '../http/options.ts';
import { count, misuse, onlyFields, text, texts } from '../options/fields.ts';
import type { TextOrSecret } from '../options/secret.ts';

/** Something in the document that keeps an operation from being a tool, or from working. */
export interface OpenapiProblem {
  /** Absent: the whole document is meant. */
  readonly operation?: string;
  /** What is wrong and what follows from it, in one sentence. */
  readonly message: string;
}

/** Which API the tools call, and how. */
export interface OpenapiOptions {
  /** The document, JSON or YAML: OpenAPI 3.0 or 3.1. References lead only to files of its folder. */
  readonly spec: string;
  /** What the API is called in messages. @default the file's name */
  readonly name?: string;
  /** Where the API is. Its query, if it has one, is sent with each request. @default the first server of the document */
  readonly baseUrl?: string;
  /** Headers of each request, such as `{ authorization: { env: 'TOKEN', prefix: 'Bearer ' } }`. Operations do not ask for them any more. @default {} */
  readonly headers?: Readonly<Record<string, TextOrSecret>>;
  /** Hosts that may be asked, redirects included. @default the host of the base URL */
  readonly allowedHosts?: readonly string[];
  /** What a host's name may stand for; see `httpRunner`. @default 'network' */
  readonly addresses?: AddressRule;
  /** Finds the addresses of a name. @default the system's way */
  readonly resolveHost?: ResolveHost;
  /** Redirects that a request follows. @default 5 */
  readonly maxRedirects?: number;
  /** More than this (after decompression) ends the request and rejects with `OUTPUT_TOO_LARGE`. @default 10485760 */
  readonly maxResponseBytes?: number;
  /** Header that carries the idempotency key, the same for every attempt of a call; not sent with GET, HEAD and OPTIONS. @default 'Idempotency-Key' */
  readonly idempotencyHeader?: string | false;
  /** @default 10000 */
  readonly connectTimeoutMs?: number;
  /** Whether tools get the schema of the successful JSON answer as `output`. @default false */
  readonly outputSchemas?: boolean;
  /** Of the document with everything it refers to. @default 33554432 */
  readonly maxSpecBytes?: number;
  /** Which operations become tools, by their id; the others cost nothing. @default all */
  readonly isWanted?: (operation: string) => boolean;
  /** Further operations are left out. @default 2000 */
  readonly maxOperations?: number;
  /** Told what could not be made, or will not work. @default nobody */
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
    outputSchemas: options.outputSchemas === true,
    maxSpecBytes: count(`${owner}: maxSpecBytes`, options.maxSpecBytes, 32 * 1024 * 1024, 1),
    maxOperations: count(`${owner}: maxOperations`, options.maxOperations, 2000, 1),
    isWanted: options.isWanted ?? (() => true),
    onProblem: options.onProblem ?? (() => {}),
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
