/** Placeholders for data: empty, error, loading. */
import type { ReactNode } from 'react';
import type { Problem } from '../data/problem.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import style from './states.module.css';

export interface EmptyProps {
  /** What is missing, as a sentence. */
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

/** The problem, a suggestion, and the hint of the gateway. */
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
  /** The height of the expected content, so that the layout does not shift. Any CSS length. */
  readonly height: string;
  readonly label?: string;
}

export function Skeleton({ height, label = 'Loading' }: SkeletonProps): ReactNode {
  return <div role="status" aria-label={label} className={style['skeleton']} style={{ height }} />;
}
