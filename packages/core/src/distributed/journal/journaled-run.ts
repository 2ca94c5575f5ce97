/**
 * Owns a turn on its way through a journal: what is asked of the journal, what is taken from it, and when it is done.
 *
 * A turn is a function of its inputs, so the journal is a log of inputs. The machines, the effect loop and the gates are those of every driver. Inputs are taken
 * live and logged; what leaves the turn (steps, events for the store, the report) waits until the journal has the inputs that it follows from. Another process
 * takes the same inputs from the journal, and continues where they end.
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
import { InputLine } from './input-queue.ts';
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
  readonly #line: InputLine;
  readonly #steps: Steps;
  readonly #timers: JournaledTimers;
  readonly #local: LocalHost;
  readonly #host: JournaledHost;
  readonly #runs = new Map<string, CallRun>();
  #turn: SetUpTurn | undefined;
  /** Where the turn's clock stood when the system's stood at `since`. */
  #clock = { base: 0, since: 0 };
  /** The deadline, by this process's clock. The journal's word counts where the clock says that it had passed before this process began. */
  #endsAt = Number.POSITIVE_INFINITY;
  #isCancelled = false;
  #report: TurnReport | undefined;
  /** The log must be journaled that far before the report is the turn's. */
  #reportNeeds = Number.POSITIVE_INFINITY;

  constructor(context: ServiceContext, options: JournaledRunOptions) {
    this.#context = context;
    this.#options = options;
    const log = new InputLog(context.redact, options.journal.mostBytes);
    this.#log = log;
    this.#outbox = new Outbox(context.hub);
    const line = new InputLine({
      log,
      clock: () => this.#clock.base + context.system.now() - this.#clock.since,
      endsAt: () => (this.#report ? Number.POSITIVE_INFINITY : this.#endsAt),
      perform: (entry) => this.#perform(entry),
      afterwards: () => this.#steps.endOver(),
      trace: () => this.#openTrace,
    });
    this.#line = line;
    this.#steps = new Steps({
      journal: options.journal,
      log,
      runOf: (callKey) => this.#runs.get(callKey),
      onWork: (step) => this.#work(step),
    });
    this.#timers = new JournaledTimers(context.system, (call, timer, attempt) => line.take({ call, timer, attempt }));
    this.#local = new LocalHost(
      context,
      (event) => line.tell(event),
      (error) => this.#crashed(error, undefined),
    );
    const gates = new JournaledGates({ local: this.#local.gates, line, steps: this.#steps, onWake: (run) => this.#wake(run) });
    this.#host = new JournaledHost({
      local: this.#local,
      gates,
      line,
      log,
      steps: this.#steps,
      timers: this.#timers,
      onCrash: (error, run) => this.#crashed(error, run),
    });
  }

  /** What the journal has led to, once it has all of it. */
  get report(): TurnReport | undefined {
    return this.#log.journaled >= this.#reportNeeds ? this.#report : undefined;
  }

  get trace(): readonly TraceEvent[] {
    return this.#turn?.trace.events ?? [];
  }

  /** Asks the journal for the first steps: they follow from the plan. */
  begin(): void {
    const { nodes } = this.#options.graph;
    this.#steps.plain('start', () => {
      if (this.#openHere()) this.#line.take({ input: { type: 'submitted' } });
    });
    this.#steps.eager(
      nodes.flatMap(({ callId, dependsOn, call }) => (dependsOn.length === 0 ? [{ callKey: callId, toolName: call.toolName }] : [])),
    );
  }

  /** Takes what the journal holds next. */
  take(entry: JournalEntry): void {
    switch (entry.type) {
      case 'step':
        return this.#confirm(entry.name, entry.text);
      case 'timer':
        this.#expectEnd();
        return this.#steps.plain(deadline, () => this.#end({ type: 'deadline_reached' }, this.#turn?.facts.settings.timeoutMs ?? 0));
      case 'cancelled':
        if (this.#isCancelled) return;
        this.#isCancelled = true;
        this.#expectEnd();
        return this.#steps.plain('cancel', () =>
          this.#end({ type: 'cancelled', fault: cancelledFault(entry.reason, this.#context.redact) }, 0),
        );
    }
  }

  /** What would begin from here on would begin after the end. */
  #expectEnd(): void {
    if (!this.#report) this.#line.hold();
  }

  /** Ends the turn from outside; before its start, too. */
  #end(input: TurnInput, notBefore: number): void {
    this.#openHere();
    this.#goLive();
    this.#line.takeEnd({ input }, notBefore);
  }

  /** Opens the turn in this process, unless the journal has brought it. Answers whether it did. */
  #openHere(): boolean {
    if (this.#turn) return false;
    const { graph, settings, executionId } = this.#options;
    this.#open(openTurn(this.#context, graph, settings, executionId), true);
    return true;
  }

  /** The turn is another process's now, or nobody's: what runs here is told to stop, and holds nothing any more. */
  abandon(): void {
    this.#timers.clearAll();
    for (const run of this.#runs.values()) {
      run.crashed = true;
      for (const running of run.running) running.abort('superseded');
      const { target, ticket, live } = run.state;
      if (ticket !== undefined) this.#host.gates.cancelWait({ type: 'cancel_wait', toolName: target.toolName, ticket });
      for (const { target: own, permit } of live) this.#host.gates.returnPermit({ type: 'return_permit', toolName: own.toolName, permit });
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
    else if (more) this.#steps.askForRest(name);
  }

  /** Takes a slice that another process has journaled. */
  #replay(text: string): Omit<Slice, 'text'> {
    const { opening, more, entries } = this.#log.read(text);
    if (opening && !this.#turn) this.#open(readOpening(opening), false);
    this.#line.replay(entries);
    return { end: this.#log.length, more };
  }

  /** The turn's settings are journaled: what follows from them is asked for. */
  #afterStart({ settings, tools }: TurnFacts): void {
    const { journal, graph } = this.#options;
    if (settings.timeoutMs !== null) journal.timer(deadline, Math.max(settings.timeoutMs - this.#line.moment, 0));
    const settingsOf = (name: string): ToolSettings | undefined => tools.get(name);
    const calls = new Map(graph.nodes.map(({ callId, call }) => [callId, call]));
    this.#steps.besideEager((callKey) => {
      const call = calls.get(callKey);
      return call && settingsLookup(settingsOf, call)(call.toolName);
    });
  }

  /** From now on late work is all there is: it is told as it happens. */
  #close(): void {
    this.#log.close();
    this.#outbox.release(Number.POSITIVE_INFINITY);
  }

  #open(opened: OpenedTurn, isNew: boolean): void {
    if (isNew) this.#log.open(opened.opening);
    this.#turn = setUpTurn(this.#context, this.#options, opened, {
      host: this.#host,
      sink: (event) => {
        this.#outbox.add(event, this.#log.length, this.#line.live);
        if (this.#log.journaled === Number.POSITIVE_INFINITY) this.#outbox.release(this.#log.journaled);
      },
      onCall: (callKey, run) => this.#runs.set(callKey, run),
      onSettled: (report) => this.#settled(report),
    });
    if (isNew) this.#goLive();
    this.#turn.begin();
  }

  get #openTrace(): Trace {
    if (!this.#turn) throw new Error('The journal holds inputs of a turn before its start');
    return this.#turn.trace;
  }

  #goLive(): void {
    if (this.#line.live || !this.#turn) return;
    const { system } = this.#context;
    const elapsedMs = system.epochMs() - this.#turn.startedAtEpochMs;
    this.#clock = { base: Math.max(this.#line.moment, elapsedMs), since: system.now() };
    const { timeoutMs } = this.#turn.facts.settings;
    if (timeoutMs !== null && this.#clock.base < timeoutMs) this.#endsAt = timeoutMs;
    this.#local.now();
    this.#line.goLive();
    this.#timers.goLive(this.#line.moment);
    this.#host.gates.goLive();
  }

  #work(step: AttemptStep): void {
    // A first call's step may be worked before the turn's own first.
    if (!this.#turn || this.#line.held) return;
    this.#goLive();
    this.#local.now();
    this.#host.work(step);
    this.#steps.endOver();
  }

  #perform(entry: InputEntry | TimerEntry): void {
    this.#local.now();
    if ('timer' in entry) return this.#timers.ring(entry.call, entry.timer, entry.attempt);
    const { call, input } = entry;
    if (call === undefined) return this.#turn?.loop.feedTurn(input as TurnInput);
    const run = this.#runs.get(call);
    if (!run) return;
    if (input.type === 'admission') this.#steps.admission(call, input);
    this.#turn?.loop.feed(run, input as CallInput);
  }

  /** A circuit opened: nobody sleeps against it. */
  #wake(run: CallRun): void {
    const { spec, attempts } = run.state;
    const call = spec.callKey;
    if (this.#timers.isSet(call, 'backoff', attempts + 1)) this.#line.take({ call, timer: 'backoff', attempt: attempts + 1 });
  }

  #settled(report: TurnReport): void {
    this.#report = report;
    this.#line.letGo();
    this.#reportNeeds = this.#log.length;
  }

  /** A bug of ours, answered for so that nobody waits for ever. */
  #crashed(error: unknown, run: CallRun | undefined): void {
    if (run && !run.settled) {
      run.settled = true;
      run.onSettled(failedResult(run.state.spec, crashFault(error, this.#context.redact)));
    } else if (!run && !this.#report) this.#settled(crashReport(this.#context, this.#options.turnId, this.#options.graph, error));
  }
}
