/** The turns that began in one second, each as a waterfall with the decisions of its calls. */
import { foldTurn, type CallView, type Segment, type TurnView } from '@holdfast/core/turn-view';
import { type ReactNode, useMemo, useState } from 'react';
import type { TurnEvents } from '../lab/job.ts';
import { formatDuration } from './format.ts';

interface CallsProps {
  readonly policy: string;
  readonly second: number;
  readonly turns: readonly TurnEvents[];
}

export function Calls({ policy, second, turns }: CallsProps): ReactNode {
  const views = useMemo(() => turns.map(({ events }) => foldTurn(events)), [turns]);
  const [chosen, choose] = useState(0);
  const view = views[Math.min(chosen, views.length - 1)];
  if (view === undefined) {
    return (
      <p>
        No turn began in second {second} with {policy}.
      </p>
    );
  }
  return (
    <>
      <div className="chips" role="group" aria-label={`Turns that began in second ${second} with ${policy}`}>
        {views.map(({ turnId, outcome }, index) => (
          <button type="button" key={turnId} aria-pressed={index === chosen} onClick={() => choose(index)}>
            <span aria-hidden="true">{outcome === 'success' ? '✔' : '✘'}</span> {turnId} <span className="quiet">{outcome}</span>
          </button>
        ))}
      </div>
      <Waterfall view={view} />
    </>
  );
}

const rowHeight = 22;

function Waterfall({ view }: { readonly view: TurnView }): ReactNode {
  const length = Math.max(
    1,
    view.durationMs ?? view.elapsedMs,
    ...view.calls.flatMap(({ segments }) => segments.map(({ startMs, endMs }) => endMs ?? startMs)),
  );
  return (
    <div className="waterfall">
      <p>
        {view.outcome} after {formatDuration(view.durationMs ?? view.elapsedMs)}
      </p>
      {view.calls.map((call) => (
        <section key={call.callId} aria-label={`Call ${call.callId}`}>
          <h4>
            {call.callId}{' '}
            <span className="quiet">{`${call.status.replaceAll('_', ' ')}, ${call.attempts} ${call.attempts === 1 ? 'attempt' : 'attempts'}`}</span>
          </h4>
          <svg width="100%" height={rowHeight} role="img" aria-label={describe(call)}>
            {call.segments.map((segment) => (
              <Bar key={`${segment.kind} ${segment.startMs}`} segment={segment} length={length} />
            ))}
          </svg>
          <ol className="decisions">
            {call.decisions.map(({ seq, atMs, decision, inputs }) => (
              <li key={seq}>
                <b>{formatDuration(atMs)}</b> {String(inputs.classification)} {String(inputs.category)}:{' '}
                {decision.action.replaceAll('_', ' ')}
                {decision.delayMs === undefined ? '' : ` in ${formatDuration(decision.delayMs)}`}. {decision.reason}.
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

const names: Readonly<Record<Segment['kind'], string>> = {
  dependency: 'waits for other calls',
  place: 'waits for a place in the turn',
  prepare: 'is prepared',
  queue: 'waits',
  attempt: 'attempt',
  backoff: 'waits before a retry',
  late: 'still runs',
};

const textOf = ({ kind, result, startMs, endMs, code }: Segment): string =>
  `${names[kind]}${kind === 'attempt' ? ` ${result}${code === '' ? '' : ` (${code})`}` : ''}, ${formatDuration(startMs)} to ${endMs === undefined ? 'the end' : formatDuration(endMs)}`;

const describe = ({ segments }: CallView): string => segments.map(textOf).join('; ');

function Bar({ segment, length }: { readonly segment: Segment; readonly length: number }): ReactNode {
  const { kind, startMs, endMs, result } = segment;
  const width = Math.max(0.4, (((endMs ?? length) - startMs) / length) * 100);
  const tone = kind === 'attempt' ? (result === 'success' ? 'good' : 'bad') : 'wait';
  return (
    <rect
      className={tone}
      x={`${(startMs / length) * 100}%`}
      y={kind === 'attempt' ? 3 : 9}
      width={`${width}%`}
      height={kind === 'attempt' ? 16 : 4}
    >
      <title>{textOf(segment)}</title>
    </rect>
  );
}
