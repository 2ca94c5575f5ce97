/** Owns what is known about a turn when it has ended. */

/** How one turn of a run ended. Times are milliseconds since the run began. */
export interface EndedTurn {
  /** Id of the turn, the same for every contender in worlds without closed groups. */
  readonly id: string;
  /** Number of its group of agents, from 0. */
  readonly group: number;
  /** When the turn began. */
  readonly startedAt: number;
  /** When it ended, or its deadline if that was earlier. */
  readonly endedAt: number;
  /** Calls of its plan. */
  readonly calls: number;
  /** Calls that succeeded. */
  readonly callsSucceeded: number;
  /** Whether all required calls succeeded in time. */
  readonly succeeded: boolean;
  /** The turn has a call that can never work: it is no evidence about the policy. */
  readonly hopeless: boolean;
}
