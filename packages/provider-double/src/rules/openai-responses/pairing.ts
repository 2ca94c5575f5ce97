/**
 * Calls and outputs of a Responses input, together with what the server holds.
 * 1. They are paired by `call_id` at any position; DeepSeek requires N calls and then their N outputs, with nothing between.
 * 2. A `call_id` has one call and one output; an item id occurs once.
 */
import type { Report } from '../problem.ts';
import { isText, findRepeated, wordOf } from '../reading.ts';
import { isCall, isOutput, type Item } from './shape.ts';

const idOf = (item: Item): string => (isText(item.call_id) ? item.call_id : '');

const kindOfCall = (item: Item): string => (wordOf(item.type).startsWith('custom') ? 'custom tool call' : 'function call');

function checkDuplicates(items: readonly Item[], report: Report): void {
  const at = { path: 'input', param: 'input' };
  for (const id of findRepeated(items.map((item) => item.id).filter(isText))) {
    const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
    report({ rule: 'duplicate-item', ...at, message });
  }
  for (const id of findRepeated(items.filter(isCall).map(idOf)))
    report({ rule: 'duplicate-call', ...at, message: `Duplicate 'call_id': ${id}` });
  for (const id of findRepeated(items.filter(isOutput).map(idOf))) {
    report({ rule: 'duplicate-result', ...at, message: `Duplicate function_call_output for call_id ${id}` });
  }
}

/** `held` are items that the server already has; `heldElsewhere`: it may have others. */
export function checkPairing(input: readonly Item[], held: readonly Item[], heldElsewhere: boolean, report: Report): void {
  const items = [...held, ...input];
  const calls = new Set(items.filter(isCall).map(idOf));
  const outputs = new Set(items.filter(isOutput).map(idOf));
  for (const [index, item] of input.entries()) {
    if (!isOutput(item) || calls.has(idOf(item)) || heldElsewhere) continue;
    const message = `No tool call found for ${kindOfCall(item)} output with call_id ${idOf(item)}.`;
    report({ rule: 'orphan-result', path: `input[${index}]`, message, param: 'input' });
  }
  for (const item of items) {
    if (!isCall(item) || outputs.has(idOf(item))) continue;
    const index = input.indexOf(item);
    const path = index < 0 ? 'input' : `input[${index}]`;
    report({ rule: 'missing-result', path, message: `No tool output found for ${kindOfCall(item)} ${idOf(item)}.`, param: 'input' });
  }
  checkDuplicates(items, report);
}

/** The calls of the run that ends here, and the outputs directly after it. */
export function checkAdjacent(items: readonly Item[], report: Report): void {
  let open: string[] = [];
  const complain = (): void => {
    for (const id of open)
      report({ rule: 'result-order', path: 'input', message: `No tool output found for tool call ${id}`, param: 'input' });
    open = [];
  };
  for (const [index, item] of items.entries()) {
    if (isCall(item)) {
      if (!isCall(items[index - 1] ?? {})) complain();
      open.push(idOf(item));
    } else if (isOutput(item) && open.includes(idOf(item))) open = open.filter((id) => id !== idOf(item));
    else complain();
  }
  complain();
}
