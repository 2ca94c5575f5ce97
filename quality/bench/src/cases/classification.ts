import { classify } from '@holdfast/core';
import { connectionLost } from '../contenders/contender.ts';
import type { Report } from '../report/report.ts';
import { duration } from '../report/timing-table.ts';
import { race, type Entrant } from '../timing/race.ts';
import { median, quantile } from '../timing/statistics.ts';
import type { Case } from './case.ts';

const errorsInOne = 100;

/** Each creates an error of its kind; the number makes messages differ, as in practice. */
const kinds: Readonly<Record<string, (number: number) => unknown>> = {
  'system code (ECONNRESET)': () => connectionLost(),
  'HTTP status 503': () => Object.assign(new Error('Service Unavailable'), { status: 503 }),
  'HTTP status 429 with Retry-After': () => Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': '2' } }),
  'fetch failed, with a cause': () => new TypeError('fetch failed', { cause: connectionLost() }),
  'message alone': (number) => new Error(`upstream request ${number} timed out after 5000 ms`),
  'message that says nothing': (number) => new Error(`step ${number} of the plan went wrong`),
  'a bug (TypeError)': () => new TypeError("Cannot read properties of undefined (reading 'city')"),
};

export const classification: Case = {
  name: 'classification',
  async run({ effort }): Promise<Report> {
    const entrants = Object.entries(kinds).map(([name, make]): Entrant => {
      const errors = Array.from({ length: errorsInOne }, (_, number) => make(number));
      const options = { nowEpochMs: 1_800_000_000_000 };
      const call = (): number => {
        let transient = 0;
        for (const error of errors) if (classify(error, options).classification === 'transient') transient += 1;
        return transient;
      };
      return { name, call, callsInOne: errorsInOne };
    });
    const timings = await race(entrants, effort);
    return {
      name: 'classification',
      title: 'Classifying an error',
      what: `\`classify(error)\`, ${errorsInOne} different errors of each kind. It happens once per failed attempt.`,
      tables: [
        {
          columns: ['', 'median', 'p25', 'p75'],
          rows: timings.map(({ name, rounds }) => [
            name,
            duration(median(rounds)),
            duration(quantile(rounds, 0.25)),
            duration(quantile(rounds, 0.75)),
          ]),
        },
      ],
      targets: [],
      notes: [],
      figures: { nanosecondsPerError: Object.fromEntries(timings.map((timing) => [timing.name, timing.rounds])) },
    };
  },
};
