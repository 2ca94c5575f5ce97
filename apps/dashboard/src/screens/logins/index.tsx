/** The logins to MCP servers: whose they are, until when they are valid, log in and log out. */
import type { BegunLogin, EndedLogin, ServerLogin, ServerLoginList } from '@holdfast/gateway/contract';
import { type ReactNode, useState } from 'react';
import { useUrlState } from '../../data/use-url-state.ts';
import { useQuery } from '../../data/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorBox, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { RelativeTime, Timestamp } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useAction } from '../alerts/use-action.ts';
import {
  accountText,
  isWebAddress,
  keyOf,
  loginProblem,
  loginRequest,
  ownerText,
  type Place,
  sortLogins,
  stateIndicator,
  validityOf,
} from './logins.model.ts';
import style from './logins.module.css';

const shape = { server: '', link: '' } as const;

export function Logins(): ReactNode {
  const { data, problem, reload } = useQuery<ServerLoginList>('/v1/logins', { everyMs: 5_000 });
  const [{ server, link }] = useUrlState(shape);
  const place: Place = { here: `${location.origin}${location.pathname}`, server, link };
  return (
    <Page title="Logins" subtitle={<span className="muted">to MCP servers</span>}>
      {data ? (
        <LoginTable list={data} place={place} onChange={() => void reload()} />
      ) : problem ? (
        <ErrorBox problem={problem} onRetry={() => void reload()} />
      ) : (
        <Skeleton height="12rem" label="Loading logins" />
      )}
    </Page>
  );
}

interface LoginTableProps {
  readonly list: ServerLoginList;
  readonly place: Place;
  readonly onChange: () => void;
}

function LoginTable({ list, place, onChange }: LoginTableProps): ReactNode {
  const [leaving, setLeaving] = useState<ServerLogin>();
  const { run, problem, running } = useAction();
  const begin = async (login: ServerLogin): Promise<void> => {
    const path = `/v1/logins/${encodeURIComponent(login.server)}`;
    // The cookie that comes back ties the login to this browser.
    const begun = await run<BegunLogin>(path, { method: 'POST', body: loginRequest(login, place), takesCookies: true });
    if (begun !== undefined && isWebAddress(begun.url)) location.assign(begun.url);
  };
  const end = async ({ server, principal }: ServerLogin): Promise<void> => {
    setLeaving(undefined);
    const query = principal === undefined ? '' : `?${new URLSearchParams({ principal }).toString()}`;
    await run<EndedLogin>(`/v1/logins/${encodeURIComponent(server)}${query}`, { method: 'DELETE' });
    onChange();
  };
  if (list.logins.length === 0)
    return (
      <Empty title="No server needs a login of a person.">
        Servers with <code>auth: oauth</code> in the manifest are listed here.
      </Empty>
    );
  const columns = columnsOf(list, place, { running, onBegin: (login) => void begin(login), onLeave: setLeaving });
  return (
    <div className={style['stack']}>
      {place.server !== '' && <p role="status">A call needs a login to {visibleText(place.server)}.</p>}
      {problem && <ErrorBox problem={problem} />}
      <Table caption="Logins" columns={columns} rows={sortLogins(list.logins, place.server)} keyOf={keyOf} />
      <Dialog
        title="Log out?"
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        actions={
          leaving && (
            <Button kind="danger" onClick={() => void end(leaving)}>
              Log out
            </Button>
          )
        }
      >
        {leaving && (
          <p>
            Calls to {leaving.server} for {ownerText(leaving)} fail until the next login.
          </p>
        )}
      </Dialog>
    </div>
  );
}

interface Actions {
  readonly running: boolean;
  readonly onBegin: (login: ServerLogin) => void;
  readonly onLeave: (login: ServerLogin) => void;
}

const columnsOf = (list: ServerLoginList, place: Place, { running, onBegin, onLeave }: Actions): readonly Column<ServerLogin>[] => [
  { id: 'server', title: 'Server', cell: ({ server }) => server, narrow: true },
  { id: 'owner', title: 'Login of', cell: ownerText, narrow: true },
  { id: 'state', title: 'State', cell: (login) => <State login={login} /> },
  { id: 'account', title: 'Account', cell: (login) => visibleText(accountText(login)), secondary: true },
  { id: 'until', title: 'Valid', cell: (login) => <Valid login={login} />, secondary: true },
  {
    id: 'actions',
    title: 'Actions',
    cell: (login) => (
      <div className={style['actions']}>
        <Button
          kind={login.state === 'login_required' && loginProblem(login, list, place) === undefined ? 'primary' : 'plain'}
          aria-label={`Log in to ${login.server} for ${ownerText(login)}`}
          disabledReason={running ? 'A request is running.' : loginProblem(login, list, place)}
          onClick={() => onBegin(login)}
        >
          Log in
        </Button>
        {login.may_log_out && (
          <Button aria-label={`Log out of ${login.server} for ${ownerText(login)}`} onClick={() => onLeave(login)}>
            Log out
          </Button>
        )}
      </div>
    ),
  },
];

function State({ login }: { readonly login: ServerLogin }): ReactNode {
  return (
    <>
      <Status indicator={stateIndicator(login)} />
      {login.reason !== undefined && <p className={style['reason']}>{visibleText(login.reason)}</p>}
    </>
  );
}

function Valid({ login }: { readonly login: ServerLogin }): ReactNode {
  const validity = validityOf(login);
  if (validity === undefined) return null;
  if (validity.kind === 'unknown') return 'until the server ends it';
  if (validity.kind === 'until')
    return (
      <>
        until <Timestamp at={validity.at} />
      </>
    );
  return login.obtained_at === undefined ? (
    'renewed automatically'
  ) : (
    <>
      renewed automatically, last <RelativeTime at={login.obtained_at} />
    </>
  );
}
