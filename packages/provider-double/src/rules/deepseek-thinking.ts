/** When DeepSeek's models think: in Chat Completions and in Messages alike. */
import { fieldsOf, textOf } from './reading.ts';

/** V4 and later. */
export const isSinceV4 = (model: unknown): boolean => /deepseek-(?:v4|flash|pro)/.test(textOf(model));

/** The models from V4 on think unless told otherwise, and so does `deepseek-reasoner`. */
export function thinksAtDeepSeek({ thinking, model }: { readonly thinking?: unknown; readonly model?: unknown }): boolean {
  const { type } = fieldsOf<{ readonly type?: unknown }>(thinking);
  if (type === 'enabled' || type === 'disabled') return type === 'enabled';
  return textOf(model).includes('reasoner') || isSinceV4(model);
}
