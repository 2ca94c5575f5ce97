/** Owns the worlds that the page offers first, each with its story in one sentence. All other scenarios of the catalogue can be chosen by name. */
import { scenarios, type ScenarioName } from '@holdfast/simulate';

export interface Story {
  readonly name: ScenarioName;
  readonly title: string;
  readonly story: string;
}

export const stories: readonly Story[] = [
  { name: 'outage', title: 'Outage', story: 'The service answers 503 for a minute. Who gets an answer, and when?' },
  { name: 'flapping', title: 'Flapping', story: 'The service is down and up again, every few seconds.' },
  { name: 'rate_limit', title: 'Rate limit', story: 'The service answers 429 to all that exceeds its limit.' },
  { name: 'black_hole', title: 'Black hole', story: 'Requests are accepted and never answered.' },
  { name: 'stray_hint', title: 'Stray Retry-After', story: 'A few answers ask to come back in an hour, though nothing is wrong.' },
  { name: 'heavy_tail', title: 'Heavy tail', story: 'A healthy service of which a few answers take a hundred times as long.' },
];

export const scenarioNames: readonly ScenarioName[] = Object.keys(scenarios) as ScenarioName[];

export const isScenario = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name);
