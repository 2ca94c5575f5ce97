/** What OpenAI refuses in the schema of a tool's parameters, strict or not. */
import type { Report } from './problem.ts';
import { fieldsOf, isRecord, isText, listOf, type JsonObject } from './reading.ts';

interface Node {
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
  readonly items?: unknown;
  readonly anyOf?: unknown;
  readonly additionalProperties?: unknown;
}

type Complain = (context: readonly string[], words: string) => void;

const isOf = (node: Node, type: string): boolean => node.type === type || listOf(node.type).includes(type);

const children = (node: Node): readonly (readonly [readonly string[], unknown])[] => [
  ...Object.entries(isRecord(node.properties) ? node.properties : {}).map(([key, value]) => [['properties', key], value] as const),
  ...(isRecord(node.items) ? [[['items'], node.items] as const] : []),
  ...listOf(node.anyOf).map((value, index) => [['anyOf', String(index)], value] as const),
];

function checkStrict(node: Node, context: readonly string[], complain: Complain): void {
  if (!isOf(node, 'object')) return;
  if (node.additionalProperties !== false) complain(context, "'additionalProperties' is required to be supplied and to be false.");
  const required = listOf(node.required);
  const forgotten = Object.keys(isRecord(node.properties) ? node.properties : {}).find((key) => !required.includes(key));
  if (forgotten !== undefined) {
    const demand = "'required' is required to be supplied and to be an array including every key in properties.";
    complain(context, `${demand} Missing '${forgotten}'.`);
  }
}

function walk(value: unknown, context: readonly string[], strict: boolean, complain: Complain): void {
  const node = fieldsOf<Node>(value);
  if (isOf(node, 'array') && node.items === undefined) complain(context, 'array schema missing items.');
  if (strict) checkStrict(node, context, complain);
  for (const [step, child] of children(node)) walk(child, [...context, ...step], strict, complain);
}

const formatContext = (context: readonly string[]): string =>
  context.length === 1 ? `('${context[0] ?? ''}',)` : `(${context.map((step) => `'${step}'`).join(', ')})`;

/** Finds `required: null` at any depth. */
const nullRequired = (value: unknown): boolean => {
  const node = fieldsOf<Node>(value);
  return node.required === null || children(node).some(([, child]) => nullRequired(child));
};

export function checkParameters(tool: { name: string; path: string; parameters: unknown; strict: boolean }, report: Report): void {
  if (tool.parameters === undefined || tool.parameters === null) return;
  const complain = (words: string): void => {
    const message = `Invalid schema for function '${tool.name}': ${words}`;
    report({ rule: 'tool-schema', path: tool.path, message, code: 'invalid_function_parameters', param: tool.path });
  };
  const root = fieldsOf<Node>(tool.parameters as JsonObject);
  if (root.type !== 'object') {
    complain(`schema must be a JSON Schema of 'type: "object"', got 'type: "${isText(root.type) ? root.type : 'None'}"'.`);
    return;
  }
  if (nullRequired(root)) complain("None is not of type 'array'.");
  if (!isRecord(root.properties)) complain('In context=(), object schema missing properties.');
  walk(root, [], tool.strict, (context, words) => complain(`In context=${formatContext(context)}, ${words}`));
}
