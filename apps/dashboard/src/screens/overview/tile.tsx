/** The tile of one tool. Rerenders only if its data changes. */
import type { ToolTile } from '@holdfast/gateway/contract';
import { memo, type ReactNode } from 'react';
import { Sparkbars } from '../../charts/sparkbars.tsx';
import { shiftBars, sum } from '../../charts/sparkbars.model.ts';
import { toolPath } from '../../data/routes.ts';
import { useClockText } from '../../ui/clock.ts';
import { classNames } from '../../ui/class-names.ts';
import { formatDurations, formatShortNumber } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Share } from '../../ui/share.tsx';
import { CircuitStatus, Status, toolIndicators } from '../../ui/status.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import style from './tile.module.css';
import { troubleText } from './tiles.model.ts';

const bucketMs = 5000;
const fills = ['--fill-first-try', '--fill-recovered', '--fill-failed'];

export const Tile: (props: { readonly tile: ToolTile }) => ReactNode = memo(function Tile({ tile }) {
  const { name, status, status_reason, counts, failure, latency } = tile;
  return (
    <li className={classNames(style['tile'], style[status])} data-tool={name} data-calls={counts.calls} data-status={status}>
      <h3 className={style['name']}>
        <Link to={toolPath(name)} quiet title={name}>
          {name}
        </Link>
      </h3>
      <span className={style['status']}>
        <Status indicator={toolIndicators[status]} filled={status !== 'ok' && status !== 'idle'} />
      </span>
      <p className={style['reason']}>
        {visibleText(status_reason)}
        <Trouble tile={tile} />
      </p>
      <div className={style['spark']}>
        <Recent tile={tile} />
      </div>
      <dl className={style['numbers']}>
        <Measure name="Failed">
          <Share value={failure} highIsBad />
        </Measure>
        <Measure name="p50 · p95" title="50 % and 95 % of the calls took at most this long, including all attempts.">
          {latency ? formatDurations(latency.p50_ms, latency.p95_ms) : '–'}
        </Measure>
        <Measure name="Calls" title={callsTitle(counts)}>
          {formatShortNumber(counts.calls)}
          {counts.served > 0 && ` + ${formatShortNumber(counts.served)}`}
        </Measure>
        <Measure name="Circuit">
          <CircuitStatus circuit={tile.circuit} mode={tile.mode} heldUntil={tile.held_until} />
        </Measure>
        <Measure name="Retry success">
          <Share value={tile.retry_success} noun="retried call" bare />
        </Measure>
        <Measure name="In flight" title={loadTitle(tile)}>
          {loadText(tile)}
        </Measure>
      </dl>
    </li>
  );
});

/** Since when, what it costs, and the latest error. */
function Trouble({ tile }: { readonly tile: ToolTile }): ReactNode {
  const { trouble_since: since } = tile;
  if (since === undefined) return null;
  return (
    <>
      {' '}
      Since <RelativeTime at={since} />. {visibleText(troubleText(tile))}
    </>
  );
}

interface MeasureProps {
  readonly name: string;
  readonly title?: string;
  readonly children: ReactNode;
}

function Measure({ name, title, children }: MeasureProps): ReactNode {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The bars move with the clock, even without new data. */
function Recent({ tile: { recent, recent_until } }: { readonly tile: ToolTile }): ReactNode {
  const until = Date.parse(recent_until);
  const steps = Number(useClockText((now) => String(Math.max(0, Math.floor((now - until) / bucketMs)))));
  const bars = shiftBars(recent, steps);
  const failed = sum(bars.map((bar) => bar[2] ?? 0));
  const all = sum(bars.map(sum));
  const label = all === 0 ? 'No calls in the last two minutes' : `${all} calls in the last two minutes, ${failed} failed`;
  return <Sparkbars bars={bars} fills={fills} label={label} height={28} />;
}

const callsTitle = ({ served }: ToolTile['counts']): string =>
  `In the last five minutes.${served === 0 ? '' : ` It answered ${served} more calls as the alternative of other tools.`}`;

const loadText = ({ in_flight, queued }: ToolTile): string => (queued > 0 ? `${in_flight} + ${queued} waiting` : String(in_flight));

const loadTitle = ({ in_flight, queued, orphaned }: ToolTile): string =>
  `${in_flight} running, ${queued} waiting for admission${orphaned === 0 ? '' : `, ${orphaned} orphaned`}.`;
