/** Owns the tools of a scene, for every driver: each attempt plays its script, and the observer records it. */
import type { AnyTool, AttemptContext } from '@holdfast/core';
import { defineTool } from '@holdfast/core';
import { drawScript } from '../scene/attempt-script.ts';
import type { FuzzScene, FuzzTool } from '../scene/scene.ts';
import type { Observer, Work } from './observation.ts';
import type { Clock } from './play-attempt.ts';
import { playAttempt } from './play-attempt.ts';

/** More attempts than any scene may make. */
const MAX_WORKS = 5_000;

export interface ToolWorld {
  readonly clock: Clock;
  readonly observer: Observer;
  /** Whether an attempt may end within the call. */
  readonly atOnce: boolean;
  /** A dead process receives nothing any more. */
  readonly isAlive: () => boolean;
  readonly onBegin?: (work: Work) => void;
}

export function sceneTool(scene: FuzzScene, tool: FuzzTool, { clock, observer, atOnce, isAlive, onBegin }: ToolWorld): AnyTool {
  return defineTool({
    ...tool.policy,
    name: tool.name,
    run: (_args: unknown, context: AttemptContext) => {
      const { toolName, turnId, callId, attempt, idempotencyKey, timeoutMs, signal, reportPartial } = context;
      const script = drawScript(scene, tool, { turnId, callId, attempt }, clock.now(), timeoutMs);
      const work = observer.begin({ toolName, turnId, callId, attempt, idempotencyKey, timeoutMs, script });
      onBegin?.(work);
      if (observer.works.length > MAX_WORKS) {
        observer.problems.push('attempts without end');
        throw Object.assign(new Error('enough'), { status: 400 });
      }
      return new Promise((resolve, reject) => {
        const { abort, atOnce: immediate } = playAttempt({ clock, observer, atOnce }, work, {
          end: (ending) => isAlive() && (ending.ok ? resolve(ending.output) : reject(ending.error as Error)),
          reportPartial: (output) => isAlive() && reportPartial(output),
        });
        if (immediate?.ok) resolve(immediate.output);
        else if (immediate) reject(immediate.error as Error);
        else signal.addEventListener('abort', abort);
      });
    },
  });
}
