/**
 * Owns the run of a turn on a journal: the commands to the journal, the entries from it, and the end of the run.
 *
 * A turn is a function of its inputs, so the journal is a log of inputs. The machines, the effect loop and the gates are those of every driver. Live inputs are
 * logged and processed; the outputs of the turn (steps, events for the store, the report) wait until the inputs that they follow from are journaled. Another
 * process replays the same inputs from the journal, and continues where they end.
 */
import { cancelledFault } from '../../engine/call/fault.ts';
import type { CallInput } from '../../engine/call/protocol.ts';
import { settingsLookup } from '../../runtime/drivers/call-settings.ts';
import type { CallRun } from '../../runtime/drivers/host.ts';
import { crashFault, failedResult } from '../../runtime/service/single-call.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import { crashReport } from '../../runtime/service/turn-execution.ts';
import type { TurnFacts } from '../../runtime/service/turn-started.ts';
import type { ToolSettings, TurnSettings } from '../../engine/settings/settings.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import type { PlanGraph } from '../../engine/turn/plan.ts';
import type { TurnInput } from '../../engine/turn/protocol.ts';
import type { TurnReport } from '../../engine/turn/report.ts';
import type { Slice } from './input-log.ts';
import { InputLog } from './input-log.ts';
import { InputQueue } from './input-queue.ts';
import { JournaledGates } from './journaled-gates.ts';
import { JournaledHost } from './journaled-host.ts';
import { JournaledTimers } from './journaled-timers.ts';
import { LocalHost } from './local-host.ts';
import type { InputEntry, TimerEntry } from './log-entry.ts';
import type { OpenedTurn } from './turn-opening.ts';
import { openTurn, readOpening } from './turn-opening.ts';
import { Outbox } from './outbox.ts';
import type { SetUpTurn } from './set-up-turn.ts';
import { setUpTurn } from './set-up-turn.ts';
import { takenOver } from './interrupted.ts';
import type { AttemptStep } from './attempt-steps.ts';
import { Steps } from './attempt-steps.ts';
import type { JournalEntry, TurnJournal } from './turn-journal.ts';

const deadline = 'deadline';

export interface JournaledRunOptions {
  readonly turnId: string;
  readonly graph: PlanGraph;
  readonly settings: TurnSettings;
  readonly executionId: string;
  readonly journal: TurnJournal;
}

export class JournaledRun {
  readonly #context: ServiceContext;
  readonly #options: JournaledRunOptions;
  readonly #log: InputLog;
  readonly #outbox: Outbox;
  readonly #inputs: InputQueue;
  readonly #steps: Steps;
  readonly #timers: JournaledTimers;
  readonly #local: LocalHost;
  readonly #host: JournaledHost;
  readonly #runs = new Map<string, CallRun>();
  #turn: SetUpTurn | undefined;
  /** The turn's clock was `base` when the system's clock was `since`. */
  #clock = { base: 0, since: 0 };
  /** The deadline by this process's clock. If it had passed before this process started, only the timer of the journal counts. */
  #endsAt = Number.POSITIVE_INFINITY;
  #isCancelled = false;
  /** Entries of another process were replayed, and this process has not gone live since. */
  #takesOver = false;
  #report: TurnReport | undefined;
  /** The length of the log that must be journaled before the report is final. */
  #reportNeeds = Number.POSITIVE_INFINITY;

