/** Messages to the operator of a gateway or worker: JSON lines in the same format as the call log, or text. */
import type { ReadyInfo, WorkerInfo } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';

export interface OperatorLog {
  readonly ready: (info: ReadyInfo) => void;
  readonly worker: (info: WorkerInfo) => void;
  readonly warn: (text: string) => void;
  readonly note: (text: string) => void;
}

export function createOperatorLog(log: 'json' | 'text' | 'off', manifest: Manifest, console: Console): OperatorLog {
  return log === 'json' ? createJsonLog(console) : createTextLog(manifest, console);
}

function createJsonLog({ err }: Console): OperatorLog {
  const line = (level: string, event: string, fields: object): void =>
    err.writeLine(JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }));
  return {
    ready: ({ url, stdio, tokens, dashboard }) =>
      line('info', 'ready', { url, mcp: url && mcpUrl(url), dashboard: dashboard?.url, stdio, tokens, pid: process.pid }),
    worker: (info) => line('info', 'ready', { ...info, pid: process.pid }),
    warn: (message) => line('warn', 'gateway', { message }),
    note: (message) => line('info', 'gateway', { message }),
  };
}

function createTextLog(manifest: Manifest, { err, note, warn }: Console): OperatorLog {
  return { ready: (info) => note(readyText(info, manifest, err.isTTY)), worker: (info) => note(workerText(info)), warn, note };
}

const workerText = ({ url, registered, engine, tools }: WorkerInfo): string =>
  [
    `holdfast: running turns for ${engine}, with ${tools} tool${tools === 1 ? '' : 's'}`,
    `  listening   ${url}  (${url}/readyz, ${url}/metrics)`,
    registered === undefined ? '  registered  not by this worker' : `  registered  ${registered}`,
  ].join('\n');

const mcpUrl = (url: string): string => `${url}/mcp`;

/** The URL with the operator's token goes to terminals only, never into log files. */
function readyText({ url, stdio, tokens, dashboard }: ReadyInfo, { gateway, mcpServers }: Manifest, isTerminal: boolean): string {
  if (url === undefined) return stdio ? 'holdfast: serving MCP over standard input and output' : 'holdfast: ready';
  const models = Object.keys(gateway.models).map((provider) => `${url}/${provider}${provider === 'openai' ? '/v1' : ''}`);
  const servers = Object.keys(mcpServers).length;
  return [
    `holdfast: listening on ${url}${servers === 0 ? '' : `, in front of ${servers} MCP server${servers === 1 ? '' : 's'}`}`,
    `  MCP        ${mcpUrl(url)}`,
    `  API        ${url}/v1  (${url}/openapi.json)`,
    ...(dashboard === undefined ? [] : [`  dashboard  ${isTerminal ? dashboard.operatorUrl : dashboard.url}`]),
    ...models.map((model) => `  models     ${model}`),
    ...(tokens.length === 0 ? [] : [`  auth       Authorization: Bearer <token of ${tokens.join(' or ')}>`]),
    `  MCP hosts  ${programName()} mcp-config --url`,
  ].join('\n');
}
