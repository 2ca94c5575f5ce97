/** Recent activity: changes and the latest turns. */
import type { ChangeItem, TurnBrief } from '@holdfast/gateway/contract';
import { memo, type ReactNode } from 'react';
import { turnPath, turnsPath } from '../../data/routes.ts';
import { pluralize, formatDuration } from '../../ui/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { turnIndicator } from '../../ui/status.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { changeAppearance, type ChangeLine, changePath, foldChanges } from './changes.model.ts';
import style from './recent-activity.module.css';

const maxChanges = 12;

export const Changes: (props: { readonly changes: readonly ChangeItem[] }) => ReactNode = memo(function Changes({ changes }) {
  const lines = foldChanges(changes);
  return (
    <Section title="Recent changes">
      {changes.length === 0 ? (
        <p className="muted">No circuit, alert, tool or upstream has changed since the gateway started.</p>
      ) : (
        <>
          <ChangeList lines={lines.slice(0, maxChanges)} />
          {lines.length > maxChanges && (
            <details>
              <summary>{pluralize(lines.length - maxChanges, 'earlier change')}</summary>
              <ChangeList lines={lines.slice(maxChanges)} />
            </details>
          )}
        </>
      )}
    </Section>
  );
});

function ChangeList({ lines }: { readonly lines: readonly ChangeLine[] }): ReactNode {
  return (
    <ol className={style['list']}>
      {lines.map(({ change, text }) => {
        const { icon, tone } = changeAppearance(change.kind);
        const path = changePath(change);
        return (
          <li key={change.id} className={style['item']}>
            <Badge icon={icon} tone={tone}>
              <span className="visually-hidden">{change.kind.replaceAll('_', ' ')}</span>
            </Badge>
            <span className={style['text']}>
              {path === undefined ? (
                visibleText(text)
              ) : (
                <Link to={path} quiet>
                  {visibleText(text)}
                </Link>
              )}
            </span>
            <span className={style['when']}>
              <RelativeTime at={change.at} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

const maxTurns = 10;

export const LatestTurns: (props: { readonly turns: readonly TurnBrief[] }) => ReactNode = memo(function LatestTurns({ turns }) {
  return (
    <Section title="Latest turns" actions={<Link to={turnsPath}>All turns</Link>}>
      {turns.length === 0 ? (
        <p className="muted">No turns yet. A turn is a set of calls that are answered together; a single call is a turn of one.</p>
      ) : (
        <ol className={style['list']}>
          {turns.slice(0, maxTurns).map((turn) => (
            <Turn key={turn.turn_id} turn={turn} />
          ))}
        </ol>
      )}
    </Section>
  );
});

function Turn({ turn }: { readonly turn: TurnBrief }): ReactNode {
  const indicator = turnIndicator(turn);
  const { facts } = turn;
  const notes = [
    pluralize(turn.calls, 'call'),
    ...(facts && facts.failed_calls > 0 ? [`${facts.failed_calls} failed`] : []),
    ...(facts && facts.retries > 0 ? [pluralize(facts.retries, 'retry', 'retries')] : []),
    ...(facts && turn.state === 'completed' ? [formatDuration(facts.duration_ms)] : []),
  ];
  return (
    <li className={style['item']}>
      <Badge icon={indicator.icon} tone={indicator.tone}>
        <span className="visually-hidden">{indicator.label}</span>
      </Badge>
      <span className={style['text']}>
        <Link to={turnPath(turn.turn_id)} quiet className={style['id'] ?? ''} title={turn.turn_id}>
          {turn.turn_id}
        </Link>
        <span className={style['notes']}>
          {indicator.label} · {notes.join(' · ')}
        </span>
      </span>
      <span className={style['when']}>
        <RelativeTime at={turn.started_at} />
      </span>
    </li>
  );
}
