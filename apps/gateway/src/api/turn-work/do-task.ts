/** Owns running a task on a recorded turn: its answer as JSON, or the problem. Runs in the main thread and in the worker thread. */
import type { TraceEvent } from '@holdfast/core';
import { toChromeTrace, toOtlpJson } from '@holdfast/telemetry/export';
import { whatIfAnswer, type WhatIfLimits } from '../what-if/answer.ts';
import type { Reply, TurnTask } from './protocol.ts';

export async function doTask(events: readonly TraceEvent[], task: TurnTask, limits: WhatIfLimits): Promise<Reply> {
  try {
    const text = JSON.stringify(await answerTo(events, task, limits));
    return { bytes: new TextEncoder().encode(text) };
  } catch (error) {
    const { message, code } = error as { readonly message?: unknown; readonly code?: unknown };
    if (typeof message !== 'string' || !message.startsWith(replayPrefix)) throw error;
    return { problem: message.slice(replayPrefix.length), isTooMuch: code === 'TOO_MANY_UNKNOWN' };
  }
}

const replayPrefix = 'replay: ';

async function answerTo(events: readonly TraceEvent[], task: TurnTask, limits: WhatIfLimits): Promise<object> {
  switch (task.kind) {
    case 'what_if':
      return whatIfAnswer(events, task.changes, limits);
    case 'otlp':
      return toOtlpJson(events, { content: true });
    case 'chrome':
      return toChromeTrace(events, { content: true });
  }
}
