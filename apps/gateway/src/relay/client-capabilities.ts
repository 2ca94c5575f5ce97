/** Owns which capabilities a client must declare to be asked by servers. */
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import type { ConnectedClient } from '@holdfast/mcp-wire/server';

const capabilityOf: Readonly<Record<string, string>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
};

type Client = Pick<ConnectedClient, 'capabilities' | 'era'>;

/** Returns the capability that a server's request requires; `undefined` for unknown requests. */
export const neededCapability = (method: string): string | undefined => capabilityOf[method];

/**
 * Whether a server's request may be sent to the client. An unknown request is sent to a legacy client, which can reject it; a modern client is
 * asked with `input_required`, which supports only the known requests.
 */
export function canAnswer({ capabilities, era }: Client, method: string, params: JsonObject): boolean {
  const capability = capabilityOf[method];
  if (capability === undefined) return era === 'legacy';
  const declared = capabilities[capability];
  return isJsonObject(declared) && (capability !== 'elicitation' || params['mode'] !== 'url' || 'url' in declared);
}

/** Whether the client has declared any capability to be asked. */
export const canBeAsked = ({ capabilities }: Client): boolean =>
  Object.values(capabilityOf).some((capability) => isJsonObject(capabilities[capability]));
