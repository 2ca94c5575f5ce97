/** Checks a generateContent request as the provider would. */
import type { Report } from '../problem.ts';
import { fieldsOf, isText, listOf, textOf } from '../reading.ts';
import { checkDefinitions } from './definitions.ts';
import { checkEnds, checkPairing } from './pairing.ts';
import { checkContent } from './part-form.ts';
import type { Content, GenerateRequest } from './shape.ts';
import { checkSignatures } from './signatures.ts';

export function checkGenerate(body: unknown, report: Report): void {
  const request = fieldsOf<GenerateRequest>(body);
  checkDefinitions(request, report);
  // The SDK accepts a string as one content.
  if (isText(request.contents)) return;
  const contents = listOf(request.contents).map((content) => fieldsOf<Content>(content));
  if (contents.length === 0) {
    return report({ rule: 'empty-messages', path: 'contents', message: '* GenerateContentRequest.contents: contents is not specified' });
  }
  for (const [index, content] of contents.entries()) checkContent(content, index, report);
  checkSignatures(request.model, contents, report);
  checkPairing(contents, textOf(request.model), report);
  checkEnds(contents, report);
}
