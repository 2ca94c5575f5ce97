/**
 * Owns what a journaled turn does at the tools' gates: this process's own. Answers are logged; permits of another process are none here.
 */
import type { Permit } from '../../engine/admission/types.ts';
import type { CallInput } from '../../engine/call/protocol.ts';
import type { CallRun, Effect, Feed, Gates } from '../../runtime/drivers/host.ts';
import type { InputLine } from './input-queue.ts';
import type { Steps } from './attempt-steps.ts';

export interface JournaledGatesOptions {
  /** This process's gates. */
  readonly local: Gates;
  readonly line: InputLine;
  readonly steps: Steps;
  /** The call's back-off is to end now. */
  readonly onWake: (run: CallRun) => void;
}

export class JournaledGates implements Gates {
  readonly #options: JournaledGatesOptions;
  /** By the permit that the machine knows: the one that a gate of this process gave. */
  readonly #permits = new WeakMap<Permit, Permit>();
  /** Permits of other processes that are not held any more. */
  readonly #released = new WeakSet<Permit>();
  readonly #tickets = new Set<string>();
  readonly #delayedCalls = new Set<CallRun>();

  constructor(options: JournaledGatesOptions) {
    this.#options = options;
  }

  admit(run: CallRun, effect: Effect<'admit'>, feed: Feed): void {
    const { steps, line } = this.#options;
    const hedging = run.state.hedgeRequest === effect.request;
    const step = hedging ? steps.takeHedge(run, effect.request) : steps.takeNext(run, effect.request);
    if (!step) return line.leaveOpen();
    step.ask = () => {
      if (isAwaited(run, effect)) this.#askGate(run, effect, (answered, input) => line.take({ call: keyOf(answered), input }));
    };
    // A step that the journal does not have yet is worked once it has it: its admission is asked for then.
    if (line.live && !step.asked) return line.leaveOpen();
    const answer: Feed = (answered, input) => {
      if (input.type === 'admission') steps.admission(keyOf(answered), input);
      feed(answered, input);
    };
    // Asked in the record, it may have to be asked here again: the gate that it waits at is another process's.
    if (line.live) step.ask = undefined;
    line.ask(run, undefined, (answered) => this.#askGate(run, effect, answered), answer);
  }

  #askGate(run: CallRun, effect: Effect<'admit'>, feed: Feed): void {
    this.#options.local.admit(run, effect, (answered, input) => {
      this.#note(input);
      feed(answered, input);
    });
  }

  /** What this process's gates gave is theirs again. */
  #note(input: CallInput): void {
    if (input.type !== 'admission') return;
    if (input.answer.kind === 'permit') this.#permits.set(input.answer.permit, input.answer.permit);
    if (input.answer.kind === 'wait') this.#tickets.add(ticketName(input.toolName, input.answer.ticket));
  }

  /** An attempt that another process made continues here: its permit stands for one of this process from now on, if one is to be had. */
  adopt(run: CallRun, permit: Permit, effect: Effect<'admit'>): 'admitted' | 'refused' {
    const { local } = this.#options;
    let answer: 'admitted' | 'refused' = 'admitted';
    local.admit(run, effect, (_run, input) => {
      if (input.type !== 'admission') return;
      const { toolName, answer: given } = input;
      if (given.kind === 'wait') local.cancelWait({ type: 'cancel_wait', toolName, ticket: given.ticket });
      if (given.kind === 'refused' && given.refusal.code === 'CIRCUIT_OPEN') answer = 'refused';
      if (given.kind !== 'permit') return;
      // A fleet may take its time to answer.
      if (this.#released.has(permit)) local.returnPermit({ type: 'return_permit', toolName, permit: given.permit });
      else this.#permits.set(permit, given.permit);
    });
    return answer;
  }

  cancelWait(effect: Effect<'cancel_wait'>): void {
    if (this.#tickets.delete(ticketName(effect.toolName, effect.ticket))) this.#options.local.cancelWait(effect);
  }

  record(run: CallRun, effect: Effect<'record'>, feed: Feed): void {
    const { local, line } = this.#options;
    const permit = this.#permits.get(effect.permit);
    line.ask(
      run,
      effect.answer ? 'assessed' : undefined,
      (answered) => {
        if (permit) local.record(run, { ...effect, permit }, answered);
        else if (effect.answer) local.observe(run, { type: 'observe', toolName: effect.toolName }, answered);
      },
      feed,
    );
  }

  observe(run: CallRun, effect: Effect<'observe'>, feed: Feed): void {
    this.#options.line.ask(run, 'assessed', (answered) => this.#options.local.observe(run, effect, answered), feed);
  }

  /** What was asked for in the record was asked of another process, and by now may be over. */
  hold(effect: Effect<'hold'>): void {
    if (this.#options.line.live) this.#options.local.hold(effect);
  }

  orphan(effect: Effect<'orphan'>): void {
    const permit = this.#permits.get(effect.permit);
    if (permit) this.#options.local.orphan({ ...effect, permit });
  }

  release(effect: Effect<'release'>): void {
    const permit = this.#permits.get(effect.permit);
    if (permit) this.#options.local.release({ ...effect, permit });
    else this.#released.add(effect.permit);
  }

  returnPermit(effect: Effect<'return_permit'>): void {
    const permit = this.#permits.get(effect.permit);
    if (permit) this.#options.local.returnPermit({ ...effect, permit });
  }

  delayStarted(run: CallRun): void {
    this.#delayedCalls.add(run);
    if (this.#options.line.live) this.#options.local.delayStarted(run, () => this.#options.onWake(run));
  }

  delayEnded(run: CallRun): void {
    if (this.#delayedCalls.delete(run)) this.#options.local.delayEnded(run);
  }

  /** Those who sleep in the record sleep here. */
  goLive(): void {
    for (const run of this.#delayedCalls) this.#options.local.delayStarted(run, () => this.#options.onWake(run));
  }
}

/** No answer to it has been taken that lets the call continue. */
function isAwaited({ state }: CallRun, { request }: Effect<'admit'>): boolean {
  return state.pendingRequest === request || state.hedgeRequest === request;
}

const keyOf = (run: CallRun): string => run.state.spec.callKey;

const ticketName = (toolName: string, ticket: number): string => `${ticket} ${toolName}`;
