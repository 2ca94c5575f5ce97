/** Owns reading the progress that a tool reports: only known fields, only plain values, whatever the tool passes. */
import type { Redactor } from '../../../engine/plain/redact.ts';
import type { Progress } from '../../../engine/tool/runner.ts';

export function readProgress(given: unknown, redact: Redactor): Progress {
  try {
    const { progress, total, message } = given as Progress;
    return {
      ...(typeof progress === 'number' && Number.isFinite(progress) ? { progress } : {}),
      ...(typeof total === 'number' && Number.isFinite(total) ? { total } : {}),
      ...(typeof message === 'string' ? { message: redact(message.slice(0, 500)) } : {}),
    };
  } catch {
    return {};
  }
}
