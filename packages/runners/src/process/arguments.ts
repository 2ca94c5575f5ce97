/**
 * Owns the argument list of one run. A value is never more than one argument, and never an option by accident.
 */
import { runnerError } from '../runner-error.ts';
import { fillTemplate } from '../template.ts';

export function filledArguments(templates: readonly string[], args: unknown): readonly string[] {
  const optionsEnd = templates.indexOf('--');
  return templates.map((template, index) => {
    const argument = fillTemplate(template, args);
    if (argument.includes('\0')) throw runnerError('INVALID_ARGUMENT', `Argument ${index + 1} holds a NUL character`);
    const mayBeOption = template.startsWith('-') || (optionsEnd !== -1 && index > optionsEnd);
    if (!mayBeOption && argument.startsWith('-') && !isNumber(argument))
      throw runnerError('INVALID_ARGUMENT', `Argument ${index + 1} begins with '-' and would be read as an option`);
    return argument;
  });
}

function isNumber(argument: string): boolean {
  return /^-\d+(?:\.\d+)?$/.test(argument);
}
