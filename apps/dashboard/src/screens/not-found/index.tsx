/** Owns addresses that lead nowhere. */
import type { ReactNode } from 'react';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function NotFound(): ReactNode {
  return (
    <Page title="No such page">
      <Empty title="Nothing is at this address.">
        <p>
          It may be of another version. <Link to="/">Go to the overview.</Link>
        </p>
      </Empty>
    </Page>
  );
}
