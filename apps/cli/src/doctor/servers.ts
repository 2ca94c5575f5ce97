/** Checks the MCP servers: connects to each once and lists its tools. */
import { type CheckedServer, checkServers } from '@holdfast/gateway';
import { isOffered, type Manifest } from '@holdfast/manifest';
import { programName } from '../terminal/program-name.ts';
import { downReason } from './down-reason.ts';
import type { Finding } from './finding.ts';
import { hiddenVariables } from './hidden-variables.ts';

const slowStartMs = 5_000;

export async function diagnoseServers(
  manifest: Manifest,
): Promise<{ readonly findings: readonly Finding[]; readonly servers: readonly CheckedServer[] }> {
  const servers = await checkServers(manifest);
  return { findings: servers.flatMap(findingsOf), servers };
}

function findingsOf(server: CheckedServer): readonly Finding[] {
  const { name, error, flaws, stderrTail } = server;
  const common = { check: 'server', subject: name } as const;
  if (error) {
    const details = {
      ...(error.code === undefined ? {} : { code: error.code }),
      ...(stderrTail === undefined ? {} : { stderr_tail: stderrTail }),
    };
    return [{ ...common, status: 'error', message: downReason(name, error.message), advice: adviceFor(server), details }];
  }
  return [
    { ...common, ...healthOf(server) },
    ...missingLogins(server).map((finding): Finding => ({ ...common, ...finding })),
    ...flaws.map((flaw): Finding => ({
      ...common,
      status: 'warning',
      message: flaw,
      advice: 'Report it to the maintainer of the server.',
    })),
  ];
}

function missingLogins({ name, loginsMissing }: CheckedServer): readonly Omit<Finding, 'check' | 'subject'>[] {
  if (loginsMissing.length === 0) return [];
  return [
    {
      status: 'warning',
      message: `no login for ${loginsMissing.join(', ')}: the server requires a login for each client, so their calls fail`,
      advice: `Log in for each: ${programName()} login ${name} --principal ${loginsMissing[0] ?? ''}. Each client can also log in with the dashboard.`,
      details: { logins_missing: loginsMissing },
    },
  ];
}

function healthOf({ name, entry, handshake, startMs = 0, tools }: CheckedServer): Omit<Finding, 'check' | 'subject'> {
  const offered = tools.filter((tool) => isOffered(String(tool['name']), entry));
  const unknown = Object.keys(entry.tools).filter((tool) => tools.every((each) => each['name'] !== tool));
  const { era, protocolVersion = '?', serverInfo = {} } = handshake ?? {};
  const details = {
    era,
    protocol_version: protocolVersion,
    server: serverInfo,
    tools: tools.length,
    offered: offered.length,
    start_ms: Math.round(startMs),
  };
  const identity = [serverInfo['name'], serverInfo['version']].filter((part) => typeof part === 'string').join(' ');
  const count = offered.length === tools.length ? `${tools.length} tools` : `${offered.length} of ${tools.length} tools`;
  const message = `${identity === '' ? 'unnamed' : identity}, ${era} ${protocolVersion}, ${count}, ${Math.round(startMs)} ms`;
  if (unknown.length > 0)
    return {
      status: 'warning',
      message: `${message}; it has no tool ${unknown.map((tool) => `'${tool}'`).join(', ')}`,
      advice: `Fix the names under mcp_servers.${name}.tools.`,
      details,
    };
  if (tools.length > 0 && offered.length === 0)
    return {
      status: 'warning',
      message,
      advice: `None of its tools is offered: check include and exclude under mcp_servers.${name}.`,
      details,
    };
  if (startMs > slowStartMs)
    return {
      status: 'warning',
      message,
      advice: 'It starts slowly: install it instead of downloading it at each start (npx, uvx), or raise startup_timeout_ms.',
      details,
    };
  return { status: 'ok', message, details };
}

/** Advice for the kind of failure. */
function adviceFor({ name, entry, error, handshake }: CheckedServer): string {
  const text = `${error?.code ?? ''} ${error?.message ?? ''}`;
  const place = `mcp_servers.${name}`;
  if (error?.code === 'LOGIN_REQUIRED') return `Log in: ${programName()} login ${name}`;
  if (error?.code === 'AUTHORIZATION_FAILED') return `Check ${place}.auth.`;
  if (handshake) return 'It started, but does not respond to tools/list: check its standard error.';
  if (/SECRET_MISSING|environment variable \w+ is not set/.test(text)) return 'Set the variable in the environment of the gateway.';
  if (/\b(?:401|403)\b|unauthori[sz]ed|forbidden/i.test(text))
    return 'url' in entry && entry.auth === undefined
      ? `The server rejected the credentials: set them under ${place}.headers, from the environment, or set ${place}.auth: oauth and log in.`
      : `The server rejected the credentials: check ${place}.`;
  if ('url' in entry) return urlAdvice(text, place);
  if (/working folder/.test(text)) return `Fix ${place}.cwd, or create the folder.`;
  if (/ENOENT|not found/i.test(text)) return `The program was not found: fix ${place}.command, install the program, or give its full path.`;
  if (/EACCES/.test(text)) return 'The program is not executable: chmod +x.';
  if (/timed? ?out|did not|within/i.test(text))
    return `It did not respond to 'initialize' in time: run it by hand to see what it waits for, or raise ${place}.startup_timeout_ms.${hiddenAdvice(entry, place)}`;
  return `Run it by hand: ${[entry.command, ...(entry.args ?? [])].join(' ')}. The program only gets the variables of ${place}.env and inherit_env.`;
}

function hiddenAdvice(entry: CheckedServer['entry'], place: string): string {
  const hidden = hiddenVariables(entry, process.env);
  if (hidden.length === 0) return '';
  const lines = hidden.map((name) => `${name}: { env: ${name} }`).join(', ');
  return ` It does not get these variables; if it needs them to connect or to download, set ${place}.env: { ${lines} }.`;
}

function urlAdvice(text: string, place: string): string {
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT/.test(text))
    return `Nothing responds at this address. Is the server running? Is ${place}.url correct?`;
  if (/\b404\b|\b405\b/.test(text)) return `There is no MCP endpoint at this address: most servers use /mcp; check ${place}.url.`;
  return `Is ${place}.url the address of a Streamable HTTP server?`;
}
