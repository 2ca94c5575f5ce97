/**
 * Owns which names of tools a manifest may use. The tools of servers and APIs are known only at run time, so every name with one of their prefixes
 * passes.
 */
import { isRecord } from '@holdfast/core/internal/plain';
import { gatewayDefaults } from '../entries/defaults.ts';
import { legalName } from '../offer/legal-name.ts';
import type { PathStep } from '../problem.ts';
import { nameList, quote } from '../shape/describe.ts';
import { suggestName } from './suggest-name.ts';
import type { Checking } from './checking.ts';

type Plain = Readonly<Record<string, unknown>>;

/** A source of tools, and its position. */
export interface SourcePlace {
  readonly source: Plain;
  readonly path: readonly PathStep[];
  readonly prefix: string;
  /** Whether its tools are offered. */
  readonly isExposed: boolean;
}

export interface OfferedNames {
  /** The names in the file. */
  readonly known: readonly string[];
  /** The prefixes of all other names. */
  readonly beginnings: readonly string[];
  has(name: string): boolean;
}

const sourceKeys: readonly string[] = ['mcp_servers', 'openapi'];

export function sourcePlaces(value: Plain): readonly SourcePlace[] {
  return sourceKeys.flatMap((key) =>
    Object.entries(isRecord(value[key]) ? value[key] : {}).flatMap(([name, source]) => {
      if (!isRecord(source)) return [];
      const prefix = typeof source['prefix'] === 'string' ? source['prefix'] : name;
      return [{ source, path: [key, name], prefix, isExposed: source['expose'] !== false }];
    }),
  );
}

/** The settings of single tools of a source. */
export function toolsOf({
  source,
  path,
}: SourcePlace): readonly { readonly tool: Plain; readonly path: readonly PathStep[]; readonly own: string }[] {
  const tools = isRecord(source['tools']) ? source['tools'] : {};
  return Object.entries(tools).flatMap(([own, tool]) => (isRecord(tool) ? [{ tool, path: [...path, 'tools', own], own }] : []));
}

export function offeredNames(value: Plain, ids: readonly string[], sources: readonly SourcePlace[]): OfferedNames {
  const separator = separatorOf(value);
  const renamed = sources.flatMap(toolsOf).flatMap(({ tool }) => (typeof tool['name'] === 'string' ? [tool['name']] : []));
  const known = new Set([...ids, ...renamed]);
  const beginnings = sources
    .filter(({ isExposed }) => isExposed)
    .map(({ prefix }) => (prefix === '' ? '' : legalName(`${prefix}${separator}`)));
  return {
    known: [...known],
    beginnings,
    has: (name) => known.has(name) || beginnings.some((beginning) => name.startsWith(beginning)),
  };
}

export function separatorOf(value: Plain): string {
  const gateway = isRecord(value['gateway']) ? value['gateway'] : {};
  const names = isRecord(gateway['names']) ? gateway['names'] : {};
  return typeof names['separator'] === 'string' ? names['separator'] : gatewayDefaults.names.separator;
}

/** Reports a name without a tool. */
export function reportUnknown(
  name: string,
  path: readonly PathStep[],
  { known, beginnings }: OfferedNames,
  { source, reading }: Checking,
): void {
  source.report({
    code: 'unknown_tool',
    at: reading.at(...path),
    path,
    message: `there is no tool ${quote(name)}`,
    allowed: () => nameList([...known, ...beginnings.map((beginning) => `${beginning}…`)]),
    suggestion: () => suggestName(name, known),
  });
}
