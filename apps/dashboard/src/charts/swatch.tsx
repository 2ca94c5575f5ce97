/** The colour swatch of a legend. */
import type { ReactNode } from 'react';
import style from './charts.module.css';
import type { OutcomeLook } from './outcomes.ts';
import type { LineForm } from './series.model.ts';

export function Swatch({ look }: { readonly look: Pick<OutcomeLook, 'fill' | 'pattern'> & { readonly line?: LineForm } }): ReactNode {
  return (
    <span
      aria-hidden="true"
      className={`${style['swatch'] ?? ''} ${style[look.line ?? look.pattern] ?? ''}`}
      style={{ color: `var(${look.fill})` }}
    />
  );
}
