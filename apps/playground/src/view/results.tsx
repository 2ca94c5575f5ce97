/** The figures, the charts, single calls, and how to reproduce them. */
import { comparisonData } from '@holdfast/simulate/report';
import { type ReactNode, useMemo, useState } from 'react';
import { hasCalls } from '../lab/policies.ts';
import type { Lab } from '../lab/use-lab.ts';
import { commandOf, type State } from '../state/state.ts';
import { Calls } from './calls.tsx';
import { Chart } from './chart.tsx';
import { ResultTable, sentenceOf } from './result-table.tsx';
import { NumberField } from './run-choice.tsx';
import { faultSpans, meanSeries, type SeriesName } from './series.ts';

interface ResultsProps {
  readonly state: State;
  readonly lab: Lab;
}

export function Results({ state, lab }: ResultsProps): ReactNode {
  const { comparisons, progress, failure } = lab;
  return (
    <section className="results" aria-labelledby="results" aria-busy={progress !== undefined}>
      <h2 id="results">Results</h2>
      <div className="status" role="status">
        {progress === undefined ? sentenceOf(comparisons) : `Simulating … ${formatShare(progress)}`}
        {failure === '' ? '' : ` The simulation failed: ${failure}`}
      </div>
      {comparisons.length > 0 && (
        <>
          <ResultTable comparisons={comparisons} />
          <OverTime state={state} lab={lab} />
          <Reproduce state={state} lab={lab} />
        </>
      )}
    </section>
  );
}

const formatShare = (value: number): string => `${Math.round(value * 100)} %`;
const formatCount = (value: number): string => String(Math.round(value));

function OverTime({ state, lab }: ResultsProps): ReactNode {
  const { comparisons, durationMs, calls, showCalls } = lab;
  const [chosen, choose] = useState<number>();
  const seconds = Math.ceil(durationMs / 1000);
  const { success, requests, faults } = useMemo(() => {
    const linesOf = (name: SeriesName) =>
      comparisons.map((comparison) => ({ name: comparison.contender, values: meanSeries(comparison, name, seconds) }));
    return { success: linesOf('success'), requests: linesOf('requests'), faults: comparisons.slice(0, 1).flatMap(faultSpans) };
  }, [comparisons, seconds]);
  const second = chosen ?? Math.min(seconds - 1, Math.round(faults[0]?.[0] ?? 0) + 1);
  return (
    <>
      <Chart
        title="Success of turns by their start; faults are shaded"
        lines={success}
        faults={faults}
        format={formatShare}
        top={1.02}
        onSecond={choose}
      />
      <Chart title="Requests per second at all services" lines={requests} faults={faults} format={formatCount} onSecond={choose} />
      <div className="row">
        <NumberField label="Turns that began in second" value={second} least={0} most={Math.max(0, seconds - 1)} onChange={choose} />
        {state.policies.filter(hasCalls).map((policy) => (
          <button type="button" key={policy} onClick={() => showCalls(policy, second)}>
            Show with {policy === 'own' ? 'your own' : policy}
          </button>
        ))}
      </div>
      {calls !== undefined && (calls.turns === undefined ? <p>Simulating …</p> : <Calls {...calls} turns={calls.turns} />)}
    </>
  );
}

function Reproduce({ state, lab: { comparisons } }: ResultsProps): ReactNode {
  const data = useMemo(() => comparisons.map((comparison) => JSON.stringify(comparisonData(comparison))).join('\n'), [comparisons]);
  return (
    <details>
      <summary>Reproduce</summary>
      <p>The address of this page has the world, the policies and the seed. This command prints the same figures, to the last digit:</p>
      <pre tabIndex={0}>{commandOf(state)}</pre>
      <pre tabIndex={0} id="data">
        {data}
      </pre>
    </details>
  );
}
