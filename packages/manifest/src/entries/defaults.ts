/** Owns the defaults of the gateway and of sources of tools. The tables print these values. */
import type { AlertRulesEntry, AlertsEntry, ReceiverEntry } from './alerts.ts';
import type { GatewayEntry, GatewayIssuer, ModelEntry, ModelProvider } from './gateway.ts';
import type { McpOfferEntry, McpServerAuth, McpServerEntry, OfferEntry, OpenapiEntry } from './upstream.ts';

type Plain = Readonly<Record<string, unknown>>;

/** Without the lock file, whose path depends on the manifest's folder. */
export const gatewayDefaults: Omit<GatewayEntry, 'lockFile'> = {
  listen: { host: '127.0.0.1', port: 7340 },
  tokens: [],
  groups: {},
  endpoints: {},
  allowedHosts: [],
  allowedOrigins: [],
  limits: {
    bodyBytes: 4 * 1024 * 1024,
    headerTimeoutMs: 10_000,
    bodyTimeoutMs: 30_000,
    connections: 2000,
    sessions: 1000,
    sessionIdleMs: 30 * 60_000,
    subscriptions: 1000,
    inFlight: 1000,
  },
  names: { separator: '__', maxLength: 64 },
  tools: 'all',
  pinnedTools: [],
  results: { maxBytes: 1_000_000, keepMs: 15 * 60_000, keepBytes: 256 * 1024 * 1024 },
  heartbeatMs: 10_000,
  inputTimeoutMs: 300_000,
  // With the time to end servers, less than the ten seconds that Docker gives by default.
  drainMs: 7_000,
  toolLock: 'block',
  audit: false,
  log: 'json',
  history: { retentionDays: 14 },
  reload: true,
  models: {},
};

/** Symmetric algorithms and `none` are never accepted. */
export const issuerDefaults: Pick<GatewayIssuer, 'algorithms' | 'scopes'> = {
  algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
  scopes: [],
};

export const alertsDefaults: AlertsEntry = {
  enabled: true,
  intervalMs: 15_000,
  rules: {},
  groupBy: [],
  groupWaitMs: 1_000,
  groupIntervalMs: 5 * 60_000,
  repeatIntervalMs: 4 * 3_600_000,
  receivers: [],
};

export const receiverDefaults: Pick<ReceiverEntry, 'headers' | 'sendResolved'> = { headers: {}, sendResolved: true };

/** The defaults of the rules; the tables print these values. */
export const alertRuleDefaults: Required<AlertRulesEntry> = {
  strict: false,
  failureRate: 0.05,
  executionTimeMs: 5_000,
  minimumCalls: 5,
  windowMs: 300_000,
};

export const lockFileName = 'holdfast.lock.json';

/** The base addresses of the official SDKs. The path after `/openai/v1`, `/anthropic` or `/gemini` is appended. */
export const modelBaseUrls: Readonly<Record<ModelProvider, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com',
};

export const modelDefaults: Omit<ModelEntry, 'baseUrl'> = { headers: {}, repair: true, validate: true };

export const offerDefaults: Omit<OfferEntry, 'prefix'> = { include: ['*'], exclude: [], defaults: {}, tools: {} };

export const mcpAuthDefaults: Pick<McpServerAuth, 'sendResource' | 'subjectTokenType'> = {
  sendResource: true,
  subjectTokenType: 'access_token',
};

export const mcpDefaults: Pick<McpOfferEntry, 'expose' | 'trustAnnotations' | 'isolation'> = {
  expose: true,
  trustAnnotations: true,
  isolation: 'shared',
};

/** Takes the section `gateway` in camelCase. */
export function gatewayEntry(given: Plain, resolvePath: (path: string) => string): GatewayEntry {
  const { models, auth, ...rest } = given;
  const sections = ['listen', 'limits', 'names', 'results'] as const;
  return {
    ...gatewayDefaults,
    lockFile: resolvePath(lockFileName),
    ...rest,
    ...Object.fromEntries(sections.map((section) => [section, { ...gatewayDefaults[section], ...(given[section] as Plain | undefined) }])),
    ...(auth === undefined ? {} : { auth: { issuers: issuersOf(auth).map((issuer) => ({ ...issuerDefaults, ...issuer })) } }),
    models: mapEntries<ModelEntry>(models, (provider, entry) => ({
      baseUrl: modelBaseUrls[provider as ModelProvider],
      ...modelDefaults,
      ...entry,
    })),
  } as GatewayEntry;
}

const issuersOf = (auth: unknown): readonly Plain[] => ((auth ?? {}) as { readonly issuers?: readonly Plain[] }).issuers ?? [];

export function alertsEntry(given: Partial<AlertsEntry>): AlertsEntry {
  const receivers = (given.receivers ?? []).map((receiver): ReceiverEntry => ({ ...receiverDefaults, ...receiver }));
  return { ...alertsDefaults, ...given, receivers };
}

export function serverEntries(given: unknown): Readonly<Record<string, McpServerEntry>> {
  return mapEntries<McpServerEntry>(given, (name, { auth, ...entry }) => ({
    prefix: name,
    ...offerDefaults,
    ...mcpDefaults,
    ...entry,
    ...(auth === undefined ? {} : { auth: { ...mcpAuthDefaults, ...(typeof auth === 'string' ? { type: auth } : (auth as Plain)) } }),
  }));
}

export function openapiEntries(given: unknown): Readonly<Record<string, OpenapiEntry>> {
  return mapEntries<OpenapiEntry>(given, (name, entry) => ({ prefix: name, ...offerDefaults, headers: {}, ...entry }));
}

/** The tables have checked the values of the file; with the defaults they are complete. */
function mapEntries<Entry>(given: unknown, fill: (name: string, entry: Plain) => Plain): Readonly<Record<string, Entry>> {
  const entries = Object.entries((given ?? {}) as Readonly<Record<string, Plain>>);
  return Object.fromEntries(entries.map(([name, entry]) => [name, fill(name, entry) as Entry]));
}
