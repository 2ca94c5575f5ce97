/** Gemini 3: the first call of each step in the current turn must include its thought signature. */
import type { Report } from '../problem.ts';
import { isText, textOf } from '../reading.ts';
import { callOf, partsOf, responsesIn, signatureOf, type Content } from './shape.ts';

const explained =
  'This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, ';

export function checkSignatures(model: unknown, contents: readonly Content[], report: Report): void {
  if (!/gemini-3/.test(textOf(model))) return;
  const turn = contents.findLastIndex((content) => content.role !== 'model' && responsesIn(content).length === 0);
  for (const [index, content] of contents.entries()) {
    if (index <= turn || content.role !== 'model') continue;
    const parts = partsOf(content);
    const place = parts.findIndex((part) => callOf(part) !== undefined);
    const first = parts[place];
    if (!first || (isText(signatureOf(first)) && signatureOf(first) !== '')) continue;
    const name = textOf(callOf(first)?.name);
    const message = `Function call is missing a thought_signature in functionCall parts. ${explained}function call \`default_api:${name}\` , position ${index + 1}.`;
    report({ rule: 'thought-signature', path: `contents[${index}].parts[${place}]`, message });
  }
}
