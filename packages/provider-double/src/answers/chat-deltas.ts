/** The deltas of tool calls in a Chat Completions stream, correct or broken the way servers break them. */
import type { Answer, AnsweredCall } from '../script/answer.ts';
import type { DeltaFault } from '../script/scripted-turn.ts';
import { cutAnswer } from './cut.ts';

interface Delta {
  index?: number;
  id?: string;
  type?: 'function';
  function: { name?: string; arguments?: unknown };
}

function piecesOf(call: AnsweredCall, faults: ReadonlySet<DeltaFault>, size: number | undefined): readonly unknown[] {
  if (faults.has('arguments_object')) return [call.value];
  if (faults.has('arguments_repeated')) return [call.raw, call.raw];
  const pieces = cutAnswer(call.raw, size);
  return faults.has('empty_object_first') ? ['{}', ...pieces] : pieces;
}

function deltasOf(call: AnsweredCall, order: number, faults: ReadonlySet<DeltaFault>, size: number | undefined): readonly Delta[] {
  const index = faults.has('index_zero') ? 0 : order;
  const deltas: Delta[] = [
    { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
    ...piecesOf(call, faults, size).map((piece): Delta => ({ index, function: { arguments: piece } })),
  ];
  for (const [place, delta] of deltas.entries()) {
    if (faults.has('index_missing')) delete delta.index;
    if (place === 0) continue;
    if (faults.has('id_repeated')) delta.id = call.id;
    if (faults.has('id_blank')) delta.id = '';
    if (faults.has('name_repeated')) delta.function.name = call.name;
  }
  return deltas;
}

/** Interleaves the lists: one delta of each in turn. */
function interleave(lists: readonly (readonly Delta[])[]): readonly Delta[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_unused, place) => lists.flatMap((list) => list[place] ?? [])).flat();
}

export function callDeltas({ calls, chunking }: Answer): readonly unknown[] {
  if (chunking.deltas) return chunking.deltas;
  const faults = new Set(chunking.faults);
  const lists = calls.map((call, order) => deltasOf(call, order, faults, chunking.characters));
  const deltas = faults.has('interleaved') ? interleave(lists) : lists.flat();
  return deltas.map((delta) => ({ tool_calls: [delta] }));
}
