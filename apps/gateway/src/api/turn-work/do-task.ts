/** Owns doing a task with a recorded turn: its answer as JSON, or why there is none. Runs on both sides of the thread. */
import type { TraceEvent } from '@holdfast/core';
import { toChromeTrace, toOtlpJson } from '@holdfast/telemetry/export';
import { whatIfAnswer } from '../what-if/answer.ts';
import type { Reply, TurnTask } from './protocol.ts';

/** `pause`: done where others have to get their turn. */
export async function doTask(events: readonly TraceEvent[], task: TurnTask, pause?: () => Promise<void>): Promise<Reply> {
  try {
    const text = JSON.stringify(await answerTo(events, task, pause));
    return { bytes: new TextEncoder().encode(text) };
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith(ofReplay)) return { problem: error.message.slice(ofReplay.length) };
    throw error;
  }
}

const ofReplay = 'replay: ';

async function answerTo(events: readonly TraceEvent[], task: TurnTask, pause: (() => Promise<void>) | undefined): Promise<object> {
  switch (task.kind) {
    case 'what_if':
      return whatIfAnswer(events, task.changes, pause);
    case 'otlp':
      return toOtlpJson(events, { content: true });
    case 'chrome':
      return toChromeTrace(events, { content: true });
  }
}
