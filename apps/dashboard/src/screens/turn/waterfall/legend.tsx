/** The legend of the waterfall, and its keyboard commands. */
import type { ReactNode } from 'react';
import { Disclosure } from '../../../ui/parts.tsx';
import style from './waterfall.module.css';

const signs: readonly (readonly [name: string, drawn: ReactNode])[] = [
  ['work', <rect key="a" x="1" y="3" width="22" height="10" rx="2" className={style['work']} />],
  [
    'failed',
    <g key="b">
      <rect x="1" y="3" width="17" height="10" rx="2" className={style['failed']} />
      <path d="M14.5 4.5l7 7m0 -7l-7 7" className={style['cross']} />
    </g>,
  ],
  [
    'timed out',
    <g key="c">
      <rect x="1" y="3" width="18" height="10" rx="2" className={style['failed']} />
      <path d="M20 0v16" className={style['stop']} />
    </g>,
  ],
  ['backoff', <rect key="d" x="1" y="3" width="22" height="10" rx="2" className={style['backoff']} />],
  ['process late', <rect key="j" x="1" y="3" width="22" height="10" rx="2" className={style['overdue']} />],
  ['queue', <rect key="e" x="1" y="3" width="22" height="10" rx="2" className={style['queue']} />],
  ['waiting', <line key="f" x1="1" x2="23" y1="8" y2="8" className={style['waitLine']} />],
  ['late work', <line key="g" x1="1" x2="23" y1="8" y2="8" className={style['lateLine']} />],
  [
    'alternative',
    <rect key="h" x="2" y="3" width="20" height="10" rx="2" className={`${style['work'] ?? ''} ${style['alternative'] ?? ''}`} />,
  ],
  ['critical path', <line key="i" x1="1" x2="23" y1="12" y2="12" className={style['pathLine']} />],
];

export function Legend({ note, calls }: { readonly note: string; readonly calls: string }): ReactNode {
  return (
    <div className={style['legend']}>
      {signs.map(([name, drawn]) => (
        <span key={name}>
          <svg width="24" height="16" aria-hidden="true">
            {drawn}
          </svg>
          {name}
        </span>
      ))}
      <span>{calls}</span>
      {note !== '' && <span>{note}</span>}
      <Disclosure summary="Keys">
        <p>
          ↑ ↓ move, → expands, ← collapses, Enter shows the call, Escape closes it. + and − zoom in and out, 0 zooms to fit, Shift with ← →
          pans. Drag over the scale to zoom in; Ctrl and wheel zoom around the pointer.
        </p>
      </Disclosure>
    </div>
  );
}
