/** The trace of what happens outside of turns: it neither begins nor ends, so it has no state, no calls and no waterfall. */
import { isControlTurnId, type TurnView } from '@holdfast/core/turn-view';

/** A plan may choose such an id too, but has calls. */
export const isControlTrace = ({ turnId, calls }: Pick<TurnView, 'turnId' | 'calls'>): boolean =>
  isControlTurnId(turnId) && calls.length === 0;

const shownOfControl = ['repairs', 'events'] as const;

/** The ids of the tabs that have content for this trace; `selected` is the first of them if the wanted one has none. */
export function viewsOf<View extends string>(
  view: Pick<TurnView, 'turnId' | 'calls'>,
  views: readonly View[],
  wanted: View,
): { readonly shown: readonly View[]; readonly selected: View } {
  const shown = isControlTrace(view) ? views.filter((each) => (shownOfControl as readonly string[]).includes(each)) : views;
  return { shown, selected: shown.includes(wanted) ? wanted : (shown.at(-1) ?? wanted) };
}
