/** The repairs between the model and its tools. */
import type { ReactNode } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { Empty } from '../../../ui/states.tsx';
import { CallLink } from '../call-link.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import type { DiffLine, Repair } from './repairs.model.ts';
import style from './repairs.module.css';

export interface RepairsViewProps {
  readonly repairs: readonly Repair[];
  readonly onCall: (callId: string) => void;
}

const kinds: Readonly<Record<Repair['kind'], string>> = {
  transcript: 'transcript',
  arguments: 'arguments',
  validation: 'validation',
  exchange: 'model exchange',
  refused: 'refused',
};

export function RepairsView({ repairs, onCall }: RepairsViewProps): ReactNode {
  if (repairs.length === 0)
    return (
      <Empty title="No repairs.">
        <p>
          Repairs of transcripts and arguments appear here, validation retries of model output, and requests to models and responses that
          failed validation, if an adapter or the gateway’s model proxy records them.
        </p>
      </Empty>
    );
  return (
    <div className={style['list']}>
      <p className="muted">
        The rule and path of each change are always recorded; the values before and after only with <code>capture: all</code>.
      </p>
      <ol className={style['list']}>
        {repairs.map(({ seq, atMs, kind, tone, icon, title, text, callId, changes }) => (
          <li key={seq} className={style['repair']}>
            <div className={style['head']}>
              <Badge tone={tone} icon={icon}>
                {kinds[kind]}
              </Badge>
              <strong>{title}</strong>
              {callId !== '' && <CallLink callId={callId} onCall={onCall} />}
              <span className="muted">{formatDuration(atMs)}</span>
            </div>
            {text !== '' && <p>{text}</p>}
            {changes.length > 0 && (
              <table className={style['changes']}>
                <caption className="visually-hidden">Changes</caption>
                <thead className="visually-hidden">
                  <tr>
                    <th scope="col">Rule</th>
                    <th scope="col">Where</th>
                  </tr>
                </thead>
                <tbody>
                  {changes.map(({ rule, place, action, diff }, index) => (
                    <tr key={index}>
                      <th scope="row">
                        <code>{rule}</code>
                      </th>
                      <td>
                        {place} {action !== undefined && <span className="muted">{action}</span>}
                        {diff !== undefined && <Diff lines={diff} />}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

const kindOfSign = { '−': 'removed', '+': 'added', ' ': 'kept' } as const;

function Diff({ lines }: { readonly lines: readonly DiffLine[] }): ReactNode {
  return (
    <pre className={style['diff']} tabIndex={0} aria-label="Before and after">
      {lines.map(({ sign, text }, index) => (
        <span key={index} className={style[kindOfSign[sign]]}>
          {sign} {visibleText(text)}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
