/** Owns the checks of sources of tools: their address, their prefix, the names and settings of their tools. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { PathStep } from '../problem.ts';
import { quote } from '../shape/describe.ts';
import { legalName } from '../offer/legal-name.ts';
import { type OfferedNames, separatorOf, type SourcePlace, toolsOf } from './offered-names.ts';
import type { Checking, ToolPlace } from './checking.ts';
import { checkRate } from './rate.ts';
import { checkServerAuth } from './server-auth.ts';
import { checkAlternatives, checkClassification } from './tools.ts';

type Plain = Readonly<Record<string, unknown>>;

export interface SourceChecking extends Checking {
  readonly value: Plain;
  readonly places: readonly ToolPlace[];
  readonly names: OfferedNames;
}

export function checkSources(sources: readonly SourcePlace[], checking: SourceChecking): void {
  const separator = separatorOf(checking.value);
  checkPrefixes(sources, checking);
  checkRenames(sources, checking);
  for (const place of sources) {
    const { source, path, prefix } = place;
    if (path[0] === 'mcp_servers') {
      checkServer(source, path, checking);
      checkServerAuth(source, path, checking);
    } else checkCredentials(source, path, checking);
    if (isRecord(source['defaults'])) checkRate(source['defaults'], [...path, 'defaults'], checking);
    for (const { tool, path: where, own } of toolsOf(place)) {
      const name = typeof tool['name'] === 'string' ? tool['name'] : legalName(prefix === '' ? own : `${prefix}${separator}${own}`);
      checkAlternatives(tool, name, where, checking.names, checking);
      checkClassification(tool, where, checking);
      checkRate(tool, where, checking);
    }
  }
}

/** Without prefixes, equal names are found only when the sources are listed. */
function checkPrefixes(sources: readonly SourcePlace[], { source, reading }: Checking): void {
  const first = new Map<string, SourcePlace>();
  for (const place of sources) {
    const key = legalName(place.prefix);
    if (key === '' || !place.isExposed) continue;
    const earlier = first.get(key);
    if (!earlier) {
      first.set(key, place);
      continue;
    }
    const path = place.source['prefix'] === undefined ? place.path : [...place.path, 'prefix'];
    source.report({
      code: 'duplicate_id',
      at: place.source['prefix'] === undefined ? reading.keyAt(...path) : reading.at(...path),
      path,
      message: `tools of ${earlier.path.join('.')} have the same prefix ${quote(place.prefix)}`,
      allowed: 'another prefix',
    });
  }
}

function checkRenames(sources: readonly SourcePlace[], { source, reading, places }: SourceChecking): void {
  const first = new Map<unknown, readonly PathStep[]>(places.map(({ tool, path }) => [tool['id'], [...path, 'id']]));
  for (const { tool, path } of sources.flatMap(toolsOf)) {
    if (typeof tool['name'] !== 'string') continue;
    const where = [...path, 'name'];
    const earlier = first.get(tool['name']);
    if (!earlier) {
      first.set(tool['name'], where);
      continue;
    }
    const { line } = source.lines.linePos(reading.at(...earlier)[0]);
    source.report({
      code: 'duplicate_id',
      at: reading.at(...where),
      path: where,
      message: `two tools are offered as ${quote(tool['name'])}; the first is in line ${line}`,
    });
  }
}

function checkServer(server: Plain, path: readonly PathStep[], { source, reading }: Checking): void {
  const name = quote(String(path.at(-1)));
  const kinds = ['command', 'url'].filter((key) => server[key] !== undefined);
  const known = ['command', 'url'].some((key) => reading.has(...path, key));
  if (!known) {
    const message = `${name} needs a command or a URL`;
    source.report({ code: 'missing_key', at: reading.keyAt(...path), path, message, allowed: 'command or url' });
  }
  if (kinds.length === 2) {
    const message = `${name} has command and url`;
    source.report({ code: 'run_kind', at: reading.keyAt(...path, 'url'), path, message, allowed: 'one of them' });
  }
  const strangers = server['url'] === undefined ? ['headers', 'auth'] : ['args', 'env', 'cwd', 'inherit_env'];
  for (const key of strangers) {
    if (kinds.length !== 1 || server[key] === undefined) continue;
    const owner = key === 'headers' || key === 'auth' ? 'url' : 'command';
    const where = [...path, key];
    source.report({ code: 'run_kind', at: reading.keyAt(...where), path: where, message: `${quote(key)} belongs to ${quote(owner)}` });
  }
}

const credentials: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'x-auth-token',
]);

/** Credentials come from the environment, so that the file contains no secrets. */
export function checkCredentials(owner: Plain, path: readonly PathStep[], checking: Checking): void {
  const headers = isRecord(owner['headers']) ? owner['headers'] : {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || !credentials.has(name.toLowerCase())) continue;
    const allowed = "{ env: NAME_OF_A_VARIABLE }, with prefix: 'Bearer ' where the header has one";
    reportPlainSecret([...path, 'headers', name], checking, quote(name), allowed);
  }
}

/** Reports a secret that is in the file itself, and not in a variable of the environment. */
export function reportPlainSecret(path: readonly PathStep[], { source, reading }: Checking, name: string, allowed: string): void {
  const [start, end] = reading.at(...path);
  if (source.text.slice(start, end).includes('${env:')) return;
  source.report({ code: 'not_allowed', at: reading.keyAt(...path), path, message: `${name} is a secret, but is in the file`, allowed });
}
