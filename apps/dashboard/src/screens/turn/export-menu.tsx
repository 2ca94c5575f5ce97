/** The turn as a file: for other programs that look at traces, and for reports of defects. */
import { type ReactNode, useState } from 'react';
import { headersOf } from '../../data/request.ts';
import { Icon } from '../../ui/icon.tsx';
import { LiveRegion } from '../../ui/parts.tsx';
import style from './turn.module.css';

const formats = [
  { format: 'ndjson', title: 'Events, one a line', hint: 'as recorded; holdfast replay reads it', ending: 'ndjson' },
  { format: 'chrome', title: 'Chrome trace', hint: 'opens in Perfetto', ending: 'trace.json' },
  { format: 'otlp', title: 'OpenTelemetry (OTLP JSON)', hint: 'for collectors and their stores', ending: 'otlp.json' },
] as const;

export function ExportMenu({ turnId, run }: { readonly turnId: string; readonly run: number | undefined }): ReactNode {
  const [told, setTold] = useState('');
  const fetchFile = async (format: string, ending: string): Promise<void> => {
    const query = new URLSearchParams({ format, ...(run === undefined ? {} : { run: String(run) }) });
    setTold('Asking for the file …');
    // With a header, which a link cannot have.
    const response = await fetch(`/v1/turns/${encodeURIComponent(turnId)}/export?${query}`, {
      headers: headersOf(),
      credentials: 'omit',
    }).catch(() => undefined);
    if (response?.ok !== true) return setTold(`The gateway did not give the file${response === undefined ? '' : ` (${response.status})`}.`);
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = address;
    link.download = `${turnId.replaceAll(/[^\w.-]+/gu, '_').slice(0, 80)}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    setTold('The file is among the downloads.');
  };
  return (
    <details className={style['menu']}>
      <summary className={style['menuButton']}>
        <Icon name="download" />
        Export
      </summary>
      <div className={style['menuList']}>
        {formats.map(({ format, title, hint, ending }) => (
          <button key={format} type="button" onClick={() => void fetchFile(format, ending)}>
            {title}
            <span className="muted">{hint}</span>
          </button>
        ))}
        {told !== '' && <p className="muted">{told}</p>}
        <LiveRegion text={told} />
      </div>
    </details>
  );
}
