/** Owns the list of reference pages that are generated from the code. */
import { referencePage } from '../../packages/manifest/src/shape/reference.ts';
import { apiPage } from './api-page.ts';
import { withLinks } from './citations.ts';
import { errorCodesPage } from './error-codes-page.ts';
import { eventsPage } from './events-page.ts';
import { metricsPage } from './metrics-page.ts';
import { optionsPage } from './options-page.ts';
import { apiParts, eventParts, manifestParts, optionParts } from './parts.ts';
import { repairRulesPage } from './repair-rules-page.ts';
import { pathOfPart, splitPage, type Part } from './split-page.ts';
import { telemetryPage } from './telemetry-page.ts';

interface Page {
  readonly path: string;
  readonly print: () => Promise<string>;
}

interface Source {
  readonly path: string;
  readonly print: () => string | Promise<string>;
  readonly parts?: readonly Part[];
}

const sources: readonly Source[] = [
  { path: 'docs/reference/events.md', print: eventsPage, parts: eventParts },
  { path: 'docs/reference/error-codes.md', print: errorCodesPage },
  { path: 'docs/reference/options.md', print: optionsPage, parts: optionParts },
  { path: 'docs/reference/metrics.md', print: metricsPage },
  { path: 'docs/reference/telemetry.md', print: telemetryPage },
  { path: 'docs/reference/api.md', print: apiPage, parts: apiParts },
  { path: 'docs/reference/manifest.md', print: referencePage, parts: manifestParts },
  { path: 'docs/reference/repair-rules.md', print: repairRulesPage },
];

/** With every citation of the specification as a link. */
export const pages: readonly Page[] = sources.flatMap(({ path, print, parts }) => {
  if (!parts) return [{ path, print: async () => withLinks(await print()) }];
  let printed: Promise<ReadonlyMap<string, string>> | undefined;
  const splitAll = async (): Promise<ReadonlyMap<string, string>> =>
    new Map(splitPage(path, withLinks(await print()), parts).map((page) => [page.path, page.text]));
  const textOf = async (page: string): Promise<string> => {
    printed ??= splitAll();
    return (await printed).get(page) ?? '';
  };
  return [path, ...parts.map((part) => pathOfPart(path, part))].map((page) => ({ path: page, print: () => textOf(page) }));
});
