/** A slider to view the turn at any point in time. The log is append-only, so every earlier state can be shown. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatDuration } from '../../ui/format.ts';
import style from './turn.module.css';

export interface TimeSliderProps {
  readonly endMs: number;
  readonly atMs: number | undefined;
  readonly onSelect: (atMs: number | undefined) => void;
}

const steps = 1000;
const playMs = 6000;

export function TimeSlider({ endMs, atMs, onSelect }: TimeSliderProps): ReactNode {
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return undefined;
    const from = atMs === undefined || atMs >= endMs ? 0 : atMs;
    const startedAt = performance.now();
    let frame = requestAnimationFrame(function next() {
      const at = from + ((performance.now() - startedAt) / playMs) * endMs;
      onSelect(Math.min(endMs, at));
      if (at < endMs) frame = requestAnimationFrame(next);
      else setPlaying(false);
    });
    return () => cancelAnimationFrame(frame);
    // Continues from the position where playback started.
  }, [playing, endMs]);
  const shown = atMs ?? endMs;
  return (
    <div className={style['timeSlider']} role="group" aria-label="Time slider">
      <Button kind="quiet" icon={playing ? 'interrupted' : 'running'} onClick={() => setPlaying(!playing)}>
        {playing ? 'Pause' : 'Play'}
      </Button>
      <input
        type="range"
        aria-label="Time"
        aria-valuetext={formatDuration(shown)}
        min={0}
        max={steps}
        value={Math.round((shown / Math.max(1, endMs)) * steps)}
        onChange={(event) => {
          setPlaying(false);
          onSelect((Number(event.target.value) / steps) * endMs);
        }}
      />
      <span className={style['timeSliderText']}>{atMs === undefined ? 'end' : `at ${formatDuration(shown)}`}</span>
      {atMs !== undefined && (
        <Button
          kind="quiet"
          onClick={() => {
            setPlaying(false);
            onSelect(undefined);
          }}
        >
          Go to end
        </Button>
      )}
    </div>
  );
}
