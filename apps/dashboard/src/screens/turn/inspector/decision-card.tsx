/** A card for one decision: the failure, the checks in order, the decision, what would have changed it. */
import { type ReactNode, useEffect, useRef } from 'react';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { formatDuration, humanize } from '../../../ui/format.ts';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import { Link } from '../../../ui/link.tsx';
import { Disclosure, Facts } from '../../../ui/parts.tsx';
import { whatIfSearch } from '../../what-if/change.model.ts';
import type { DecisionRecord, StrategyRecord } from '../decision/decision-record.model.ts';
import type { CounterfactualText } from '../decision/counterfactuals.ts';
import { FailureMessage } from './failure-message.tsx';
import style from './inspector.module.css';

export interface DecisionCardProps {
  readonly record: DecisionRecord;
  readonly turnId: string;
  /** When the turn started, ISO 8601. */
  readonly startedAt: string;
  readonly run: number | undefined;
  /** Whether the record has what a replay needs. */
  readonly canReplay: boolean;
  /** Selected: open it and scroll it into view. */
  readonly wanted: boolean;
  readonly open: boolean;
}

export function DecisionCard({ record, turnId, startedAt, run, canReplay, wanted, open }: DecisionCardProps): ReactNode {
  const card = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const element = card.current;
    if (!wanted || element === null) return;
    element.open = true;
    // Scroll only the inspector, not the page.
    const scroller = element.closest<HTMLElement>('[data-scroll="call"]');
    if (scroller === null || scroller.scrollHeight <= scroller.clientHeight) return;
    const below = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    if (below < 0 || below > scroller.clientHeight / 3) scroller.scrollTop += below - 8;
  }, [wanted]);
  const [icon, tone] = verdictBadges[record.action] ?? ['dot', 'quiet'];
  const { failure } = record;
  return (
    <details ref={card} className={classNames(style['card'], wanted && style['wanted'])} open={open}>
      <summary className={style['cardHead']}>
        <Icon name="chevron" size={12} />
        <span className={style['cardTitle']}>{record.title}</span>
        <Badge tone={tone} icon={icon}>
          {record.verdict}
        </Badge>
        <span className={style['at']}>{formatDuration(record.atMs)}</span>
      </summary>
      <div className={style['cardBody']}>
        {failure && (
          <p className={style['error']}>
            <code>{failure.code}</code> <FailureMessage failure={failure} startedAt={startedAt} />
          </p>
        )}
        <p>
          <strong>{record.reason}.</strong>
          {record.stoppedBy !== '' && <> Retries stopped by: {humanize(record.stoppedBy)}.</>}
        </p>
        <Checks strategies={record.strategies} />
        <p className="muted">{record.decidedBy}</p>
        <Lines title="Matching recovery rules" lines={record.recoveryRules} />
        <Lines title="Experience from earlier failures" lines={record.evidence} />
        {record.counterfactuals.length > 0 && (
          <Counterfactuals all={record.counterfactuals} turnId={turnId} run={run} canReplay={canReplay} />
        )}
        <Disclosure summary="All inputs">
          <Facts facts={record.inputs.map(({ name, value }) => [name, value])} />
        </Disclosure>
      </div>
    </details>
  );
}

const verdictBadges: Readonly<Record<string, readonly [IconName, Tone]>> = {
  retry: ['retry', 'warn'],
  use_alternative: ['alternative', 'own'],
  use_default: ['skipped', 'warn'],
  accept_partial: ['interrupted', 'warn'],
  skip: ['skipped', 'warn'],
  escalate: ['alert', 'bad'],
  fail: ['failed', 'bad'],
};

function Checks({ strategies }: { readonly strategies: readonly StrategyRecord[] }): ReactNode {
  return (
    <table className={style['checks']}>
      <caption className="visually-hidden">Checks, in order</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">Check</th>
          <th scope="col">Result</th>
          <th scope="col">Value and limit</th>
        </tr>
      </thead>
      {strategies.map((strategy, index) => (
        <StrategyRows key={`${strategy.name}${index}`} strategy={strategy} />
      ))}
    </table>
  );
}

function StrategyRows({ strategy: { name, chosen, inapplicable, checks } }: { readonly strategy: StrategyRecord }): ReactNode {
  return (
    <tbody>
      <tr className={style['strategy']}>
        <th scope="rowgroup" colSpan={3}>
          {name}
          {chosen && <Badge tone="accent">chosen</Badge>}
          {inapplicable && <span className="muted"> – there was no partial output</span>}
        </th>
      </tr>
      {!inapplicable &&
        checks.map((check, index) => (
          <tr key={`${check.guard}${index}`} className={classNames(check.decisive && style['decisive'], check.first && style['first'])}>
            <th scope="row">{check.name}</th>
            <td className={style[check.passed ? 'good' : 'bad']}>
              <Icon
                name={check.passed ? 'done' : 'failed'}
                size={14}
                label={check.passed ? 'yes' : check.decisive ? 'no, which ruled this out' : 'no'}
              />
            </td>
            <td>
              <span className={style['value']}>{check.value}</span> <span className="muted">{check.limit}</span>
            </td>
          </tr>
        ))}
    </tbody>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): ReactNode {
  if (lines.length === 0) return null;
  return (
    <div>
      <h3 className={style['small']}>{title}</h3>
      <ul className={style['lines']}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

interface CounterfactualsProps {
  readonly all: readonly CounterfactualText[];
  readonly turnId: string;
  readonly run: number | undefined;
  readonly canReplay: boolean;
}

function Counterfactuals({ all, turnId, run, canReplay }: CounterfactualsProps): ReactNode {
  return (
    <div className={style['counterfactuals']}>
      <h3 className={style['small']}>What would have changed this decision</h3>
      <ul className={style['lines']}>
        {all.map(({ outcome, conditions, caveat, change }, index) => (
          <li key={index}>
            {outcome} with {conditions.join(', and ')}.{caveat !== '' && <span className="muted"> {caveat}</span>}{' '}
            {canReplay && change && (
              <Link to={`/turns/${encodeURIComponent(turnId)}/what-if${whatIfSearch(change, run)}`}>Try in what-if</Link>
            )}
          </li>
        ))}
      </ul>
      <p className="muted">This is about the decision only. How another attempt would have ended is unknown.</p>
    </div>
  );
}
