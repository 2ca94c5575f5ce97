/**
 * Owns the argument list of one run. A value is never more than one argument, and never an option by accident.
 */
import { runnerError } from '../runner-error.ts';
import { fillTemplate, solePath, valueAt } from '../template.ts';

/** `numbers`: the paths that may be negative numbers; all by default. */
export function filledArguments(templates: readonly string[], args: unknown, numbers?: readonly string[]): readonly string[] {
  const optionsEnd = templates.indexOf('--');
  return templates.map((template, index) => {
    const argument = fillTemplate(template, args);
    if (argument.includes('\0')) throw runnerError('INVALID_ARGUMENT', `Argument ${index + 1} holds a NUL character`);
    const mayBeOption = template.startsWith('-') || (optionsEnd !== -1 && index > optionsEnd);
    if (!mayBeOption && argument.startsWith('-') && !isNumber(template, args, numbers))
      throw runnerError('INVALID_ARGUMENT', `Argument ${index + 1} begins with '-' and would be read as an option`);
    return argument;
  });
}

/** Digits may be an option as well: `head -5`. A declared number has passed the schema of the tool. */
function isNumber(template: string, args: unknown, numbers?: readonly string[]): boolean {
  const path = solePath(template);
  return path !== undefined && (numbers?.includes(path) ?? true) && Number.isFinite(valueAt(args, path));
}
