/** The circuit of a tool: its rule, its timeline, and the outcomes behind each change. */
import type { CircuitChange, CircuitTimeline } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { turnPath } from '../../data/routes.ts';
import { classNames } from '../../ui/class-names.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { circuitIndicators, Status } from '../../ui/status.tsx';
import { Timestamp, RelativeTime } from '../../ui/time.tsx';
import { CircuitLanes } from './circuit-lanes.tsx';
import { changeTitle, samplesSentence, selectedChange } from './circuit.model.ts';
import style from './circuit.module.css';
import { Samples, SampleStrip } from './circuit-samples.tsx';

export interface CircuitProps {
  readonly timeline: CircuitTimeline;
  /** Id of the selected change. */
  readonly change: number;
  readonly onSelect: (id: number) => void;
  readonly actions?: ReactNode;
}

export function Circuit({ timeline, change, onSelect, actions }: CircuitProps): ReactNode {
  const { changes, samples, rule, state } = timeline;
  const selected = selectedChange(changes, change);
  if (state === null) return <Section title="Circuit" note={rule} actions={actions} />;
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

/** Newest first. */
function ChangeList({ changes, selected, onSelect }: ChangeListProps): ReactNode {
  return (
    <ol className={style['list']} aria-label="Circuit changes, newest first">
      {changes.toReversed().map((change) => (
        <li key={change.id}>
          <button
            type="button"
            aria-pressed={change.id === selected.id}
            className={classNames(style['change'], change.id === selected.id && style['picked'])}
            onClick={() => onSelect(change.id)}
          >
            <Status indicator={circuitIndicators[change.to]} />
            <span className={style['note']}>
              <Timestamp at={change.at} />
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
  const counted = samples.filter((sample) => sample.counted);
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
          <Link to={turnPath(turn_id, { call: call_id })}>{call_id === undefined ? 'View turn' : `Caused by ${call_id}`}</Link>
        )}
      </p>
      {samples.length > 0 && (
        <>
          <SampleStrip samples={samples} />
          <Samples samples={counted.length > 0 ? counted : samples} label="Outcomes that caused this change, oldest first" />
          {counted.length > 0 && counted.length < samples.length && (
            <details>
              <summary className="muted">Show all {samples.length} outcomes before it</summary>
              <Samples samples={samples} label="Outcomes before this change, oldest first" />
            </details>
          )}
        </>
      )}
    </div>
  );
}

/** No changes in the range: shows the latest outcomes. */
function Steady({ samples }: { readonly samples: CircuitTimeline['samples'] }): ReactNode {
  if (samples.length === 0) return <p className="muted">No changes in this range, and no recent outcomes.</p>;
  return (
    <div className={style['detail']}>
      <p className="muted">No changes in this range. The latest {samples.length} outcomes:</p>
      <SampleStrip samples={samples} />
      <details>
        <summary className="muted">Show each</summary>
        <Samples samples={samples} label="Latest outcomes, oldest first" />
      </details>
    </div>
  );
}
