/** Owns turns of clients that only know single calls: each call begins when its dependencies have succeeded, and dependants of a failure are not run. */
import { checkOptions } from '@holdfast/core/internal/plain';
import type { Contender, LabCall, LabClient, LabRun, LabTurn, LabTurnResult } from './contender.ts';

/** Runs one call and calls `done` once. Returns a function that aborts it, if that is possible. */
export type CallClient = (call: LabCall, turn: LabTurn, done: (succeeded: boolean) => void) => (() => void) | undefined;

/** A contender that handles calls one by one and knows nothing of turns. */
export interface CallContenderOptions {
  /** Name of the contender in tables. */
  readonly name: string;
  /** One line for tables. @default none */
  readonly description?: string;
  /** One client serves all processes of a world: for contenders that know the future. @default false */
  readonly sharesProcesses?: boolean;
  /** Starts the contender for one process of a run; what it creates here is shared by all its agents. */
  readonly start: (run: LabRun) => CallClient;
}

/**
 * Creates a contender from a function that runs single calls.
 * Runs the calls of a turn in the order of their dependencies and skips what depends on a failed call.
 */
export function callContender(options: CallContenderOptions): Contender {
  checkOptions({ name: 'string', description: 'string', sharesProcesses: 'boolean', start: 'function' }, options, 'callContender', [
    'name',
    'start',
  ]);
  const { start, ...named } = options;
  return { ...named, start: (run) => createTurnClient(run, start(run)) };
}

function createTurnClient(run: LabRun, client: CallClient): LabClient {
  return {
    turn(turn, done) {
      if (turn.calls.length === 1) runAlone(run, client, turn, done);
      else new PlannedTurn(run, client, turn, done).begin();
    },
  };
}

function runAlone(run: LabRun, client: CallClient, turn: LabTurn, done: (result: LabTurnResult) => void): void {
  const deadline = run.setTimer(turn.deadlineAt - run.now(), () => {
    giveUp?.();
    done({ succeeded: [false] });
  });
  const giveUp = client(turn.calls[0] as LabCall, turn, (succeeded) => {
    run.clearTimer(deadline);
    done({ succeeded: [succeeded] });
  });
}

/** A running turn of several calls. */
class PlannedTurn {
  readonly #run: LabRun;
  readonly #client: CallClient;
  readonly #turn: LabTurn;
  readonly #done: (result: LabTurnResult) => void;
  readonly #succeeded: (boolean | undefined)[];
  readonly #begun = new Set<number>();
  readonly #givingUp = new Map<number, () => void>();
  readonly #places: ReadonlyMap<string, number>;
  #over = false;

  constructor(run: LabRun, client: CallClient, turn: LabTurn, done: (result: LabTurnResult) => void) {
    this.#run = run;
    this.#client = client;
    this.#turn = turn;
    this.#done = done;
    this.#succeeded = turn.calls.map(() => undefined);
    this.#places = new Map(turn.calls.map(({ plan }, index) => [plan.id, index]));
  }

  begin(): void {
    const deadline = this.#run.setTimer(this.#turn.deadlineAt - this.#run.now(), () => {
      for (const giveUp of this.#givingUp.values()) giveUp();
      this.#end();
    });
    this.#advance(() => this.#run.clearTimer(deadline));
  }

  #advance(clear: () => void): void {
    for (const [index, call] of this.#turn.calls.entries()) {
      if (this.#over) return;
      if (this.#begun.has(index)) continue;
      const dependencies = call.plan.dependsOn.map((id) => this.#succeeded[this.#places.get(id) ?? -1]);
      if (dependencies.includes(false)) this.#conclude(index, false, clear);
      else if (!dependencies.includes(undefined)) this.#start(index, call, clear);
    }
  }

  #start(index: number, call: LabCall, clear: () => void): void {
    this.#begun.add(index);
    const giveUp = this.#client(call, this.#turn, (succeeded) => this.#conclude(index, succeeded, clear));
    if (giveUp && this.#succeeded[index] === undefined) this.#givingUp.set(index, giveUp);
  }

  #conclude(index: number, succeeded: boolean, clear: () => void): void {
    if (this.#over || this.#succeeded[index] !== undefined) return;
    this.#begun.add(index);
    this.#succeeded[index] = succeeded;
    this.#givingUp.delete(index);
    if (this.#succeeded.includes(undefined)) return this.#advance(clear);
    clear();
    this.#end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#done({ succeeded: this.#succeeded.map((succeeded) => succeeded === true) });
  }
}
