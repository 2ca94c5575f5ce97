/**
 * Owns the steps of a journaled turn: one per attempt, requested from the journal before the attempt, ended when the attempt can have no further result.
 *
 * Invariants
 * 1. The order in which steps are requested depends only on journaled inputs: a step that follows from an input waits until that input is journaled. The steps
 *    of a plan's first calls follow from the plan, so they do not wait.
 * 2. A step has at most one attempt, with the delay before it and the failure after it.
 * 3. An attempt that may be hedged has side steps for its hedges; an attempt that must not run twice has a side step that journals its start.
 */
import type { CallInput } from '../../engine/call/protocol.ts';
import type { CallRun } from '../../runtime/drivers/host.ts';
import { countedEffect } from '../../engine/settings/effect.ts';
import type { ToolSettings } from '../../engine/settings/settings.ts';
import type { InputLog, Slice } from './input-log.ts';
import type { TurnJournal } from './turn-journal.ts';

/** The number of first calls that start without waiting for the turn's first step: a plan may have thousands of them. */
const EAGER_CALLS = 16;

export interface AttemptStep {
  readonly name: string;
  readonly callKey: string;
  readonly kind: 'attempt' | 'hedge' | 'begun';
  /** The tool that the step was requested for, if known. */
  toolName: string | undefined;
  /** For a side step, the step of its attempt. */
  readonly mainStep: AttemptStep | undefined;
  /** The step was requested from the journal. */
  requested: boolean;
  /** The journal has the step without a result: it runs in this process. */
  working: boolean;
  /** The number of the step's admission request. */
  request: number | undefined;
  /** The number of the step's attempt. */
  attempt: number | undefined;
  /** Requests admission once the step runs. */
  requestAdmission: (() => void) | undefined;
  /** Starts the attempt once the step runs. */
  start: (() => void) | undefined;
  /** The length of the log that must be journaled before the attempt starts. */
  startsAfter: number;
  resolve: (() => void) | undefined;
  finished: boolean;
}

type AdmissionInput = Extract<CallInput, { type: 'admission' }>;

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
  /** The step runs in this process. */
  readonly onWork: (step: AttemptStep) => void;
}

export class Steps {
  readonly #options: StepsOptions;
  readonly #counts = new Map<string, number>();
  readonly #eager: AttemptStep[] = [];
  /** Requested or about to be requested, and not finished. */
  readonly #active = new Set<AttemptStep>();
  readonly #waiting: Waiting[] = [];
  /** By call: the step of its next attempt. */
  readonly #next = new Map<string, AttemptStep>();
  readonly #admitted = new Map<string, AttemptStep>();
  readonly #byRequest = new Map<string, AttemptStep>();
  /** The slices that steps of this process wrote to the journal. */
  readonly #slices = new Map<string, StepSlice>();
  /** By the name of a step: requests the step that writes the remaining entries to the journal. */
  readonly #continuations = new Map<string, () => void>();

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  get active(): Iterable<AttemptStep> {
    return this.#active;
  }

