/** Owns which scenarios of the official MCP conformance suite judge the gateway's logins at servers: all of both revisions, and all of the extensions. */

export type Revision = '2025-11-25' | '2026-07-28' | 'extension';

export interface Scenario {
  /** Without `auth/`. */
  readonly name: string;
  readonly revision: Revision;
}

const both = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
] as const;
const modern = [
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
] as const;
const extensions = [
  'client-credentials-basic',
  'client-credentials-jwt',
  'wif-jwt-bearer',
  'enterprise-managed-authorization',
  'dpop',
  'dpop-nonce',
] as const;

const of = (names: readonly string[], revision: Revision): readonly Scenario[] => names.map((name) => ({ name, revision }));

export const scenarios: readonly Scenario[] = [
  ...of(both, '2025-11-25'),
  ...of([...both, ...modern], '2026-07-28'),
  ...of(extensions, 'extension'),
];
