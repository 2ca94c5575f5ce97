/** Exports the turn as a file, for trace viewers and bug reports. */
import { type ReactNode, useState } from 'react';
import { headersOf } from '../../data/request.ts';
import { Icon } from '../../ui/icon.tsx';
import { LiveRegion } from '../../ui/parts.tsx';
import style from './turn.module.css';

const formats = [
  { format: 'ndjson', title: 'Events (NDJSON)', hint: 'as recorded, one per line', extension: 'ndjson' },
  { format: 'chrome', title: 'Chrome trace', hint: 'opens in Perfetto', extension: 'trace.json' },
  { format: 'otlp', title: 'OpenTelemetry (OTLP JSON)', hint: 'for collectors', extension: 'otlp.json' },
] as const;

export function ExportMenu({ turnId, run }: { readonly turnId: string; readonly run: number | undefined }): ReactNode {
  const [message, setMessage] = useState('');
  const fetchFile = async (format: string, extension: string): Promise<void> => {
    const query = new URLSearchParams({ format, ...(run === undefined ? {} : { run: String(run) }) });
    setMessage('Downloading …');
    // A plain link cannot send the authorization header.
    const response = await fetch(`/v1/turns/${encodeURIComponent(turnId)}/export?${query}`, {
      headers: headersOf(),
      credentials: 'omit',
    }).catch(() => undefined);
    if (response?.ok !== true) return setMessage(`The export failed${response === undefined ? '' : ` with status ${response.status}`}.`);
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = address;
    link.download = `${turnId.replaceAll(/[^\w.-]+/gu, '_').slice(0, 80)}.${extension}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    setMessage('Downloaded.');
  };
  return (
    <details className={style['menu']}>
      <summary className={style['menuButton']}>
        <Icon name="download" />
        Export
      </summary>
      <div className={style['menuList']}>
        {formats.map(({ format, title, hint, extension }) => (
          <button key={format} type="button" onClick={() => void fetchFile(format, extension)}>
            {title}
            <span className="muted">{hint}</span>
          </button>
        ))}
        {message !== '' && <p className="muted">{message}</p>}
        <LiveRegion text={message} />
      </div>
    </details>
  );
}
