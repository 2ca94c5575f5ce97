/** Icons and links of changes. */
import type { ChangeItem, ChangeKind } from '@holdfast/gateway/contract';
import { alertPath, failurePath, toolPath, turnPath } from '../../data/routes.ts';
import { joinWords, pluralize } from '../../ui/format.ts';
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
  alert_resolved: { icon: 'done', tone: 'good' },
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

/** A line of the list of changes: one change, or the many of a tool that flaps. */
export interface ChangeLine {
  readonly change: ChangeItem;
  readonly text: string;
}

/** From so many changes of its circuit and its alerts on, a tool has one line for them. */
const minFolded = 4;

const foldable: readonly ChangeKind[] = ['circuit_opened', 'circuit_half_opened', 'circuit_closed', 'alert_firing', 'alert_resolved'];

const isFoldable = ({ kind, tool_id: tool }: ChangeItem): boolean => tool !== undefined && foldable.includes(kind);

/** `changes` and the lines are newest first. */
export function foldChanges(changes: readonly ChangeItem[]): readonly ChangeLine[] {
  const byTool = new Map<string, ChangeItem[]>();
  for (const change of changes) {
    if (isFoldable(change)) byTool.set(change.tool_id ?? '', [...(byTool.get(change.tool_id ?? '') ?? []), change]);
  }
  return changes.flatMap((change) => {
    const all = isFoldable(change) ? (byTool.get(change.tool_id ?? '') ?? []) : [];
    if (all.length < minFolded) return [{ change, text: change.text }];
    return all[0] === change ? [{ change, text: foldedText(all, change) }] : [];
  });
}

function foldedText(all: readonly ChangeItem[], latest: ChangeItem): string {
  const opened = all.filter(({ kind }) => kind === 'circuit_opened').length;
  const fired = all.filter(({ kind }) => kind === 'alert_firing').length;
  const minutes = Math.max(1, Math.ceil((Date.parse(latest.at) - Date.parse(all.at(-1)?.at ?? latest.at)) / 60_000));
  const what = [...(opened > 0 ? [`its circuit opened ${opened}×`] : []), ...(fired > 0 ? [`alerts fired ${fired}×`] : [])];
  const often = what.length === 0 ? pluralize(all.length, 'change') : joinWords(what);
  return `${latest.tool_id ?? ''}: ${often} in ${minutes} min. Latest: ${latest.text}`;
}
