/** Owns the protocol between the turn machine and its driver. Data only. The driver runs a call machine for each `start_call`. */
import type { Fault } from '../call/fault.ts';
import type { ToolResult } from '../call/result.ts';
import type { TraceEventBody } from '../trace/events.ts';
import type { PlanNode } from './plan.ts';
import type { TurnReport } from './report.ts';

export type TurnInput =
  | { readonly type: 'submitted' }
  | { readonly type: 'call_settled'; readonly callId: string; readonly result: ToolResult }
  | { readonly type: 'deadline_reached' }
  | { readonly type: 'cancelled'; readonly fault: Fault };

export type TurnEffect =
  | { readonly type: 'start_call'; readonly node: PlanNode; readonly arguments: unknown; readonly problem?: Fault }
  /** The turn's time is up for a call that was started. */
  | { readonly type: 'expire_call'; readonly callId: string; readonly onDeadline: 'detach' | 'abort'; readonly timeoutMs: number | null }
  | { readonly type: 'cancel_call'; readonly callId: string; readonly fault: Fault }
  | { readonly type: 'set_deadline'; readonly delayMs: number }
  | { readonly type: 'clear_deadline' }
  | { readonly type: 'append'; readonly event: TraceEventBody }
  | { readonly type: 'settle'; readonly report: TurnReport };
