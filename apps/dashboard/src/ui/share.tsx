/** Shows a share: percentage, counts, confidence interval. */
import type { Share as ShareValue } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { describeShare } from './share.model.ts';
import style from './share.module.css';

export interface ShareProps {
  readonly value: ShareValue;
  /** What was counted, in the singular. @default 'call' */
  readonly noun?: string;
  /** A high share is bad, as for failures. @default false */
  readonly highIsBad?: boolean;
  /** Shows the interval in the text, not only in the tooltip. @default false */
  readonly interval?: boolean;
  /** Hides the counts if there are none. @default false */
  readonly bare?: boolean;
}

export function Share({ value, noun = 'call', highIsBad = false, interval = false, bare = false }: ShareProps): ReactNode {
  const words = describeShare(value, noun);
  return (
    <span className={classNames(style['share'], highIsBad && words.high && style['high'])} title={words.title}>
      <span className={style['value']}>{words.value}</span>
      {!(bare && value.whole === 0) && <span className={style['of']}> {words.of}</span>}
      {interval && value.whole > 0 && <span className={style['of']}> · {intervalText(value)}</span>}
    </span>
  );
}

const intervalText = ({ low, high }: ShareValue): string => `${formatPercent(low)}–${formatPercent(high)}\u00A0% (95\u00A0% CI)`;
const formatPercent = (share: number): string => String(Math.round(share * 1000) / 10);
