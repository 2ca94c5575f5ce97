/** The colour swatch of a legend. */
import type { ReactNode } from 'react';
import style from './charts.module.css';
import type { OutcomeAppearance } from './outcomes.ts';
import type { LineForm } from './series.model.ts';

export function Swatch({
  appearance,
}: {
  readonly appearance: Pick<OutcomeAppearance, 'fill' | 'pattern'> & { readonly line?: LineForm };
}): ReactNode {
  return (
    <span
      aria-hidden="true"
      className={`${style['swatch'] ?? ''} ${style[appearance.line ?? appearance.pattern] ?? ''}`}
      style={{ color: `var(${appearance.fill})` }}
    />
  );
}
