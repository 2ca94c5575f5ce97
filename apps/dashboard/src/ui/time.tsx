/** Shows times and durations. */
import type { ReactNode } from 'react';
import { useClockText } from './clock.ts';
import { formatDayAndTime, formatDuration, formatExactTime, formatRelative } from './format.ts';

export interface AtProps {
  /** ISO 8601, or milliseconds since 1970. */
  readonly at: string | number;
}

const machineTime = (at: string | number): string | undefined => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};

/** `5 min ago`, with the exact time as tooltip. */
export function RelativeTime({ at }: AtProps): ReactNode {
  const text = useClockText((now) => formatRelative(at, now));
  return (
    <time dateTime={machineTime(at)} title={`${machineTime(at) ?? String(at)}`}>
      {text}
    </time>
  );
}

/** `14:03:22`, with the date if it is not today. */
export function Timestamp({ at }: AtProps): ReactNode {
  const text = useClockText((now) => formatDayAndTime(at, now));
  return (
    <time dateTime={machineTime(at)} title={machineTime(at)}>
      {text}
    </time>
  );
}

/** `14:03:22.481`. */
export function ExactTime({ at }: AtProps): ReactNode {
  return (
    <time dateTime={machineTime(at)} title={machineTime(at)}>
      {formatExactTime(at)}
    </time>
  );
}

export function Duration({ ms }: { readonly ms: number | null | undefined }): ReactNode {
  return <span title={typeof ms === 'number' ? `${ms} ms` : undefined}>{formatDuration(ms)}</span>;
}
