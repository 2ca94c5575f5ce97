/**
 * The specification of a single call as a plain program: retries (S0 2), circuit (S0 3), timeout (S0 4.1) and metrics (S0 8.1, S4), one attempt after another.
 * It shares no code with the packages. Two readings of `docs/specification.md` are in it: the clock of retries starts at the first failure, and attempts are counted.
 */
export interface ModelPolicy {
  readonly strategy: 'exponential_backoff' | 'linear_backoff' | 'constant_backoff';
  readonly initialDelayMs: number;
  /** For `linear_backoff`. */
  readonly stepMs: number;
  readonly maxDelayMs: number;
  readonly multiplier: number;
  readonly maxAttempts: number;
  readonly maxTotalTimeMs: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
  readonly openMs: number;
  readonly timeoutMs: number;
  /** What counts as one failure: an attempt (S0 3), or a call that finally failed (S4). */
  readonly count: 'attempt' | 'call';
}

export interface ModelStep {
  readonly does: 'succeed' | 'fail_transient' | 'fail_permanent' | 'hang';
  readonly afterMs: number;
}

export interface ModelResult {
  readonly status: 'success' | 'error' | 'timeout';
  readonly attempts: number;
  readonly executionTime: number;
  readonly stoppedBy: 'attempts' | 'budget' | 'circuit' | undefined;
  readonly retryAfterMs: number | undefined;
}

/** What S0 8.2 wants to be recorded of a failed attempt. */
export interface ModelError {
  readonly classification: 'transient' | 'permanent';
  readonly circuit_breaker_state: string;
  readonly retry_count: number;
  readonly decision: 'retry' | 'escalate';
}

export interface ModelCounters {
  executions: number;
  success: number;
  error: number;
  timeout: number;
  refused: number;
  ran: number;
  ranMs: number;
  errors: number;
  transient: number;
  permanent: number;
  retries: number;
  retrySuccesses: number;
  opens: number;
  timeouts: number;
}

export class CallModel {
  readonly starts: number[] = [];
  readonly delays: number[] = [];
  readonly openedAt: number[] = [];
  readonly errors: ModelError[] = [];
  readonly counters: ModelCounters = {
    executions: 0,
    success: 0,
    error: 0,
    timeout: 0,
    refused: 0,
    ran: 0,
    ranMs: 0,
    errors: 0,
    transient: 0,
    permanent: 0,
    retries: 0,
    retrySuccesses: 0,
    opens: 0,
    timeouts: 0,
  };
  now = 0;
  failures = 0;
  readonly #policy: ModelPolicy;
  readonly #steps: readonly ModelStep[];
  #state: 'closed' | 'open' | 'half_open' = 'closed';
  #openUntil = 0;
  #successes = 0;
  #permanents = 0;

  constructor(policy: ModelPolicy, steps: readonly ModelStep[]) {
    this.#policy = policy;
    this.#steps = steps;
  }

  circuit(): 'closed' | 'open' | 'half_open' {
    if (this.#state === 'open' && this.now >= this.#openUntil) {
      this.#state = 'half_open';
      this.#successes = 0;
      this.#permanents = 0;
    }
    return this.#state;
  }

  reset(): void {
    this.#close();
  }

  call(): ModelResult {
    const began = this.now;
    const result = this.#run(began);
    const { counters } = this;
    counters.executions += 1;
    counters[result.status] += 1;
    if (result.attempts > 0) {
      counters.ran += 1;
      counters.ranMs += result.executionTime;
    }
    return result;
  }

  #run(began: number): ModelResult {
    const { maxDelayMs, maxAttempts, maxTotalTimeMs, timeoutMs } = this.#policy;
    const end = (status: ModelResult['status'], attempts: number, rest: Partial<ModelResult> = {}): ModelResult => ({
      status,
      attempts,
      executionTime: this.now - began,
      stoppedBy: undefined,
      retryAfterMs: undefined,
      ...rest,
    });
    if (this.circuit() === 'open') {
      this.counters.refused += 1;
      return end('error', 0, { retryAfterMs: this.#openUntil - this.now });
    }
    let firstFailure: number | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const probing = this.circuit() === 'half_open';
      const step = this.#steps[Math.min(this.starts.length, this.#steps.length - 1)] as ModelStep;
      this.starts.push(this.now);
      const late = step.does === 'hang' || step.afterMs >= timeoutMs;
      this.now += late ? timeoutMs : step.afterMs;
      const does = late ? 'fail_transient' : step.does;
      if (late) this.counters.timeouts += 1;
      // A probe is the whole call.
      const isOpen = does === 'fail_transient' && this.#policy.count === 'call' && !probing;
      this.#observe(does, attempt);
      if (!isOpen) this.#record(does);
      if (does === 'succeed') return end('success', attempt);
      const status = late ? 'timeout' : 'error';
      const note = (decision: ModelError['decision']): void => {
        const classification = does === 'fail_permanent' ? 'permanent' : 'transient';
        this.errors.push({ classification, circuit_breaker_state: this.#state, retry_count: attempt - 1, decision });
      };
      const giveUp = (rest: Partial<ModelResult>): ModelResult => {
        note('escalate');
        if (isOpen) this.#record(does);
        return end(status, attempt, rest);
      };
      if (does === 'fail_permanent') return giveUp({});
      firstFailure ??= this.now;
      if (probing || this.#state === 'open') return giveUp({ stoppedBy: 'circuit', retryAfterMs: this.#openUntil - this.now });
      if (attempt >= maxAttempts) return giveUp({ stoppedBy: 'attempts' });
      const delay = Math.min(this.#delayBehind(attempt), maxDelayMs);
      if (this.now + delay - firstFailure >= maxTotalTimeMs) return giveUp({ stoppedBy: 'budget' });
      note('retry');
      this.counters.retries += 1;
      this.delays.push(delay);
      this.now += delay;
    }
  }

  #delayBehind(attempt: number): number {
    const { strategy, initialDelayMs, multiplier, stepMs } = this.#policy;
    if (strategy === 'constant_backoff') return initialDelayMs;
    return strategy === 'linear_backoff' ? initialDelayMs + stepMs * (attempt - 1) : initialDelayMs * multiplier ** (attempt - 1);
  }

  #observe(does: Exclude<ModelStep['does'], 'hang'>, attempt: number): void {
    const { counters } = this;
    if (does === 'succeed') {
      if (attempt > 1) counters.retrySuccesses += 1;
      return;
    }
    counters.errors += 1;
    counters[does === 'fail_permanent' ? 'permanent' : 'transient'] += 1;
  }

  #record(does: Exclude<ModelStep['does'], 'hang'>): void {
    if (does === 'succeed') {
      this.#successes += 1;
      if (this.#state === 'closed' || this.#successes >= this.#policy.successThreshold) this.#close();
      return;
    }
    if (does === 'fail_permanent') {
      // The service answered: what is counted in a row is over. Three such answers in a row close a half-open circuit.
      this.#permanents += 1;
      if (this.#state === 'closed' || this.#permanents >= 3) this.#close();
      return;
    }
    this.failures += 1;
    if (this.#state === 'half_open' || this.failures >= this.#policy.failureThreshold) {
      this.#state = 'open';
      this.#openUntil = this.now + this.#policy.openMs;
      this.openedAt.push(this.now);
      this.counters.opens += 1;
    }
  }

  #close(): void {
    this.#state = 'closed';
    this.failures = 0;
    this.#successes = 0;
    this.#permanents = 0;
  }
}
