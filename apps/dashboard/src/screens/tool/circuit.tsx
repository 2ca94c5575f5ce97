/** Owns the circuit of a tool: what opens it, where it was, which outcomes tipped it. */
import type { CircuitChange, CircuitTimeline } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { turnPath } from '../../data/routes.ts';
import { classNames } from '../../ui/class-names.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { circuitSigns, Status } from '../../ui/status.tsx';
import { Moment, RelativeTime } from '../../ui/time.tsx';
import { CircuitLanes } from './circuit-lanes.tsx';
import { changeTitle, samplesSentence, selectedChange } from './circuit.model.ts';
import style from './circuit.module.css';
import { Samples, SampleStrip } from './circuit-samples.tsx';

export interface CircuitProps {
  readonly timeline: CircuitTimeline;
  /** Id of the change that was asked for. */
  readonly change: number;
  readonly onSelect: (id: number) => void;
  readonly actions?: ReactNode;
}

export function Circuit({ timeline, change, onSelect, actions }: CircuitProps): ReactNode {
  const { changes, samples, rule } = timeline;
  const selected = selectedChange(changes, change);
  return (
    <Section title="Circuit" note={rule} actions={actions}>
      <CircuitLanes timeline={timeline} selected={selected} onSelect={({ id }) => onSelect(id)} />
      {selected ? (
        <div className={style['changes']}>
          <ChangeList changes={changes} selected={selected} onSelect={onSelect} />
          <Change change={selected} />
        </div>
      ) : (
        <Steady samples={samples} />
      )}
    </Section>
  );
}

interface ChangeListProps {
  readonly changes: readonly CircuitChange[];
  readonly selected: CircuitChange;
  readonly onSelect: (id: number) => void;
}

/** The newest first. */
function ChangeList({ changes, selected, onSelect }: ChangeListProps): ReactNode {
  return (
    <ol className={style['list']} aria-label="Changes of the circuit, the newest first">
      {changes.toReversed().map((change) => (
        <li key={change.id}>
          <button
            type="button"
            aria-pressed={change.id === selected.id}
            className={classNames(style['change'], change.id === selected.id && style['picked'])}
            onClick={() => onSelect(change.id)}
          >
            <Status sign={circuitSigns[change.to]} />
            <span className={style['note']}>
              <Moment at={change.at} />
            </span>
            <span className={style['why']}>{changeTitle(change)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function Change({ change }: { readonly change: CircuitChange }): ReactNode {
  const { at, turn_id, call_id, samples } = change;
  return (
    <div className={style['detail']} data-part="circuit-change">
      <h3>
        {changeTitle(change)}
        <span className={style['note']}>
          {' '}
          · <RelativeTime at={at} />
        </span>
      </h3>
      <p>
        {samplesSentence(change)}{' '}
        {turn_id !== undefined && (
          <Link to={turnPath(turn_id, { call: call_id })}>{call_id === undefined ? 'See the turn' : `It happened in ${call_id}`}</Link>
        )}
      </p>
      {samples.length > 0 && (
        <>
          <SampleStrip samples={samples} />
          <Samples samples={samples} label="Outcomes before this change, the oldest first" />
        </>
      )}
    </div>
  );
}

/** Nothing has changed: how near it is to changing. */
function Steady({ samples }: { readonly samples: CircuitTimeline['samples'] }): ReactNode {
  if (samples.length === 0) return <p className="muted">It did not change in this range, and has seen no outcome lately.</p>;
  return (
    <div className={style['detail']}>
      <p className="muted">It did not change in this range. The latest {samples.length} outcomes that it has seen:</p>
      <SampleStrip samples={samples} />
      <details>
        <summary className="muted">One by one</summary>
        <Samples samples={samples} label="The latest outcomes, the oldest first" />
      </details>
    </div>
  );
}
