/** The output of `whatif --output json`. */
import type { Compared, WhatIf } from '@holdfast/what-if';

export function whatIfData(answer: WhatIf, tool: string | undefined): unknown {
  const tools = Object.entries(answer.tools).filter(([name]) => tool === undefined || name === tool);
  return {
    total: comparedData(answer.total),
    whole: answer.whole,
    duration_ms: answer.duration,
    tools: Object.fromEntries(tools.map(([name, compared]) => [name, comparedData(compared)])),
    turns: answer.turns.map((turn) => ({
      turn_id: turn.turnId,
      ...comparedData(turn),
      whole: turn.whole,
      duration_ms: turn.duration,
      parts: turn.parts.map((part) => ({ call_id: part.callId, tool_id: part.toolName, ...comparedData(part) })),
    })),
    left_out: answer.leftOut.map(({ turnId, reason, message }) => ({ turn_id: turnId, reason, message })),
    assumptions: answer.assumptions,
  };
}

function comparedData({ calls, recorded, changed, observedShare }: Compared) {
  const toSnakeCase = <Value>({ timeMs, ...figures }: Compared['recorded'] | Compared['changed']) => ({
    ...figures,
    time_ms: timeMs as Value,
  });
  return {
    calls,
    observed_share: observedShare,
    recorded: toSnakeCase<number>(recorded),
    changed: toSnakeCase<Compared['changed']['timeMs']>(changed),
  };
}