  /** Requests a step without an attempt. `work` is called more than once if the step runs in more than one process, or needs continuations. */
  requestPlain(step: string, work: () => void, part = 0): void {
    const name = nameOfPart(step, part);
    this.#continuations.set(name, () => this.requestPlain(step, work, part + 1));
    this.#options.journal.step(name, async () => {
      await Promise.resolve();
      work();
      return this.#end(name);
    });
  }

  /** Requests the steps of a plan's first calls. */
  requestEager(calls: readonly { readonly callKey: string; readonly toolName: string }[]): void {
    for (const { callKey, toolName } of calls.slice(0, EAGER_CALLS)) {
      const step = this.#add(callKey);
      step.toolName = toolName;
      this.#eager.push(step);
      this.#request(step);
    }
  }

  /** Requests the side steps of the first calls, which are known once the turn's settings are journaled. */
  requestEagerSideSteps(settingsOf: (callKey: string) => ToolSettings | undefined): void {
    for (const step of this.#eager) {
      const settings = settingsOf(step.callKey);
      if (settings) for (const sideStep of this.#addSideSteps(step, settings)) this.#request(sideStep);
    }
  }

  /** Returns the step of the call's next attempt, and requests one if there is none yet. */
  nextOf(run: CallRun): AttemptStep {
    const { callKey } = run.state.spec;
    const next = this.#next.get(callKey);
    if (next) return next;
    const step = this.#add(callKey);
    step.toolName = run.state.target.toolName;
    const needs = this.#options.log.decisive;
    for (const added of [step, ...this.#addSideSteps(step, run.state.target.settings)]) this.#waiting.push({ step: added, needs });
    this.release();
    return step;
  }

  /**
   * Whether there is an active step with which the decision on a failure can be journaled: the step of the failed attempt, or of the refused admission (attempt 0).
   * Whether other steps are finished may depend on other inputs of the same moment.
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

  /** Assigns the call's next step to an admission request. A step that was requested for another tool ends: it journals why that tool did not run. */
  takeNext(run: CallRun, request: number): AttemptStep {
    const before = this.#next.get(run.state.spec.callKey);
    if (before && before.toolName !== run.state.target.toolName) this.#finish(before);
    const step = this.nextOf(run);
    this.#next.delete(step.callKey);
    return this.#assign(step, request);
  }

  /** Assigns a side step of the running attempt to the admission request of a hedge. */
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

  /** Records the answer to an admission request: the attempt that starts next belongs to its step. */
  admission(callKey: string, { request, answer }: AdmissionInput): void {
    const step = this.#byRequest.get(`${request} ${callKey}`);
    if (!step) return;
    if (answer.kind !== 'wait') step.requestAdmission = undefined;
    if (answer.kind === 'permit') this.#admitted.set(callKey, step);
  }

  /** The step whose admission was granted last. */
  admittedOf(callKey: string): AttemptStep | undefined {
    return this.#admitted.get(callKey);
  }

  /**
   * The calls whose attempts a lost process may have started: their steps were requested, and what the steps wait for has been granted or asked. An attempt of a
   * tool that must not run twice has its start in the journal.
   */
  repeatable(): readonly string[] {
    const calls = new Set<string>();
    for (const { kind, callKey, requested, request, finished } of this.#active) {
      const run = this.#options.runOf(callKey);
      if (kind !== 'attempt' || !requested || request === undefined || finished || !run) continue;
      if (countedEffect(run.state.target.settings) !== 'unsafe') calls.add(callKey);
    }
    return [...calls];
  }

  /** Requests the steps whose causes are journaled. */
  release(): void {
    while (this.#waiting[0] && this.#waiting[0].needs <= this.#options.log.journaled)
      this.#request((this.#waiting.shift() as Waiting).step);
  }

  /** Ends the steps that can have no further result. */
  endFinished(): void {
    for (const step of this.#active) {
      const run = this.#options.runOf(step.callKey);
      if (run && isFinished(step, run)) this.#finish(step);
    }
  }

  #finish(step: AttemptStep): void {
    step.finished = true;
    this.#active.delete(step);
    if (this.#next.get(step.callKey) === step) this.#next.delete(step.callKey);
    step.resolve?.();
  }

  /** The slice that the step wrote to the journal, if it ran in this process. */
  sliceOf(name: string): StepSlice | undefined {
    return this.#slices.get(name);
  }

  /** Requests a continuation of the step: its text did not have space for all entries. */
  continueStep(name: string): void {
    this.#continuations.get(name)?.();
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

  #addSideSteps(attempt: AttemptStep, settings: ToolSettings): readonly AttemptStep[] {
    const { hedge, effect } = settings;
    const steps: AttemptStep[] = [];
    if (countedEffect(settings) === 'unsafe') steps.push(createStep(`${attempt.name} begun`, attempt.callKey, 'begun', attempt));
    if (hedge && effect === 'read')
      for (let number = 1; number <= hedge.maxHedges; number++)
        steps.push(createStep(`${attempt.name} hedge ${number}`, attempt.callKey, 'hedge', attempt));
    for (const step of steps) this.#active.add(step);
    return steps;
  }

  #request(step: AttemptStep, part = 0): void {
    const name = nameOfPart(step.name, part);
    step.requested = true;
    this.#continuations.set(name, () => this.#request(step, part + 1));
    this.#options.journal.step(name, async () => {
      if (!step.finished)
        await new Promise<void>((resolve) => {
          step.resolve = resolve;
          step.working = true;
          this.#options.onWork(step);
        });
      // The slice is cut right before the work resolves, so that slices are journaled in the order in which they are cut.
      return this.#end(name);
    });
  }
}

function nameOfPart(step: string, part: number): string {
  return part === 0 ? step : `${step} more ${part}`;
}

function createStep(name: string, callKey: string, kind: AttemptStep['kind'], mainStep: AttemptStep | undefined): AttemptStep {
  return {
    name,
    callKey,
    kind,
    toolName: undefined,
    mainStep,
    requested: false,
    working: false,
    request: undefined,
    attempt: undefined,
    requestAdmission: undefined,
    start: undefined,
    startsAfter: 0,
    resolve: undefined,
    finished: false,
  };
}

function isFinished(step: AttemptStep, { state, crashed, settled }: CallRun): boolean {
  if (settled || crashed) return true;
  if (step.kind === 'begun') return step.mainStep?.finished === true || step.mainStep?.attempt !== undefined;
  // The failure of an attempt belongs to its step until it is decided on.
  if (state.phase === 'preparing' || state.phase === 'assessing' || state.phase === 'consulting') return false;
  if (step.request === undefined) return step.mainStep?.finished ?? false;
  if (state.pendingRequest === step.request || state.hedgeRequest === step.request) return false;
  return !state.live.some(({ number, orphaned }) => number === step.attempt && !orphaned);
}
