/** A button. */
import { type ComponentPropsWithRef, type MouseEvent, type ReactNode, useId } from 'react';
import style from './button.module.css';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'disabled'> {
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly icon?: IconName;
  /** Why the button is disabled, as a sentence. It stays focusable, so that the reason can be read. */
  readonly disabledReason?: string | undefined;
  readonly children?: ReactNode;
}

export function Button({ kind = 'plain', icon, disabledReason, children, className, onClick, title, ...rest }: ButtonProps): ReactNode {
  const reasonId = useId();
  const disabled = disabledReason !== undefined;
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    if (disabled) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <>
      <button
        type="button"
        {...rest}
        className={classNames(style['button'], kind !== 'plain' && style[kind], children === undefined && style['icon'], className)}
        onClick={press}
        title={disabledReason ?? title}
        {...(disabled ? { 'aria-disabled': true, 'aria-describedby': reasonId } : {})}
      >
        {icon && <Icon name={icon} />}
        {children}
      </button>
      {disabled && (
        <span id={reasonId} hidden>
          {disabledReason}
        </span>
      )}
    </>
  );
}
