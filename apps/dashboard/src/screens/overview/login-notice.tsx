/** The servers that need a login of a person, at the top of the overview. */
import type { Totals } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { loginsPath } from '../../data/routes.ts';
import { Link } from '../../ui/link.tsx';
import { Badge } from '../../ui/badge.tsx';
import { pluralize } from '../../ui/format.ts';

export function LoginNotice({ totals: { logins_required: required = [] } }: { readonly totals: Totals }): ReactNode {
  if (required.length === 0) return null;
  const names = [...new Set(required.map(({ server }) => server))];
  return (
    <p>
      <Badge tone="warn" icon="alert">
        {pluralize(names.length, 'server')} {names.length === 1 ? 'needs' : 'need'} a login
      </Badge>{' '}
      <Link to={loginsPath}>{names.join(', ')}</Link>
    </p>
  );
}
