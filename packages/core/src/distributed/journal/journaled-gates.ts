/**
 * Owns the gates of a journaled turn: those of this process, with their answers logged. Permits of another process have no permit here until an attempt is
 * adopted.
 */
import type { Permit } from '../../engine/admission/types.ts';
import type { CallInput } from '../../engine/call/protocol.ts';
import type { CallRun, Effect, Feed, Gates } from '../../runtime/drivers/host.ts';
import type { InputQueue } from './input-queue.ts';
import type { Steps } from './attempt-steps.ts';

export interface JournaledGatesOptions {
  /** This process's gates. */
  readonly local: Gates;
  readonly inputs: InputQueue;
  readonly steps: Steps;
  /** Ends the backoff of the call now. */
  readonly onWake: (run: CallRun) => void;
}

export class JournaledGates implements Gates {
  readonly #options: JournaledGatesOptions;
  /** By the permit in the machine's state: the permit that a gate of this process granted. */
  readonly #permits = new WeakMap<Permit, Permit>();
  /** Permits of other processes that have been released. */
  readonly #released = new WeakSet<Permit>();
  readonly #tickets = new Set<string>();
  readonly #delayedCalls = new Set<CallRun>();

  constructor(options: JournaledGatesOptions) {
    this.#options = options;
  }

  admit(run: CallRun, effect: Effect<'admit'>, feed: Feed): void {
    const { steps, inputs } = this.#options;
    const hedging = run.state.hedgeRequest === effect.request;
    const step = hedging ? steps.takeHedge(run, effect.request) : steps.takeNext(run, effect.request);
    if (!step) return inputs.skipQuestion();
    step.requestAdmission = () => {
      if (isAwaited(run, effect)) this.#askGate(run, effect, (answered, input) => inputs.add({ call: keyOf(answered), input }));
    };
    // A step that is not in the journal yet runs once it is: admission is requested then.
    if (inputs.live && !step.requested) return inputs.skipQuestion();
    const answer: Feed = (answered, input) => {
      if (input.type === 'admission') steps.admission(keyOf(answered), input);
      feed(answered, input);
    };
    // A request in the record may have to be repeated here: it waits at a gate of another process.
    if (inputs.live) step.requestAdmission = undefined;
    inputs.ask(run, undefined, (answered) => this.#askGate(run, effect, answered), answer);
  }

  #askGate(run: CallRun, effect: Effect<'admit'>, feed: Feed): void {
    this.#options.local.admit(run, effect, (answered, input) => {
      this.#register(input);
      feed(answered, input);
    });
  }

  /** Registers the permits and tickets of this process's gates, so that they can be returned. */
  #register(input: CallInput): void {
    if (input.type !== 'admission') return;
    if (input.answer.kind === 'permit') this.#permits.set(input.answer.permit, input.answer.permit);
    if (input.answer.kind === 'wait') this.#tickets.add(ticketName(input.toolName, input.answer.ticket));
  }

  /** Continues an attempt of another process here: its permit is mapped to one of this process from now on, if a gate grants one. */
  adopt(run: CallRun, permit: Permit, effect: Effect<'admit'>): 'admitted' | 'refused' {
    const { local } = this.#options;
    let answer: 'admitted' | 'refused' = 'admitted';
    local.admit(run, effect, (_run, input) => {
      if (input.type !== 'admission') return;
      const { toolName, answer: admission } = input;
      if (admission.kind === 'wait') local.cancelWait({ type: 'cancel_wait', toolName, ticket: admission.ticket });
      if (admission.kind === 'refused' && admission.refusal.code === 'CIRCUIT_OPEN') answer = 'refused';
      if (admission.kind !== 'permit') return;
      // With shared circuits, the answer may arrive after the attempt has ended.
      if (this.#released.has(permit)) local.returnPermit({ type: 'return_permit', toolName, permit: admission.permit });
      else this.#permits.set(permit, admission.permit);
    });
    return answer;
  }

  cancelWait(effect: Effect<'cancel_wait'>): void {
    if (this.#tickets.delete(ticketName(effect.toolName, effect.ticket))) this.#options.local.cancelWait(effect);
  }

  record(run: CallRun, effect: Effect<'record'>, feed: Feed): void {
    const { local, inputs } = this.#options;
    const permit = this.#permits.get(effect.permit);
    inputs.ask(
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
    this.#options.inputs.ask(run, 'assessed', (answered) => this.#options.local.observe(run, effect, answered), feed);
  }

  /** A hold in the record was applied in another process, and may have ended since. */
  hold(effect: Effect<'hold'>): void {
    if (this.#options.inputs.live) this.#options.local.hold(effect);
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
    if (this.#options.inputs.live) this.#options.local.delayStarted(run, () => this.#options.onWake(run));
  }

  delayEnded(run: CallRun): void {
    if (this.#delayedCalls.delete(run)) this.#options.local.delayEnded(run);
  }

  /** Registers the delays that the record left running with the gates of this process. */
  goLive(): void {
    for (const run of this.#delayedCalls) this.#options.local.delayStarted(run, () => this.#options.onWake(run));
  }
}

/** Whether the machine still waits for the answer. */
function isAwaited({ state }: CallRun, { request }: Effect<'admit'>): boolean {
  return state.pendingRequest === request || state.hedgeRequest === request;
}

const keyOf = (run: CallRun): string => run.state.spec.callKey;

const ticketName = (toolName: string, ticket: number): string => `${ticket} ${toolName}`;
