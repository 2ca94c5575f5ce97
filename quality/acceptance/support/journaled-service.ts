/** A service whose turns and batches run over a journal. Single calls have no turn and run as usual. */
import type { AnyTool, ToolCall, ToolExecutionServiceOptions, ToolResult, TurnPlan, TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import type { ManualSystem } from '@holdfast/core/testing';
import { memoryJournal } from '@holdfast/core/testing';

/** A turn that a test ran. */
export interface TurnOfTest {
  readonly plan: TurnPlan & { readonly turnId: string };
  readonly startedAt: number;
  /** Infinite while it runs. */
  readonly endedAt: () => number;
}

type ExecuteOptions = Parameters<ToolExecutionService['executeTurn']>[1];

export class JournaledService extends ToolExecutionService<readonly AnyTool[]> {
  readonly turns: TurnOfTest[] = [];
  readonly #system: ManualSystem;
  /** A call outside any turn was made: the state that turns meet then is not theirs alone. */
  ranOtherCalls = false;

  constructor(options: ToolExecutionServiceOptions<readonly AnyTool[]> & { readonly system: ManualSystem }) {
    super(options);
    this.#system = options.system;
  }

  override executeTurn(plan: TurnPlan, options: ExecuteOptions = {}): Promise<TurnResult> {
    const turnId = plan.turnId ?? `turn-${this.turns.length + 1}`;
    const own = { ...plan, turnId, ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }) };
    const startedAt = this.#system.now();
    const journal = memoryJournal({ system: this.#system });
    if (options.signal?.aborted) journal.cancel();
    options.signal?.addEventListener('abort', () => journal.cancel());
    const result = journal.run((process) => runJournaledTurn({ service: this, turnId, plan: own, journal: process.journal }));
    let endedAt = Number.POSITIVE_INFINITY;
    this.turns.push({ plan: own, startedAt, endedAt: () => endedAt });
    return result.finally(() => {
      endedAt = this.#system.now();
    });
  }

  override executeTool(...given: readonly unknown[]): Promise<never> {
    this.ranOtherCalls = true;
    return super.executeTool(...(given as Parameters<ToolExecutionService['executeTool']>)) as Promise<never>;
  }

  /** A batch is a turn given as a list, in which every call has an id. */
  override async executeToolBatch(...given: readonly unknown[]): Promise<never> {
    const [calls, options] = given as readonly [readonly ToolCall[], ExecuteOptions];
    const ids = new Set(calls.map(({ callId }, index) => callId ?? `call-${index + 1}`));
    if (ids.size < calls.length || calls.length === 0) {
      this.ranOtherCalls = true;
      return super.executeToolBatch(calls, options) as Promise<never>;
    }
    const { results }: { readonly results: readonly ToolResult[] } = await this.executeTurn({ calls }, options);
    return results as never;
  }
}
