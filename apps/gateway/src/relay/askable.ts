/** What a client must have said that it can do for a server to ask it. */
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';

const capabilityOf: Readonly<Record<string, string>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
};

export function canAnswer(capabilities: JsonObject, method: string, params: JsonObject): boolean {
  const capability = capabilityOf[method];
  // What is not known here, the client knows itself.
  if (capability === undefined) return true;
  const able = capabilities[capability];
  return isJsonObject(able) && (capability !== 'elicitation' || params['mode'] !== 'url' || 'url' in able);
}

/** Whether a server can ask this client anything that is known here. */
export const canBeAsked = (capabilities: JsonObject): boolean =>
  Object.values(capabilityOf).some((capability) => capabilities[capability] !== undefined);
