/** Owns the list of reference pages that are generated from the code. */
import { apiPage } from './api-page.ts';
import { withLinks } from './citations.ts';
import { errorCodesPage } from './error-codes-page.ts';
import { eventsPage } from './events-page.ts';
import { metricsPage } from './metrics-page.ts';
import { optionsPage } from './options-page.ts';
import { repairRulesPage } from './repair-rules-page.ts';
import { telemetryPage } from './telemetry-page.ts';

interface Page {
  readonly path: string;
  readonly print: () => string | Promise<string>;
}

const printed: readonly Page[] = [
  { path: 'docs/reference/events.md', print: eventsPage },
  { path: 'docs/reference/error-codes.md', print: errorCodesPage },
  { path: 'docs/reference/options.md', print: optionsPage },
  { path: 'docs/reference/metrics.md', print: metricsPage },
  { path: 'docs/reference/telemetry.md', print: telemetryPage },
  { path: 'docs/reference/api.md', print: apiPage },
  { path: 'docs/reference/repair-rules.md', print: repairRulesPage },
];

/** With every citation of the specification as a link. */
export const pages: readonly Page[] = printed.map(({ path, print }) => ({ path, print: async () => withLinks(await print()) }));
