/**
 * The used parts of undici. All of it, with fetch, caches and web sockets, needs 10 MB and a tenth of a second more. Its version is pinned.
 */
import type { Agent as AgentType, Dispatcher, buildConnector as BuildConnector } from 'undici';
import requestOver from 'undici/lib/api/api-request.js';
import buildConnectorPart from 'undici/lib/core/connect.js';
import AgentPart from 'undici/lib/dispatcher/agent.js';

export const Agent: new (options?: AgentType.Options) => AgentType = AgentPart;
export const buildConnector: (options?: BuildConnector.BuildOptions) => BuildConnector.connector = buildConnectorPart;

export function request(agent: AgentType, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
  return requestOver.call(agent, options);
}
