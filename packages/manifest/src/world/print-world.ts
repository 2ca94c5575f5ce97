/** Owns printing a world as a file for editing: in snake_case, each field explained at its first occurrence. */
import type { World } from '@holdfast/simulate';
import { Document, isMap, isScalar, isSeq, type Pair } from 'yaml';
import { toFile } from '../shape/convert.ts';
import type { RecordShape, Shape } from '../shape/shape.ts';
import { worldFileShape } from '../tables/world.ts';

const head = ` yaml-language-server: $schema=./node_modules/@holdfast/manifest/schema/world.schema.json
 A world of the lab. Try it: npx holdfast simulate <this file> --policy spec --policy adaptive --chart`;

/** `world.yaml`, with comments. */
export function printWorld(world: World): string {
  const document = new Document(toFile(world, worldFileShape));
  document.commentBefore = head;
  explain(document.contents, worldFileShape, new Set());
  return document.toString({ lineWidth: 120, flowCollectionPadding: true });
}

function explain(node: unknown, shape: Shape, explained: Set<string>): void {
  if (isSeq(node)) {
    if (shape.kind !== 'list' && !isSeq(node.items[0])) node.flow = true;
    for (const item of node.items) explain(item, shape.kind === 'list' ? shape.of : shape, explained);
    if (node.items.every((item) => isScalar(item))) node.flow = true;
  }
  if (!isMap(node)) return;
  if (shape.kind === 'record') for (const pair of node.items) explainPair(pair, shape, explained);
  if (shape.kind === 'map') for (const { value } of node.items) explain(value, shape.of, explained);
}

function explainPair({ key, value }: Pair, shape: RecordShape, explained: Set<string>): void {
  const field = isScalar(key) ? shape.fields.find((each) => each.key === key.value) : undefined;
  if (!field || !isScalar(key)) return;
  const place = `${shape.name ?? ''} ${field.key}`;
  if (!explained.has(place) && shape.name !== 'distribution') key.commentBefore = ` ${field.doc}`;
  explained.add(place);
  if (isMap(value) && isDistribution(field.shape)) value.flow = true;
  explain(value, field.shape, explained);
}

const isDistribution = (shape: Shape): boolean => shape.kind === 'record' && shape.name === 'distribution';
