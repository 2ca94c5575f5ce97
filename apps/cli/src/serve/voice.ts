/** Owns the gateway's messages to its operator: lines of JSON beside those of its log, or sentences. */
import type { ReadyInfo, WorkerInfo } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import type { Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';

export interface Voice {
  readonly ready: (info: ReadyInfo) => void;
  readonly worker: (info: WorkerInfo) => void;
  readonly warn: (text: string) => void;
  readonly note: (text: string) => void;
}

export function voiceOf(log: 'json' | 'text' | 'off', manifest: Manifest, console: Console): Voice {
  return log === 'json' ? jsonVoice(console) : plainVoice(manifest, console);
}

function jsonVoice({ err }: Console): Voice {
  const line = (level: string, event: string, fields: object): void =>
    err.line(JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }));
  return {
    ready: ({ url, stdio, tokens, dashboard }) =>
      line('info', 'ready', { url, mcp: url && mcpUrl(url), dashboard: dashboard?.url, stdio, tokens, pid: process.pid }),
    worker: (info) => line('info', 'ready', { ...info, pid: process.pid }),
    warn: (message) => line('warn', 'gateway', { message }),
    note: (message) => line('info', 'gateway', { message }),
  };
}

function plainVoice(manifest: Manifest, { err, note, warning }: Console): Voice {
  return { ready: (info) => note(readyText(info, manifest, err.isTTY)), worker: (info) => note(workerText(info)), warn: warning, note };
}

const workerText = ({ url, registered, engine, tools }: WorkerInfo): string =>
  [
    `holdfast: runs turns for ${engine}, with ${tools} tool${tools === 1 ? '' : 's'}`,
    `  listens     ${url}  (${url}/readyz, ${url}/metrics)`,
    registered === undefined ? '  registered  not by this worker' : `  registered  ${registered}`,
  ].join('\n');

const mcpUrl = (url: string): string => `${url}/mcp`;

/** The token of the operator is for a terminal, which forgets; a file does not. */
function readyText({ url, stdio, tokens, dashboard }: ReadyInfo, { gateway, mcpServers }: Manifest, isTerminal: boolean): string {
  if (url === undefined) return stdio ? 'holdfast: speaks MCP over standard input and output' : 'holdfast: ready';
  const models = Object.keys(gateway.models).map((provider) => `${url}/${provider}${provider === 'openai' ? '/v1' : ''}`);
  const servers = Object.keys(mcpServers).length;
  return [
    `holdfast: listening on ${url}${servers === 0 ? '' : `, in front of ${servers} MCP server${servers === 1 ? '' : 's'}`}`,
    `  MCP     ${mcpUrl(url)}`,
    `  API     ${url}/v1  (${url}/openapi.json)`,
    ...(dashboard === undefined ? [] : [`  see it  ${isTerminal ? dashboard.operatorUrl : dashboard.url}`]),
    ...models.map((model) => `  models  ${model}`),
    ...(tokens.length === 0 ? [] : [`  needs   Authorization: Bearer <token of ${tokens.join(' or ')}>`]),
    `  hosts   ${programName()} mcp-config --url`,
  ].join('\n');
}
