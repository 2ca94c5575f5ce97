/** Owns the list of behaviours, in their order. */
import type { Behaviour } from '../port.ts';
import { b01 } from './b01-permanent-probe.ts';
import { b02 } from './b02-hung-probe.ts';
import { b03 } from './b03-callers-during-probe.ts';
import { b04 } from './b04-aborted-waiter.ts';
import { b05 } from './b05-cancelled-probe.ts';
import { b06 } from './b06-stale-results.ts';
import { b07 } from './b07-idle-window.ts';
import { b08 } from './b08-own-refusals.ts';
import { b09 } from './b09-slot-of-lost-work.ts';
import { b10 } from './b10-sibling.ts';
import { b11 } from './b11-abort-in-backoff.ts';
import { b12 } from './b12-abort-of-attempt.ts';
import { b13 } from './b13-abort-is-no-timeout.ts';
import { b14 } from './b14-throwing-listener.ts';
import { b15 } from './b15-plain-functions.ts';
import { b16 } from './b16-long-delays.ts';
import { b17 } from './b17-clock-step.ts';
import { b18 } from './b18-seeded-delays.ts';
import { b19 } from './b19-retry-and-open-circuit.ts';
import { b20 } from './b20-when-to-come-back.ts';
import { b21 } from './b21-one-signal.ts';
import { b22 } from './b22-restored-state.ts';
import { b23 } from './b23-bounded-memory.ts';
import { b24 } from './b24-timers-left.ts';

export const behaviours: readonly Behaviour[] = [
  b01,
  b02,
  b03,
  b04,
  b05,
  b06,
  b07,
  b08,
  b09,
  b10,
  b11,
  b12,
  b13,
  b14,
  b15,
  b16,
  b17,
  b18,
  b19,
  b20,
  b21,
  b22,
  b23,
  b24,
];
