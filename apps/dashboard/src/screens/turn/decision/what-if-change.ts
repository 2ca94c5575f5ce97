/** The settings that a what-if can change, as a flat record. Used for the form and for the URL. */

/** The settings of a tool (or of all tools) and of the turn. Absent: as recorded. */
export interface WhatIfChange {
  /** Absent: every tool. */
  readonly tool?: string;
  readonly max_attempts?: number;
  readonly initial_delay_ms?: number;
  readonly max_delay_ms?: number;
  readonly max_total_time_ms?: number;
  readonly timeout_ms?: number;
  readonly failure_threshold?: number;
  readonly accept_partial?: boolean;
  readonly turn_timeout_ms?: number;
  readonly turn_max_retries?: number;
}
