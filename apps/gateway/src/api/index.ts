/** The Turn API. Load it when it is first needed: it brings Hono and Zod with it. */
import type { Api, ApiParts } from './parts.ts';

export type { Api, ApiLimits, ApiParts, ApiService, Caller, HealthParts, OfferedTools, UpstreamFacts } from './parts.ts';

export function createApi(_parts: ApiParts): Api {
  throw new Error('Not there yet.');
}
