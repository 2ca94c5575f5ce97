/** Draws a circuit over time, with a lane for each state. */
import type { CircuitChange, CircuitState, CircuitTimeline } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { circuitIndicators } from '../../ui/status.tsx';
import { Timestamp } from '../../ui/time.tsx';
import { stateSpans, type StateSpan, timelineSummary, unknownUntil } from './circuit.model.ts';
import style from './circuit.module.css';

const lanes: readonly CircuitState[] = ['open', 'half_open', 'closed'];
const laneHeight = 18;
const height = lanes.length * laneHeight;

export interface CircuitLanesProps {
  readonly timeline: CircuitTimeline;
  readonly selected: CircuitChange | undefined;
  readonly onSelect: (change: CircuitChange) => void;
}

export function CircuitLanes({ timeline, selected, onSelect }: CircuitLanesProps): ReactNode {
  const spans = stateSpans(timeline);
  return (
    <figure className={style['lanes']}>
      <div className={style['laneNames']} aria-hidden="true">
        {lanes.map((state) => (
          <span key={state}>{circuitIndicators[state].label}</span>
        ))}
      </div>
      <div>
        <svg width="100%" height={height} role="img" aria-label={timelineSummary(timeline)}>
          <defs>
            <pattern id="half-open" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="6" height="6" className={style['halfGround']} />
              <rect width="2" height="6" className={style['halfStripe']} />
            </pattern>
          </defs>
          {lanes.map((state, index) => (
            <line
              key={state}
              x1="0"
              x2="100%"
              y1={(index + 1) * laneHeight - 0.5}
              y2={(index + 1) * laneHeight - 0.5}
              className={style['rule']}
            />
          ))}
          <Unknown until={unknownUntil(timeline)} />
          {spans.map((span) => (
            <Span
              key={span.change?.id ?? 'begin'}
              span={span}
              selected={span.change !== undefined && span.change.id === selected?.id}
              onSelect={onSelect}
            />
          ))}
        </svg>
        <div className={style['axis']} aria-hidden="true">
          <Timestamp at={timeline.since} />
          <Timestamp at={(Date.parse(timeline.since) + Date.parse(timeline.until)) / 2} />
          <Timestamp at={timeline.until} />
        </div>
      </div>
    </figure>
  );
}

interface SpanProps {
  readonly span: StateSpan;
  readonly selected: boolean;
  readonly onSelect: (change: CircuitChange) => void;
}

/** The time before the gateway knew the circuit. */
function Unknown({ until }: { readonly until: number }): ReactNode {
  if (until <= 0) return null;
  return (
    <rect x="0" y="0" width={percentOf(until)} height={height} className={style['unknown']}>
      <title>Not known: before the gateway started.</title>
    </rect>
  );
}

const percentOf = (share: number): string => `${Math.round(share * 100_000) / 1000}%`;

/** Selectable with the pointer; the list below is accessible with the keyboard. */
function Span({ span: { state, from, to, change }, selected, onSelect }: SpanProps): ReactNode {
  const y = lanes.indexOf(state) * laneHeight;
  return (
    <g className={change && style['pick']} onClick={change && (() => onSelect(change))}>
      {change && (
        <rect
          x={percentOf(from)}
          y="0"
          width={percentOf(to - from)}
          height={height}
          className={selected ? style['chosen'] : style['hit']}
        />
      )}
      <rect
        x={percentOf(from)}
        y={y + 3}
        width={percentOf(to - from)}
        height={laneHeight - 6}
        className={`${style['span'] ?? ''} ${style[state] ?? ''}`}
      />
      {change && <line x1={percentOf(from)} x2={percentOf(from)} y1="0" y2={height} className={selected ? style['mark'] : style['tick']} />}
    </g>
  );
}
