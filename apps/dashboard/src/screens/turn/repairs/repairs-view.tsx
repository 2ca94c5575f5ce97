/** What was mended between the model and its tools. */
import type { ReactNode } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { duration } from '../../../ui/format.ts';
import { Empty } from '../../../ui/states.tsx';
import { CallLink } from '../call-link.tsx';
import type { Repair } from './repairs.model.ts';
import style from './repairs.module.css';

export interface RepairsViewProps {
  readonly repairs: readonly Repair[];
  readonly onCall: (callId: string) => void;
}

const kinds: Readonly<Record<Repair['kind'], string>> = {
  transcript: 'transcript',
  arguments: 'arguments',
  validation: 'validation',
  refused: 'turned down',
};

export function RepairsView({ repairs, onCall }: RepairsViewProps): ReactNode {
  if (repairs.length === 0)
    return (
      <Empty title="Nothing had to be mended.">
        <p>
          Repairs of transcripts and arguments stand here, and validation retries of a model’s answers, where an adapter or the gateway’s
          model proxy records them.
        </p>
      </Empty>
    );
  return (
    <div className={style['list']}>
      <p className="muted">The trace keeps the rule and the place of each change, not the texts before and after it.</p>
      <ol className={style['list']}>
        {repairs.map(({ seq, atMs, kind, tone, icon, title, text, callId, changes }) => (
          <li key={seq} className={style['repair']}>
            <div className={style['head']}>
              <Badge tone={tone} icon={icon}>
                {kinds[kind]}
              </Badge>
              <strong>{title}</strong>
              {callId !== '' && <CallLink callId={callId} onCall={onCall} />}
              <span className="muted">{duration(atMs)}</span>
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
                  {changes.map(({ rule, place }, index) => (
                    <tr key={index}>
                      <th scope="row">
                        <code>{rule}</code>
                      </th>
                      <td>{place}</td>
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
