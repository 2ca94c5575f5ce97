/** Fields that a whole request has besides messages and tools; a transcript that is checked on its own may lack them. */
import type { NeutralRequest } from '../neutral/neutral-request.ts';
import type { RequestProblem } from '../rules/problem.ts';
import { fieldsOf } from '../rules/reading.ts';

interface Body {
  readonly model?: unknown;
  readonly max_tokens?: unknown;
}

const missing = (path: string, message: string): RequestProblem => ({ rule: 'required-field', path, message });

export function missingFields(format: NeutralRequest['format'], body: unknown): readonly RequestProblem[] {
  const { model, max_tokens: limit } = fieldsOf<Body>(body);
  const unnamed = model === undefined || model === null || model === '';
  if (format === 'openai-chat') return unnamed ? [missing('model', 'you must provide a model parameter')] : [];
  if (format !== 'anthropic-messages') return [];
  return [
    ...(unnamed ? [missing('model', 'model: Field required')] : []),
    ...(limit === undefined || limit === null ? [missing('max_tokens', 'max_tokens: Field required')] : []),
  ];
}
