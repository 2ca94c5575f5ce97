/** The screen for unknown paths. */
import type { ReactNode } from 'react';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function NotFound(): ReactNode {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this URL.">
        <p>
          The link may be from another version. <Link to="/">Go to the overview.</Link>
        </p>
      </Empty>
    </Page>
  );
}
