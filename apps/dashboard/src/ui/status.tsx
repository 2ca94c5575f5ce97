/** Labels, icons and tones of all states, the same on every screen. */
import type { AlertSeverity, CircuitMode, CircuitState, ToolStatus, TurnItem } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Badge, type Tone } from './badge.tsx';
import type { IconName } from './icon.tsx';

export interface Sign {
  readonly word: string;
  readonly icon: IconName;
  readonly tone: Tone;
}

export const toolSigns: Readonly<Record<ToolStatus, Sign>> = {
  failing: { word: 'failing', icon: 'failed', tone: 'bad' },
  recovering: { word: 'recovering', icon: 'half_open', tone: 'warn' },
  degraded: { word: 'degraded', icon: 'alert', tone: 'warn' },
  ok: { word: 'ok', icon: 'done', tone: 'good' },
  idle: { word: 'idle', icon: 'idle', tone: 'quiet' },
};

export const circuitSigns: Readonly<Record<CircuitState, Sign>> = {
  closed: { word: 'closed', icon: 'closed', tone: 'quiet' },
  open: { word: 'open', icon: 'open', tone: 'bad' },
  half_open: { word: 'half-open', icon: 'half_open', tone: 'warn' },
};

const modeWords: Readonly<Record<CircuitMode, string | undefined>> = {
  auto: undefined,
  forced_open: 'forced open',
  disabled: 'disabled',
  shadow: 'shadow mode',
};

/** `undefined` in automatic mode. */
const circuitModeWord = (mode: CircuitMode): string | undefined => modeWords[mode];

export const severitySigns: Readonly<Record<AlertSeverity, Sign>> = {
  critical: { word: 'critical', icon: 'alert', tone: 'bad' },
  warning: { word: 'warning', icon: 'alert', tone: 'warn' },
  info: { word: 'info', icon: 'dot', tone: 'accent' },
};

const outcomeSigns: Readonly<Record<string, Sign>> = {
  success: { word: 'success', icon: 'done', tone: 'good' },
  partial: { word: 'partial', icon: 'alert', tone: 'warn' },
  failed: { word: 'failed', icon: 'failed', tone: 'bad' },
  deadline: { word: 'deadline missed', icon: 'clock', tone: 'bad' },
  cancelled: { word: 'cancelled', icon: 'idle', tone: 'quiet' },
  running: { word: 'running', icon: 'running', tone: 'accent' },
  interrupted: { word: 'interrupted', icon: 'interrupted', tone: 'warn' },
};

export const turnSign = ({ state, outcome }: Pick<TurnItem, 'state' | 'outcome'>): Sign =>
  outcomeSigns[state === 'completed' ? (outcome ?? 'success') : state] ?? { word: outcome ?? state, icon: 'dot', tone: 'quiet' };

const resultSigns: Readonly<Record<string, Sign>> = {
  success: { word: 'success', icon: 'done', tone: 'good' },
  error: { word: 'error', icon: 'failed', tone: 'bad' },
  timeout: { word: 'timeout', icon: 'clock', tone: 'bad' },
  transient: { word: 'transient failure', icon: 'failed', tone: 'bad' },
  permanent: { word: 'permanent failure', icon: 'failed', tone: 'warn' },
  neutral: { word: 'neutral', icon: 'idle', tone: 'quiet' },
};

/** For the status of a call or the outcome of an attempt. */
export const resultSign = (name: string): Sign => resultSigns[name] ?? { word: name, icon: 'dot', tone: 'quiet' };

export interface StatusProps {
  readonly sign: Sign;
  readonly filled?: boolean;
  readonly title?: string;
}

export function Status({ sign, filled = false, title }: StatusProps): ReactNode {
  return (
    <Badge tone={sign.tone} icon={sign.icon} filled={filled} title={title}>
      {sign.word}
    </Badge>
  );
}

export interface CircuitStatusProps {
  readonly circuit: CircuitState | null;
  readonly mode?: CircuitMode;
}

/** `open`, `forced open`, `no circuit`. */
export function CircuitStatus({ circuit, mode = 'auto' }: CircuitStatusProps): ReactNode {
  if (circuit === null) return <Badge icon="idle">no circuit</Badge>;
  const sign = circuitSigns[circuit];
  const word = circuitModeWord(mode);
  return (
    <Badge
      tone={word === undefined ? sign.tone : 'own'}
      icon={word === undefined ? sign.icon : 'hand'}
      title={word && `The circuit is ${sign.word}, ${word}`}
    >
      {word ?? sign.word}
    </Badge>
  );
}
