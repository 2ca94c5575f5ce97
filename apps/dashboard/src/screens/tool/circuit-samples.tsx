/** The outcomes that a circuit has recorded, each with a link to its attempt. Those that caused the change are marked. */
import type { CircuitSample } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { turnPath } from '../../data/routes.ts';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { resultIndicator, Status } from '../../ui/status.tsx';
import { Duration, ExactTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import style from './circuit.module.css';

export interface SamplesProps {
  readonly samples: readonly CircuitSample[];
  readonly label: string;
}

export function Samples({ samples, label }: SamplesProps): ReactNode {
  return (
    <ol aria-label={label} className={style['samples']} data-part="samples">
      {samples.map((sample) => (
        <li
          key={`${sample.turn_id} ${sample.call_id} ${sample.attempt} ${sample.at}`}
          className={classNames(style['sample'], sample.counted && style['counted'])}
          data-counted={sample.counted}
        >
          <span className={style['sampleAt']}>
            <ExactTime at={sample.at} />
          </span>
          <span>
            <Status indicator={resultIndicator(sample.outcome)} />
            {sample.probe === true && <span className={style['note']}> probe</span>}
            {sample.counted && <span className={style['note']}> counted</span>}
          </span>
          <span className={style['took']}>
            <Duration ms={sample.duration_ms} />
          </span>
          <span className={style['error']} title={sample.error && visibleText(sample.error)}>
            {sample.code !== undefined && <code>{sample.code}</code>} {visibleText(sample.error ?? '')}
          </span>
          <Link
            to={turnPath(sample.turn_id, { call: sample.call_id, attempt: sample.attempt })}
            className={style['way'] ?? ''}
            title={`Attempt ${sample.attempt} of ${sample.call_id} in ${sample.turn_id}`}
          >
            attempt {sample.attempt} of {sample.call_id} in {sample.turn_id}
            <Icon name="arrow" size={13} />
          </Link>
        </li>
      ))}
    </ol>
  );
}

/** The same as a strip: one icon per outcome, oldest first. */
export function SampleStrip({ samples }: { readonly samples: readonly CircuitSample[] }): ReactNode {
  return (
    <div className={style['strip']} aria-hidden="true">
      {samples.map((sample, index) => (
        <span
          key={index}
          className={classNames(style['dot'], style[sample.outcome], sample.counted && style['tipped'])}
          title={`${sample.outcome}${sample.code === undefined ? '' : `, ${sample.code}`}`}
        >
          <Icon name={resultIndicator(sample.outcome).icon} size={11} />
        </span>
      ))}
    </div>
  );
}
