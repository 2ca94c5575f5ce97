/** Renders the requests to models and the responses that failed validation: each problem with its place and its rule. */
import type { TraceEvent } from '@holdfast/core';
import { records, text } from '@holdfast/core/internal';
import { wrapSentence } from '../summary/wrap.ts';
import { type Line, type Surface, cell, lineText, space } from '../text/cell.ts';
import { formatElapsed } from '../text/format.ts';

export type FailedValidation = Extract<TraceEvent, { readonly event_type: 'ResponseValidationFailed' }>;

export function renderValidations(failures: readonly FailedValidation[], surface: Surface): readonly string[] {
  const lines = failures.flatMap((failure, index) => [...(index === 0 ? [] : [[]]), ...failureLines(failure, index + 1, surface.width)]);
  return lines.map((line) => lineText(line, surface));
}

function failureLines({ message, format, problems, elapsed_ms: at }: FailedValidation, number: number, width: number): readonly Line[] {
  const head: Line = [
    space(1),
    cell(`${number}`, 'dim'),
    space(1),
    cell(text(message), 'strong'),
    space(2),
    cell(formatElapsed(at), 'dim'),
  ];
  return [
    head,
    ...(format === undefined ? [] : [[space(3), cell(`format ${text(format)}`, 'dim')]]),
    ...records(problems).flatMap((problem) => [
      ...wrapSentence(cell(text(problem.message), 'bad'), width, 3),
      ...wrapSentence(cell(`${text(problem.path) === '' ? '' : `at ${text(problem.path)}, `}rule ${text(problem.rule)}`, 'dim'), width, 5),
    ]),
  ];
}
