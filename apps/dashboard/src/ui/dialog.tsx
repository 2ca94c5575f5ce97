/** A modal dialog on `<dialog>`: it traps the focus, closes on Escape, and restores the focus. */
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import style from './dialog.module.css';

export interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** The buttons at the bottom. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Dialog({ title, open, onClose, wide = false, actions, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open === open) return;
    if (open) element.showModal();
    else element.close();
  }, [open]);
  const closeOutside = (event: MouseEvent): void => {
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog
      ref={dialog}
      className={classNames(style['dialog'], wide && style['wide'])}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={closeOutside}
    >
      {open && (
        <div className={style['inner']}>
          <div className={style['head']}>
            <h2 id={titleId}>{title}</h2>
            <Button kind="quiet" icon="close" aria-label="Close" onClick={onClose} />
          </div>
          {children}
          {actions && <div className={style['actions']}>{actions}</div>}
        </div>
      )}
    </dialog>
  );
}
