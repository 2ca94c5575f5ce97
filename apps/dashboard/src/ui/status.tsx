/** Labels, icons and tones of all states, the same on every screen. */
import type { AlertSeverity, CircuitMode, CircuitState, ToolStatus, TurnItem } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Badge, type Tone } from './badge.tsx';
import { useClockText } from './clock.ts';
import { formatHold } from './format.ts';
import type { IconName } from './icon.tsx';

export interface Indicator {
  readonly label: string;
  readonly icon: IconName;
  readonly tone: Tone;
}

export const toolIndicators: Readonly<Record<ToolStatus, Indicator>> = {
  failing: { label: 'failing', icon: 'failed', tone: 'bad' },
  recovering: { label: 'recovering', icon: 'half_open', tone: 'warn' },
  degraded: { label: 'degraded', icon: 'alert', tone: 'warn' },
  ok: { label: 'ok', icon: 'done', tone: 'good' },
  idle: { label: 'idle', icon: 'idle', tone: 'quiet' },
};

export const circuitIndicators: Readonly<Record<CircuitState, Indicator>> = {
  closed: { label: 'closed', icon: 'closed', tone: 'quiet' },
  open: { label: 'open', icon: 'open', tone: 'bad' },
  half_open: { label: 'half-open', icon: 'half_open', tone: 'warn' },
};

const modeLabels: Readonly<Record<CircuitMode, string | undefined>> = {
  auto: undefined,
  forced_open: 'forced open',
  disabled: 'disabled',
  shadow: 'shadow mode',
};

/** `undefined` in automatic mode. */
const circuitModeLabel = (mode: CircuitMode): string | undefined => modeLabels[mode];

export const severityIndicators: Readonly<Record<AlertSeverity, Indicator>> = {
  critical: { label: 'critical', icon: 'alert', tone: 'bad' },
  warning: { label: 'warning', icon: 'alert', tone: 'warn' },
  info: { label: 'info', icon: 'dot', tone: 'accent' },
};

const outcomeIndicators: Readonly<Record<string, Indicator>> = {
  success: { label: 'success', icon: 'done', tone: 'good' },
  partial: { label: 'partial', icon: 'alert', tone: 'warn' },
  failed: { label: 'failed', icon: 'failed', tone: 'bad' },
  deadline: { label: 'deadline missed', icon: 'clock', tone: 'bad' },
  cancelled: { label: 'cancelled', icon: 'idle', tone: 'quiet' },
  running: { label: 'running', icon: 'running', tone: 'accent' },
  interrupted: { label: 'interrupted', icon: 'interrupted', tone: 'warn' },
};

export const turnIndicator = ({ state, outcome }: Pick<TurnItem, 'state' | 'outcome'>): Indicator =>
  outcomeIndicators[state === 'completed' ? (outcome ?? 'success') : state] ?? { label: outcome ?? state, icon: 'dot', tone: 'quiet' };

const resultIndicators: Readonly<Record<string, Indicator>> = {
  success: { label: 'success', icon: 'done', tone: 'good' },
  error: { label: 'error', icon: 'failed', tone: 'bad' },
  timeout: { label: 'timeout', icon: 'clock', tone: 'bad' },
  transient: { label: 'transient failure', icon: 'failed', tone: 'bad' },
  permanent: { label: 'permanent failure', icon: 'failed', tone: 'warn' },
  neutral: { label: 'neutral', icon: 'idle', tone: 'quiet' },
};

/** For the status of a call or the outcome of an attempt. */
export const resultIndicator = (name: string): Indicator => resultIndicators[name] ?? { label: name, icon: 'dot', tone: 'quiet' };

export interface StatusProps {
  readonly indicator: Indicator;
  readonly filled?: boolean;
  readonly title?: string;
}

export function Status({ indicator, filled = false, title }: StatusProps): ReactNode {
  return (
    <Badge tone={indicator.tone} icon={indicator.icon} filled={filled} title={title}>
      {indicator.label}
    </Badge>
  );
}

export interface CircuitStatusProps {
  readonly circuit: CircuitState | null;
  readonly mode?: CircuitMode;
  /** Until when a server's Retry-After holds calls, ISO 8601. */
  readonly heldUntil?: string | undefined;
}

/** `open`, `forced open`, `held for 8 s`, `no circuit`. */
export function CircuitStatus({ circuit, mode = 'auto', heldUntil }: CircuitStatusProps): ReactNode {
  const held = useClockText((now) => formatHold(heldUntil, now));
  if (held !== '' && (circuit === null || circuit === 'closed'))
    return (
      <Badge tone="warn" icon="clock" title={`A server’s Retry-After holds calls; the circuit is ${circuit === null ? 'off' : 'closed'}`}>
        {held}
      </Badge>
    );
  if (circuit === null) return <Badge icon="idle">no circuit</Badge>;
  const indicator = circuitIndicators[circuit];
  const label = circuitModeLabel(mode);
  return (
    <Badge
      tone={label === undefined ? indicator.tone : 'own'}
      icon={label === undefined ? indicator.icon : 'hand'}
      title={label && `The circuit is ${indicator.label}, ${label}`}
    >
      {label ?? indicator.label}
    </Badge>
  );
}
