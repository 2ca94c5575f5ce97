/** The figures of each policy, and a sentence about the best of them. */
import type { Comparison, Summary } from '@holdfast/simulate';
import { labMetrics } from '@holdfast/simulate/report';
import type { ReactNode } from 'react';
import { lookOf } from './colors.ts';
import { formatDuration, formatMetric } from './format.ts';

const columns: Readonly<Partial<Record<keyof Summary, string>>> = {
  success: 'Success',
  during: 'during',
  after30s: '30 s after',
  meanMs: 'Mean',
  p99Ms: 'p99',
  failedWaitMs: 'Failed after',
  requestsPerCall: 'Requests per call',
  recoveryS: 'Recovery',
  duplicates: 'Duplicate effects',
};

export function ResultTable({ comparisons }: { readonly comparisons: readonly Comparison[] }): ReactNode {
  const shown = labMetrics.filter(
    ({ property }) => columns[property] !== undefined && comparisons.some(({ summary }) => summary[property] !== null),
  );
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Figures of each policy">
      <table>
        <caption>Success: turns whose required calls all succeeded before the caller gave up.</caption>
        <thead>
          <tr>
            <th scope="col">Policy</th>
            {shown.map(({ key, property }) => (
              <th scope="col" key={key}>
                {columns[property]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {comparisons.map(({ contender, summary }, index) => (
            <tr key={contender}>
              <th scope="row">
                <Sample index={index} /> {contender}
              </th>
              {shown.map(({ key, property, unit }) => (
                <td key={key}>{formatMetric(summary[property], unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The line of a policy in the charts. */
function Sample({ index }: { readonly index: number }): ReactNode {
  const { color, dash } = lookOf(index);
  return (
    <svg className="sample" width="28" height="8" aria-hidden="true">
      <line x1="0" x2="28" y1="4" y2="4" stroke={`var(${color})`} strokeWidth="3" strokeDasharray={dash.join(' ')} />
    </svg>
  );
}

/** `adaptive: 2,920 more turns of 35,154 succeed than with none. They take 5.4 s on average; with none 0.2 s.` */
export function sentenceOf(comparisons: readonly Comparison[]): string {
  const none = comparisons.find(({ contender }) => contender === 'none');
  const best = comparisons.filter((each) => each !== none).toSorted((a, b) => b.summary.success - a.summary.success)[0];
  if (none === undefined || best === undefined) return '';
  const turns = none.summary.turns ?? 0;
  const more = Math.round((best.summary.success - none.summary.success) * turns);
  const number = (value: number): string => Math.round(value).toLocaleString('en-US');
  const comparison =
    more >= 0 ? `${number(more)} more turns of ${number(turns)} succeed` : `${number(-more)} fewer turns of ${number(turns)} succeed`;
  const times = [best.summary.meanMs, none.summary.meanMs].map((value) => (value === null ? 'no time' : formatDuration(value)));
  return `${best.contender}: ${comparison} than with none. Successful turns take ${times[0] ?? ''} on average; with none ${times[1] ?? ''}.`;
}
