/**
 * Owns the steps of a journaled turn: one per attempt, asked of the journal before the attempt, ended when nothing more can come of it.
 *
 * Invariants
 * 1. Steps are asked for in an order that depends on journaled inputs alone: one that follows from an input waits until the journal has that input. The first
 *    calls of a plan follow from the plan, so theirs wait for nothing.
 * 2. A step is for one attempt at most, with the delay before it and the failure after it.
 * 3. Beside an attempt that may be hedged stand the steps of its hedges; beside one that must not be run twice, a step that says that it has begun.
 */
import type { CallInput } from '../../engine/call/protocol.ts';
import type { CallRun } from '../../runtime/drivers/host.ts';
import type { ToolSettings } from '../../engine/settings/settings.ts';
import type { InputLog, Slice } from './input-log.ts';
import type { TurnJournal } from './turn-journal.ts';

/** Plans may have thousands of first calls; as many are begun without waiting for the turn's own first step. */
const EAGER_CALLS = 16;

export interface AttemptStep {
  readonly name: string;
  readonly callKey: string;
  readonly kind: 'attempt' | 'hedge' | 'begun';
  /** The tool that it was asked for on behalf of, where that is known. */
  toolName: string | undefined;
  /** The attempt that it stands beside. */
  readonly beside: AttemptStep | undefined;
  /** The journal was asked for it. */
  asked: boolean;
  /** The journal has it, without a result: this process is to work it. */
  working: boolean;
  /** The admission that is its own. */
  request: number | undefined;
  /** The attempt that is its own. */
  attempt: number | undefined;
  /** Asks for admission once the step is worked. */
  ask: (() => void) | undefined;
  /** Starts the attempt once the step is worked. */
  start: (() => void) | undefined;
  /** The log must be journaled that far before it starts. */
  startsAfter: number;
  resolve: (() => void) | undefined;
  over: boolean;
}

type Admitted = Extract<CallInput, { type: 'admission' }>;

type StepSlice = Omit<Slice, 'text'>;

interface Waiting {
  readonly step: AttemptStep;
  readonly needs: number;
}

export interface StepsOptions {
  readonly journal: TurnJournal;
  readonly log: InputLog;
  /** `undefined` for a call that has not started. */
  readonly runOf: (callKey: string) => CallRun | undefined;
  /** This process is to work the step. */
  readonly onWork: (step: AttemptStep) => void;
}

export class Steps {
  readonly #options: StepsOptions;
  readonly #counts = new Map<string, number>();
  readonly #eager: AttemptStep[] = [];
  /** Asked for, or about to be, and not over. */
  readonly #active = new Set<AttemptStep>();
  readonly #waiting: Waiting[] = [];
  /** By call: the step that its next attempt will take. */
  readonly #next = new Map<string, AttemptStep>();
  readonly #admitted = new Map<string, AttemptStep>();
  readonly #byRequest = new Map<string, AttemptStep>();
  /** What steps of this process took to the journal. */
  readonly #slices = new Map<string, StepSlice>();
  /** By name of a step: asks for the one that takes the rest to the journal. */
  readonly #rests = new Map<string, () => void>();

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  get active(): Iterable<AttemptStep> {
    return this.#active;
  }

