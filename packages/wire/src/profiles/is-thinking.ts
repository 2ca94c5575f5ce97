/** Owns whether a model thinks in a request: as the request says, else as the model does unasked. */
import { valueAt, type JsonObject } from '../json.ts';
import type { ProviderRules } from './provider-rules.ts';

export function isThinking(request: JsonObject, { thinksUnasked }: ProviderRules): boolean {
  const type = valueAt(request['thinking'], ['type']);
  return type === 'enabled' || (thinksUnasked && type !== 'disabled');
}
