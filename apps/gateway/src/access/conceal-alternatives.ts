/**
 * Owns hiding the names of alternatives that do not exist for a client from its results. The manifest declares them, and they run for everybody who may
 * call the tool.
 */
import type { ToolExecutionService } from '@holdfast/core';
import type { Access } from './access.ts';

/** Changes a text of a result, such as its advice. */
export type Conceal = (text: string) => string;

/** `undefined`: every alternative of the tool exists for the client. */
export function concealAlternatives(
  tool: string,
  { allows, allowsAll }: Pick<Access, 'allows' | 'allowsAll'>,
  service: Pick<ToolExecutionService, 'getToolSettings'>,
): Conceal | undefined {
  if (allowsAll) return undefined;
  const hidden = service.getToolSettings(tool)?.alternatives?.filter((name) => !allows(name)) ?? [];
  if (hidden.length === 0) return undefined;
  const names = hidden.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  // A name may be a part of another.
  const mention = new RegExp(String.raw`(?<![\w-])(?:${names.join('|')})(?![\w-])`, 'g');
  return (text) => withoutInvitation(text, hidden).replaceAll(mention, 'an alternative');
}

/** The advice of a failure names the alternatives that a model could call. */
const invitation = / Use ([^.;]+?) instead, or continue without it\./g;

function withoutInvitation(text: string, hidden: readonly string[]): string {
  return text.replaceAll(invitation, (_whole, list: string) => {
    const left = list.split(/,? or |, /).filter((name) => !hidden.includes(name));
    return left.length === 0 ? ' Continue without it, or tell the user.' : ` Use ${left.join(' or ')} instead, or continue without it.`;
  });
}
