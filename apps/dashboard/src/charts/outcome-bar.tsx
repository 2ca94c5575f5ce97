/** A bar of call outcomes with a legend. Numbers carry the meaning, not only colours. */
import type { CallCounts } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { number, percent } from '../ui/format.ts';
import style from './charts.module.css';
import { outcomeParts } from './outcome-bar.model.ts';
import { Swatch } from './swatch.tsx';

export function OutcomeBar({ counts }: { readonly counts: CallCounts }): ReactNode {
  const parts = outcomeParts(counts);
  return (
    <div className={style['outcomes']}>
      <div className={style['outcomeBar']} aria-hidden="true">
        {parts.map(({ look, count, share }) =>
          count === 0 ? null : (
            <span
              key={look.id}
              className={style[look.pattern]}
              style={{ flexGrow: share, color: `var(${look.fill})` }}
              title={`${number(count)} ${look.word}`}
            />
          ),
        )}
      </div>
      <ul className={style['legend']}>
        {parts.map(({ look, count, share }) => (
          <li key={look.id} title={`${look.word}: ${look.meaning}`} className={count === 0 ? style['none'] : undefined}>
            <Swatch look={look} />
            <b>{number(count)}</b> {look.word} {count > 0 && <span className={style['share']}>{percent(share)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