  constructor(context: ServiceContext, options: JournaledRunOptions) {
    this.#context = context;
    this.#options = options;
    const log = new InputLog(context.redact, options.journal.maxBytes);
    this.#log = log;
    this.#outbox = new Outbox(context.hub);
    const inputs = new InputQueue({
      log,
      clock: () => this.#clock.base + context.system.now() - this.#clock.since,
      endsAt: () => (this.#report ? Number.POSITIVE_INFINITY : this.#endsAt),
      perform: (entry) => this.#perform(entry),
      onProcessed: () => this.#steps.endFinished(),
      trace: () => this.#openTrace,
    });
    this.#inputs = inputs;
    this.#steps = new Steps({
      journal: options.journal,
      log,
      runOf: (callKey) => this.#runs.get(callKey),
      onWork: (step) => this.#work(step),
    });
    this.#timers = new JournaledTimers(context.system, (call, timer, attempt) => inputs.add({ call, timer, attempt }));
    this.#local = new LocalHost(
      context,
      (event) => inputs.recordEvent(event),
      (error) => this.#onCrash(error, undefined),
    );
    const gates = new JournaledGates({ local: this.#local.gates, inputs, steps: this.#steps, onWake: (run) => this.#wake(run) });
    this.#host = new JournaledHost({
      local: this.#local,
      gates,
      inputs,
      log,
      steps: this.#steps,
      timers: this.#timers,
      onCrash: (error, run) => this.#onCrash(error, run),
    });
  }

  /** The report, once every input that it follows from is journaled. */
  get report(): TurnReport | undefined {
    return this.#log.journaled >= this.#reportNeeds ? this.#report : undefined;
  }

  get trace(): readonly TraceEvent[] {
    return this.#turn?.trace.events ?? [];
  }

  /** Requests the first steps from the journal: they follow from the plan. */
  begin(): void {
    const { nodes } = this.#options.graph;
    this.#steps.requestPlain('start', () => {
      if (this.#openHere()) this.#inputs.add({ input: { type: 'submitted' } });
    });
    this.#steps.requestEager(
      nodes.flatMap(({ callId, dependsOn, call }) => (dependsOn.length === 0 ? [{ callKey: callId, toolName: call.toolName }] : [])),
    );
  }

  /** Processes the next entry of the journal. */
  take(entry: JournalEntry): void {
    switch (entry.type) {
      case 'step':
        return this.#confirm(entry.name, entry.text);
      case 'timer':
        this.#expectEnd();
        return this.#steps.requestPlain(deadline, () => this.#end({ type: 'deadline_reached' }, this.#turn?.facts.settings.timeoutMs ?? 0));
      case 'cancelled':
        if (this.#isCancelled) return;
        this.#isCancelled = true;
        this.#expectEnd();
        return this.#steps.requestPlain('cancel', () =>
          this.#end({ type: 'cancelled', fault: cancelledFault(entry.reason, this.#context.redact) }, 0),
        );
    }
  }

  /** Prevents new work: it would start after the turn's end. */
  #expectEnd(): void {
    if (!this.#report) this.#inputs.hold();
  }

  /** Ends the turn from outside, possibly before its start. */
  #end(input: TurnInput, notBefore: number): void {
    this.#openHere();
    this.#goLive();
    this.#inputs.addEnd({ input }, notBefore);
  }

  /** Opens the turn in this process, unless the journal already has its opening. Returns whether it did. */
  #openHere(): boolean {
    if (this.#turn) return false;
    const { graph, settings, executionId } = this.#options;
    this.#open(openTurn(this.#context, graph, settings, executionId), true);
    return true;
  }

  /** Stops the run: another process has taken over the turn, or none will. Aborts running attempts, and returns their permits. */
  abandon(): void {
    this.#timers.clearAll();
    for (const run of this.#runs.values()) {
      run.crashed = true;
      for (const running of run.running) running.abort('superseded');
      const { target, ticket, live } = run.state;
      if (ticket !== undefined) this.#host.gates.cancelWait({ type: 'cancel_wait', toolName: target.toolName, ticket });
      for (const attempt of live)
        this.#host.gates.returnPermit({ type: 'return_permit', toolName: attempt.target.toolName, permit: attempt.permit });
      this.#host.gates.delayEnded(run);
    }
  }

  #confirm(name: string, text: string): void {
    const isFirst = this.#log.journaled === 0;
    const { end, more } = this.#steps.sliceOf(name) ?? this.#replay(text);
    this.#log.confirm(end);
    if (isFirst && this.#turn) this.#afterStart(this.#turn.facts);
    this.#steps.release();
    this.#outbox.release(this.#log.journaled);
    for (const step of this.#steps.active) if (step.working && step.start) this.#host.work(step);
    if (this.report) this.#close();
    else if (more) this.#steps.continueStep(name);
  }

  /** Replays a slice that another process has journaled. */
  #replay(text: string): Omit<Slice, 'text'> {
    const { opening, more, entries } = this.#log.read(text);
    if (opening && !this.#turn) this.#open(readOpening(opening), false);
    this.#inputs.replay(entries);
    this.#takesOver = true;
    return { end: this.#log.length, more };
  }

  /** Requests the steps and the timer that follow from the turn's settings, which are journaled now. */
  #afterStart({ settings, tools }: TurnFacts): void {
    const { journal, graph } = this.#options;
    if (settings.timeoutMs !== null) journal.timer(deadline, Math.max(settings.timeoutMs - this.#inputs.moment, 0));
    const settingsOf = (name: string): ToolSettings | undefined => tools.get(name);
    const calls = new Map(graph.nodes.map(({ callId, call }) => [callId, call]));
    this.#steps.requestEagerSideSteps((callKey) => {
      const call = calls.get(callKey);
      return call && settingsLookup(settingsOf, call)(call.toolName);
    });
  }

  /** Publishes events as they happen from now on: only late work is left. */
  #close(): void {
    this.#log.close();
    this.#outbox.release(Number.POSITIVE_INFINITY);
  }

  #open(opened: OpenedTurn, isNew: boolean): void {
    if (isNew) this.#log.open(opened.opening);
    this.#turn = setUpTurn(this.#context, this.#options, opened, {
      host: this.#host,
      sink: (event) => {
        this.#outbox.add(event, this.#log.length, this.#inputs.live);
        if (this.#log.journaled === Number.POSITIVE_INFINITY) this.#outbox.release(this.#log.journaled);
      },
      onCall: (callKey, run) => this.#runs.set(callKey, run),
      onSettled: (report) => this.#onSettled(report),
    });
    if (isNew) this.#goLive();
    this.#turn.begin();
  }

  get #openTrace(): Trace {
    if (!this.#turn) throw new Error('The journal holds inputs of a turn before its start');
    return this.#turn.trace;
  }

  #goLive(): void {
    if (this.#inputs.live || !this.#turn) return;
    const { system } = this.#context;
    const elapsedMs = system.epochMs() - this.#turn.startedAtEpochMs;
    this.#clock = { base: Math.max(this.#inputs.moment, elapsedMs), since: system.now() };
    const { timeoutMs } = this.#turn.facts.settings;
    if (timeoutMs !== null && this.#clock.base < timeoutMs) this.#endsAt = timeoutMs;
    this.#local.now();
    if (this.#takesOver) this.#inputs.recordEvent(takenOver(this.#clock.base - this.#inputs.moment, this.#steps.repeatable()));
    this.#inputs.goLive();
    this.#timers.goLive(this.#inputs.moment);
    this.#host.gates.goLive();
    if (this.#takesOver) this.#inputs.add({ input: { type: 'taken_over' } });
  }

  #work(step: AttemptStep): void {
    // The step of a first call may run before the step that opens the turn.
    if (!this.#turn || this.#inputs.held) return;
    this.#goLive();
    this.#local.now();
    this.#host.work(step);
    this.#steps.endFinished();
  }

  #perform(entry: InputEntry | TimerEntry): void {
    this.#local.now();
    if ('timer' in entry) return this.#timers.fire(entry.call, entry.timer, entry.attempt);
    const { call, input } = entry;
    if (input.type === 'taken_over') return;
    if (call === undefined) return this.#turn?.loop.feedTurn(input as TurnInput);
    const run = this.#runs.get(call);
    if (!run) return;
    if (input.type === 'admission') this.#steps.admission(call, input);
    this.#turn?.loop.feed(run, input as CallInput);
  }

  /** Ends the backoff of a call whose circuit has opened. */
  #wake(run: CallRun): void {
    const { spec, attempts } = run.state;
    const call = spec.callKey;
    if (this.#timers.isSet(call, 'backoff', attempts + 1)) this.#inputs.add({ call, timer: 'backoff', attempt: attempts + 1 });
  }

  #onSettled(report: TurnReport): void {
    this.#report = report;
    this.#inputs.releaseHold();
    this.#reportNeeds = this.#log.length;
  }

  /** Settles the call or the turn after a bug in the engine, so that no caller waits forever. */
  #onCrash(error: unknown, run: CallRun | undefined): void {
    if (run && !run.settled) {
      run.settled = true;
      run.onSettled(failedResult(run.state.spec, crashFault(error, this.#context.redact)));
    } else if (!run && !this.#report) this.#onSettled(crashReport(this.#context, this.#options.turnId, this.#options.graph, error));
  }
}
