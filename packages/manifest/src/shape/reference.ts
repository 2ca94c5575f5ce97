/** Prints shapes as the reference page: a table for each record. */
import { camelCase } from '@holdfast/core/internal/plain';
import { manifestShape } from '../tables/manifest.ts';
import { turnFileShape } from '../tables/turn.ts';
import { worldFileShape } from '../tables/world.ts';
import { describeShape } from './describe.ts';
import type { Field, RecordShape, Shape } from './shape.ts';

/** The text of `docs/reference/manifest.md`. */
export function referencePage(): string {
  return `${[introduction, ...tables('holdfast.yaml', manifestShape), ...tables('turn.yaml', turnFileShape), ...tables('world.yaml', worldFileShape), policyFile, notes].join('\n\n')}\n`;
}

const introduction = `# Manifest, turn files and worlds

Every key of \`holdfast.yaml\`, of a turn file and of a world file: its values, its default, and its name in the code.
This page is generated from the tables that validate the files: \`npm run generate -w packages/manifest\`.

Editors complete the files with the schemas of the package:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/@holdfast/manifest/schema/holdfast.schema.json
\`\`\`

The defaults are those of the profile \`spec\`. A file with \`tool:\` instead of \`tools:\` declares one tool.`;

const policyFile = `## policy.yaml

A policy file has the policies of a manifest: \`profile\`, \`defaults\`, \`turn\`, \`recovery_rules\`, and \`tools\` with their \`id\` and settings. A manifest is a policy file too. \`holdfast simulate\` and \`holdfast whatif\` [take it](../guide/simulate.md).`;

const notes = `## Values

- \`\${env:NAME}\` in any text of \`holdfast.yaml\` is replaced by an environment variable, \`\${env:NAME:-default}\` gives a default, \`$\${env:NAME}\` is an escape for the literal text. A variable that is not set and has no default is an error. Variables are not substituted in turn files, since a plan may come from a model.
- Relative paths are resolved against the manifest's folder; programs run there unless they have a \`cwd\`.
- \`{ env: NAME, prefix: 'Bearer ' }\` in headers and environments is read at each call, so that a rotated secret is used at once.
- \`none\` means no limit where a number may be without one; \`.inf\` is the same in YAML.
- Anchors, aliases and \`<<\` work. A file has one document and at most 1 MiB.`;

/** The tables of a record and of its nested records, each once. */
function tables(title: string, shape: RecordShape): readonly string[] {
  const seen = new Set<RecordShape>();
  const parts: string[] = [`## ${title}`];
  const visit = (record: RecordShape, heading: string | undefined): void => {
    if (seen.has(record)) return;
    seen.add(record);
    const rows = record.fields.map((field) => row(field));
    parts.push([...(heading === undefined ? [] : [`### ${heading}`, '']), ...header, ...rows].join('\n'));
    for (const field of record.fields) for (const inner of recordsIn(field.shape)) visit(inner, inner.name);
  };
  visit(shape, undefined);
  return parts;
}

const header = ['| Key | Value | Default | Meaning |', '| --- | --- | --- | --- |'];

function row({ key, alias, shape, property, required, doc, ...field }: Field): string {
  const standard = required ? 'required' : 'default' in field ? formatValue(field.default) : '';
  const code = property === camelCase(key) ? '' : ` In code: \`${property}\`.`;
  const names = alias === undefined ? `\`${key}\`` : `\`${key}\` or \`${alias}\``;
  return `| ${[names, cell(valueOf(shape)), cell(standard), cell(`${doc}${code}`)].join(' | ')} |`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function formatValue(value: unknown): string {
  if (value === Infinity) return '`.inf`';
  return typeof value === 'string' && value.includes(' ') ? value : `\`${JSON.stringify(value)?.replaceAll('"', '') ?? ''}\``;
}

function valueOf(shape: Shape): string {
  if (shape.kind === 'record') return `[${shape.name ?? 'object'}](#${shape.name ?? 'object'})`;
  if (shape.kind === 'list') return `${shape.single ? `${valueOf(shape.of)}, or a` : 'a'} list${describeItems(shape.of)}`;
  if (shape.kind === 'map') return `names and ${valueOf(shape.of)}`;
  if (shape.kind === 'either') return shape.options.map(valueOf).join(', or ');
  if (shape.kind === 'literal') return `\`${String(shape.value)}\``;
  if (shape.kind === 'choice') return shape.values.map((value) => `\`${value}\``).join(', ');
  return describeShape(shape);
}

const describeItems = (shape: Shape): string => (shape.kind === 'text' ? '' : ` of ${valueOf(shape)}`);

function recordsIn(shape: Shape): readonly RecordShape[] {
  switch (shape.kind) {
    case 'record':
      return [shape];
    case 'list':
    case 'map':
      return recordsIn(shape.of);
    case 'either':
      return shape.options.flatMap(recordsIn);
    default:
      return [];
  }
}
