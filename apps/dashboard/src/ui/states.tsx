/** Owns what stands where data would be: nothing there, not yet, went wrong. */
import type { ReactNode } from 'react';
import type { Problem } from '../data/problem.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import style from './states.module.css';

export interface EmptyProps {
  /** What is not there, in a sentence. */
  readonly title: string;
  /** Why, and what to do. */
  readonly children?: ReactNode;
}

export function Empty({ title, children }: EmptyProps): ReactNode {
  return (
    <div className={style['empty']}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}

export interface ErrorBoxProps {
  readonly problem: Problem;
  readonly onRetry?: () => void;
}

/** What went wrong, what is allowed, and the fix the gateway suggests. */
export function ErrorBox({ problem, onRetry }: ErrorBoxProps): ReactNode {
  const { title, detail, error } = problem;
  return (
    <div role="alert" className={style['box']}>
      <Icon name="alert" />
      <strong>{title}</strong>
      <p>{detail}</p>
      {error?.suggestion !== undefined && <p>Did you mean {error.suggestion}?</p>}
      {error?.hint !== undefined && error.hint !== detail && <p>{error.hint}</p>}
      {onRetry && (
        <p>
          <Button icon="retry" onClick={onRetry}>
            Try again
          </Button>
        </p>
      )}
    </div>
  );
}

export interface SkeletonProps {
  /** Of what will stand there, so that nothing moves when it comes: any CSS length. */
  readonly height: string;
  readonly label?: string;
}

export function Skeleton({ height, label = 'Loading' }: SkeletonProps): ReactNode {
  return <div role="status" aria-label={label} className={style['skeleton']} style={{ height }} />;
}
