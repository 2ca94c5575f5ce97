/** Icons and links of changes. */
import type { ChangeItem, ChangeKind } from '@holdfast/gateway/contract';
import { alertPath, failurePath, toolPath, turnPath } from '../../data/routes.ts';
import type { Tone } from '../../ui/badge.tsx';
import type { IconName } from '../../ui/icon.tsx';

export interface ChangeAppearance {
  readonly icon: IconName;
  readonly tone: Tone;
}

const appearances: Readonly<Record<ChangeKind, ChangeAppearance>> = {
  circuit_opened: { icon: 'open', tone: 'bad' },
  circuit_half_opened: { icon: 'half_open', tone: 'warn' },
  circuit_closed: { icon: 'closed', tone: 'good' },
  alert_firing: { icon: 'bell', tone: 'bad' },
  alert_resolved: { icon: 'bell', tone: 'good' },
  new_failure: { icon: 'new', tone: 'bad' },
  tool_added: { icon: 'wrench', tone: 'quiet' },
  tool_removed: { icon: 'wrench', tone: 'warn' },
  upstream_down: { icon: 'failed', tone: 'bad' },
  upstream_up: { icon: 'done', tone: 'good' },
  operator_action: { icon: 'hand', tone: 'own' },
};

export const changeAppearance = (kind: ChangeKind): ChangeAppearance => appearances[kind] ?? { icon: 'dot', tone: 'quiet' };

/** The page with the most detail about the change. */
export function changePath({ kind, tool_id: tool, turn_id, call_id, signature, fingerprint }: ChangeItem): string | undefined {
  if (fingerprint !== undefined) return alertPath(fingerprint);
  if (signature !== undefined) return failurePath(signature);
  if (tool !== undefined && kind !== 'tool_removed') return toolPath(tool);
  return turn_id === undefined ? undefined : turnPath(turn_id, { call: call_id });
}
