/** Owns what a client must have declared for a server to ask it. */
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import type { FaceClient } from '@holdfast/mcp-wire/server';

const capabilityOf: Readonly<Record<string, string>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
};

type Client = Pick<FaceClient, 'capabilities' | 'era'>;

/** The capability that a request of a server needs; `undefined` for requests that are not known here. */
export const neededCapability = (method: string): string | undefined => capabilityOf[method];

/**
 * Whether a server's request may be put to the client. A request that is not known here goes to a legacy client, which answers for itself; a modern client is
 * asked by `input_required`, which has the known kinds only.
 */
export function canAnswer({ capabilities, era }: Client, method: string, params: JsonObject): boolean {
  const capability = capabilityOf[method];
  if (capability === undefined) return era === 'legacy';
  const declared = capabilities[capability];
  return isJsonObject(declared) && (capability !== 'elicitation' || params['mode'] !== 'url' || 'url' in declared);
}

/** Whether a server can ask this client anything that is known here. */
export const canBeAsked = ({ capabilities }: Client): boolean =>
  Object.values(capabilityOf).some((capability) => isJsonObject(capabilities[capability]));
