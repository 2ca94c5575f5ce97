/** Tabs with panels, and a row of radio buttons. */
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { Icon, type IconName } from './icon.tsx';
import style from './tabs.module.css';

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly title: ReactNode;
  readonly panel: () => ReactNode;
}

export interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
}

/** Arrows, Home and End move between the tabs. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect }: TabsProps<Id>): ReactNode {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const chosen = tabs.find(({ id }) => id === selected) ?? tabs[0];
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[to % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next.id);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <div>
      <div role="tablist" aria-label={label} className={style['list']} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            className={style['tab']}
            aria-selected={tab === chosen}
            aria-controls={`${base}-panel`}
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${chosen?.id ?? ''}`} tabIndex={0} className={style['panel']}>
        {chosen?.panel()}
      </div>
    </div>
  );
}

export interface ChoiceProps<Id extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly title: ReactNode; readonly icon?: IconName }[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
}

/** Radio buttons in a row, such as the range of a chart. */
export function Choice<Id extends string>({ label, options, value, onChange }: ChoiceProps<Id>): ReactNode {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={style['choice']}>
      {options.map(({ id, title, icon }) => (
        <label key={id}>
          <input type="radio" className="visually-hidden" name={name} checked={id === value} onChange={() => onChange(id)} />
          {icon && <Icon name={icon} size={14} />}
          {title}
        </label>
      ))}
    </div>
  );
}