  /** A step that is no attempt: worked at once. Where more than one process works it, or it has a rest, `work` is called more than once. */
  plain(step: string, work: () => void, part = 0): void {
    const name = nameOfPart(step, part);
    this.#rests.set(name, () => this.plain(step, work, part + 1));
    this.#options.journal.step(name, async () => {
      await Promise.resolve();
      work();
      return this.#end(name);
    });
  }

  /** Begins the first calls of a plan. */
  eager(calls: readonly { readonly callKey: string; readonly toolName: string }[]): void {
    for (const { callKey, toolName } of calls.slice(0, EAGER_CALLS)) {
      const step = this.#add(callKey);
      step.toolName = toolName;
      this.#eager.push(step);
      this.#ask(step);
    }
  }

  /** What stands beside the eager ones, known once the turn's settings are journaled. */
  besideEager(settingsOf: (callKey: string) => ToolSettings | undefined): void {
    for (const step of this.#eager) {
      const settings = settingsOf(step.callKey);
      if (settings) for (const one of this.#beside(step, settings)) this.#ask(one);
    }
  }

  /** The step that the call's next attempt will take: there is one already, or the journal is asked for one. */
  nextOf(run: CallRun): AttemptStep {
    const { callKey } = run.state.spec;
    const next = this.#next.get(callKey);
    if (next) return next;
    const step = this.#add(callKey);
    step.toolName = run.state.target.toolName;
    const needs = this.#options.log.decisive;
    for (const one of [step, ...this.#beside(step, run.state.target.settings)]) this.#waiting.push({ step: one, needs });
    this.release();
    return step;
  }

  /**
   * Whether the failure that is to be decided on has a step that the decision can be journaled with: that of the failed attempt, or of the admission that was refused
   * (attempt 0). Others may be over or not, by what else has come in the same moment.
   */
  isUnderWay({ state: { spec, target } }: CallRun, attempt: number): boolean {
    for (const step of this.#active) {
      if (step.callKey !== spec.callKey) continue;
      const isRefused =
        step.kind === 'attempt' && step.attempt === undefined && step.request !== undefined && step.toolName === target.toolName;
      if (attempt === 0 ? isRefused : step.attempt === attempt) return true;
    }
    return false;
  }

  /** The call's admission takes its next step. One that was asked for on behalf of another tool ends: it takes to the journal why that one was not run. */
  takeNext(run: CallRun, request: number): AttemptStep {
    const before = this.#next.get(run.state.spec.callKey);
    if (before && before.toolName !== run.state.target.toolName) this.#finish(before);
    const step = this.nextOf(run);
    this.#next.delete(step.callKey);
    return this.#assign(step, request);
  }

  /** A hedge's admission takes a step beside the running attempt. */
  takeHedge(run: CallRun, request: number): AttemptStep | undefined {
    const { callKey } = run.state.spec;
    for (const step of this.#active)
      if (step.callKey === callKey && step.kind === 'hedge' && step.request === undefined) return this.#assign(step, request);
    return undefined;
  }

  #assign(step: AttemptStep, request: number): AttemptStep {
    step.request = request;
    this.#byRequest.set(`${request} ${step.callKey}`, step);
    return step;
  }

  /** An admission was answered: what starts next belongs to its step. */
  admission(callKey: string, { request, answer }: Admitted): void {
    const step = this.#byRequest.get(`${request} ${callKey}`);
    if (!step) return;
    if (answer.kind !== 'wait') step.ask = undefined;
    if (answer.kind === 'permit') this.#admitted.set(callKey, step);
  }

  /** The step whose admission was granted last. */
  admittedOf(callKey: string): AttemptStep | undefined {
    return this.#admitted.get(callKey);
  }

  /** Asks the journal for the steps whose causes it has. */
  release(): void {
    while (this.#waiting[0] && this.#waiting[0].needs <= this.#options.log.journaled) this.#ask((this.#waiting.shift() as Waiting).step);
  }

  /** Ends the steps of which nothing more can come. */
  endOver(): void {
    for (const step of this.#active) {
      const run = this.#options.runOf(step.callKey);
      if (run && isOver(step, run)) this.#finish(step);
    }
  }

  #finish(step: AttemptStep): void {
    step.over = true;
    this.#active.delete(step);
    if (this.#next.get(step.callKey) === step) this.#next.delete(step.callKey);
    step.resolve?.();
  }

  /** What the step took to the journal, when it was worked here. */
  sliceOf(name: string): StepSlice | undefined {
    return this.#slices.get(name);
  }

  /** The step continues under another name: its text did not hold all that it was to hold. */
  askForRest(name: string): void {
    this.#rests.get(name)?.();
  }

  #end(name: string): string {
    const { text, end, more } = this.#options.log.slice();
    this.#slices.set(name, { end, more });
    return text;
  }

  #add(callKey: string): AttemptStep {
    const count = (this.#counts.get(callKey) ?? 0) + 1;
    this.#counts.set(callKey, count);
    const step = createStep(`${callKey}#${count}`, callKey, 'attempt', undefined);
    this.#active.add(step);
    this.#next.set(callKey, step);
    return step;
  }

  #beside(attempt: AttemptStep, { hedge, effect }: ToolSettings): readonly AttemptStep[] {
    const steps: AttemptStep[] = [];
    if (effect === 'unsafe') steps.push(createStep(`${attempt.name} begun`, attempt.callKey, 'begun', attempt));
    if (hedge && effect === 'read')
      for (let number = 1; number <= hedge.maxHedges; number++)
        steps.push(createStep(`${attempt.name} hedge ${number}`, attempt.callKey, 'hedge', attempt));
    for (const step of steps) this.#active.add(step);
    return steps;
  }

  #ask(step: AttemptStep, part = 0): void {
    const name = nameOfPart(step.name, part);
    step.asked = true;
    this.#rests.set(name, () => this.#ask(step, part + 1));
    this.#options.journal.step(name, async () => {
      if (!step.over)
        await new Promise<void>((resolve) => {
          step.resolve = resolve;
          step.working = true;
          this.#options.onWork(step);
        });
      // Cut right before the work resolves, so that slices are journaled in the order in which they are cut.
      return this.#end(name);
    });
  }
}

function nameOfPart(step: string, part: number): string {
  return part === 0 ? step : `${step} more ${part}`;
}

function createStep(name: string, callKey: string, kind: AttemptStep['kind'], beside: AttemptStep | undefined): AttemptStep {
  return {
    name,
    callKey,
    kind,
    toolName: undefined,
    beside,
    asked: false,
    working: false,
    request: undefined,
    attempt: undefined,
    ask: undefined,
    start: undefined,
    startsAfter: 0,
    resolve: undefined,
    over: false,
  };
}

function isOver(step: AttemptStep, { state, crashed, settled }: CallRun): boolean {
  if (settled || crashed) return true;
  if (step.kind === 'begun') return step.beside?.over === true || step.beside?.attempt !== undefined;
  // The failure of an attempt belongs to its step until it is decided on.
  if (state.phase === 'preparing' || state.phase === 'assessing' || state.phase === 'consulting') return false;
  if (step.request === undefined) return step.beside?.over ?? false;
  if (state.pendingRequest === step.request || state.hedgeRequest === step.request) return false;
  return !state.live.some(({ number, orphaned }) => number === step.attempt && !orphaned);
}
